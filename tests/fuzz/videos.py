"""Hostile videos: real ones of several containers and codecs, damaged."""

import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.containers import ST3D, VEXU, with_box
from tests.fuzz.kinds import FuzzKind, read_recording
from tests.fuzz.mutating import mutated
from tests.painted_videos import uneven, write_video

VIDEOS: dict[str, dict[str, Any]] = {
    "a.mp4": {"b_frames": 2},
    "b.mkv": {"stamp": uneven},
    "c.avi": {"b_frames": 2},
    "d.mov": {"codec": "mjpeg", "pixels": "yuvj420p"},
    "e.ts": {"codec": "mpeg2video", "form": "mpegts"},
    "g.h264": {"codec": "libx264", "options": {"x264-params": "frame-packing=3"}},
    "f.mjpeg": {"codec": "mjpeg", "pixels": "yuvj420p", "form": "mjpeg"},
}
FRAMES = 16
BEHIND = ("/dev/zero", "/etc/passwd", "file:///etc/passwd", "concat:a.mp4|b.mp4", "a.mp4")


@cache
def sound_video(name: str) -> bytes:
    """One of the videos, as it was before any damage."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_video(Path(folder) / name, count=FRAMES, gop=5, **VIDEOS[name])
        return path.read_bytes()


def marked_stereo(random: Random, movie: bytes) -> bytes:
    """An MP4 whose boxes say how its views lie, or a damaged one."""
    known = random.choice((b"\0", b"\2", b"\xff"))
    return with_box(movie, b"mp4v", random.choice((VEXU, ST3D[:-1] + known, ST3D[:9])))


def make_video(random: Random, folder: Path) -> None:
    """Write a damaged video, sometimes under another container's name, or something else."""
    name = random.choice(list(VIDEOS))
    ending = Path(random.choice(list(VIDEOS)) if random.random() < 0.1 else name).suffix
    path = folder / f"v{ending}"
    match random.randrange(20):
        case 0:
            path.write_bytes(random.randbytes(random.choice((0, 1, 200, 5000))))
        case 1:
            path.write_text(f"#EXTM3U\n#EXTINF:1,\n{random.choice(BEHIND)}\n#EXT-X-ENDLIST\n")
        case 2:
            path.write_text(f"ffconcat version 1.0\nfile '{random.choice(BEHIND)}'\n")
        case 3:
            path.symlink_to(random.choice(("/dev/zero", ".", path.name, "absent")))
        case _:
            movie = sound_video(name)
            if name == "a.mp4" and random.random() < 0.5:
                movie = marked_stereo(random, movie)
            path.write_bytes(mutated(random, movie))


KINDS = [FuzzKind("videos", make_video, read_recording, weight=0.15)]
