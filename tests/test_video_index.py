"""Which frame of a video is which: known without decoding, and decoded exactly."""

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.painted_videos import BASE, number_in, uneven, write_video
from wheatstone.viewer.io.footage.decoder import Decoder
from wheatstone.viewer.io.footage.index import FrameIndex, index_of
from wheatstone.viewer.io.footage.pairing import pair_frames
from wheatstone.viewer.io.footage.planes import Pixels

av = pytest.importorskip("av", reason="video needs PyAV")
pytestmark = pytest.mark.spread

COUNT, SEEKS = 120, 40
X264 = {"preset": "ultrafast", "bf": "3", "b-pyramid": "none"}
VIDEOS: dict[str, dict[str, Any]] = {
    "plain.mp4": {},
    "b_frames.mp4": {"b_frames": 2},
    "b_frames.avi": {"b_frames": 2},
    "uneven.mkv": {"stamp": uneven},
    "uneven.mp4": {"codec": "libx264", "options": X264, "stamp": uneven},
    "open_gop.mkv": {"codec": "libx264", "options": {**X264, "x264-params": "open-gop=1"}},
    "no_stamps.avi": {"codec": "libx264", "options": X264},
    "late.ts": {"codec": "libx264", "options": X264, "form": "mpegts"},
    "fields.ts": {"codec": "mpeg2video", "b_frames": 2, "form": "mpegts"},
    "pictures.avi": {"codec": "mjpeg", "pixels": "yuvj420p"},
    "bare.mjpeg": {"codec": "mjpeg", "pixels": "yuvj420p", "form": "mjpeg"},
    "lossless.mkv": {"codec": "ffv1"},
    "film.mov": {"codec": "libx264", "options": X264},
    "web.webm": {"codec": "libvpx"},
}


def made(folder: Path, name: str) -> Path:
    traits = VIDEOS[name]
    codec = str(traits.get("codec", "mpeg4"))
    if codec not in av.codecs_available:
        pytest.skip(f"this FFmpeg has no {codec}")
    return write_video(folder / name, count=COUNT, **traits)


@contextmanager
def decoder(path: Path, index: FrameIndex, kept: int) -> Iterator[Decoder]:
    with closing(Decoder(str(path), index, kept)) as result:
        yield result


@pytest.mark.parametrize("name", VIDEOS)
def test_every_frame_sought_is_the_one_that_comes(name: str, tmp_path: Path) -> None:
    path = made(tmp_path, name)
    index = index_of(str(path))
    assert len(index) == COUNT and index.keys[0] == 0
    assert index.counted == (name == "no_stamps.avi")
    rng = random.Random(name)
    wanted = [rng.randrange(COUNT) for _ in range(SEEKS)]
    wanted += [0, COUNT - 1, COUNT - 2, COUNT - 3, *range(60, 48, -1), 49, 50, 0]
    with decoder(path, index, 2) as decoded:
        assert [number_in(decoded.picture(at)) for at in wanted] == wanted
        assert not decoded.damaged


def test_time_stamps_are_those_of_the_file(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", stamp=uneven, count=20)
    index = index_of(str(path))
    stamps = np.array([uneven(n) for n in range(20)]) * float(BASE)
    assert np.allclose(index.seconds, stamps, atol=1e-3)  # where it begins is in milliseconds
    assert np.allclose(np.diff(index.seconds), np.diff(stamps))
    assert index.rate == pytest.approx(19 / (stamps[-1] - stamps[0]))


def test_the_usual_rate_leaves_gaps_out() -> None:
    for numbers, rate in (([0, 1, 2, 3], 10), ([0, 1, 2, 9, 10], 10), ([5], 0)):
        index = FrameIndex(np.array(numbers), (0,), Fraction(1, 10))
        assert index.usual_rate == pytest.approx(rate)


def test_decoding_goes_on_where_it_stands_and_steps_back_through_what_it_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_video(tmp_path / "a.mp4", gop=40)
    index = index_of(str(path))
    begun: list[int] = []
    begin = Decoder._begin

    def noted(self: Decoder, at: int) -> None:
        begun.append(at)
        begin(self, at)

    monkeypatch.setattr(Decoder, "_begin", noted)
    with decoder(path, index, 64) as decoded:
        for at in (10, 11, 30, 29, 28, 12, 38, 41, 45, 100, 99):
            assert number_in(decoded.picture(at)) == at
    assert begun == [0, 80]  # 41 and 45 lie near ahead; the group of 100 does not
    assert index.keys == (0, 40, 80)


def test_a_packet_whose_frame_never_comes_shifts_no_other(tmp_path: Path) -> None:
    source = write_video(tmp_path / "a.mkv", gop=30)
    path, lost = tmp_path / "b.mkv", 47
    with av.open(str(source)) as old, av.open(str(path), "w") as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for number, packet in enumerate(p for p in old.demux(video=0) if p.size):
            if number == lost:
                packet = replaced(packet)
            packet.stream = stream
            new.mux(packet)
    index = index_of(str(path))
    assert len(index) == COUNT
    with decoder(path, index, 2) as decoded:
        for at in (lost + 1, lost - 1, 119, lost + 13, 0):
            assert index.position(int(index.stamps[at])) == at
            shown = number_in(decoded.picture(at))
            assert shown == at or lost < at < 60  # what refers to the lost one may look wrong
        with pytest.raises(ValueError, match=rf"frame {lost} of .*b.mkv cannot be decoded"):
            decoded.picture(lost)
        assert lost in decoded.damaged


def replaced(packet: Any) -> Any:
    noise = av.Packet(b"\0" * 40)
    noise.pts, noise.dts, noise.time_base = packet.pts, packet.dts, packet.time_base
    return noise


def constant(picture: Pixels, number: int) -> Pixels:
    return picture


def test_frames_of_another_size_are_refused_and_others_are_not(tmp_path: Path) -> None:
    for name, shape in (("a", (64, 128)), ("b", (80, 96))):
        grey = np.full((*shape, 3), 99, np.uint8)
        path = tmp_path / f"{name}.mjpeg"
        write_video(path, "mjpeg", 5, pixels="yuvj420p", picture=partial(constant, grey))
    both = tmp_path / "both.mjpeg"
    both.write_bytes(b"".join((tmp_path / f"{n}.mjpeg").read_bytes() for n in "ab"))
    index = index_of(str(both))
    with decoder(both, index, 2) as decoded:
        assert decoded.picture(4).shape == (64, 128)
        with pytest.raises(ValueError, match=r"frame 7 of .*both.mjpeg is 96x80, the video 128x64"):
            decoded.picture(7)


def test_frames_shown_after_a_damaged_one_suffer_up_to_the_next_key_frame() -> None:
    index = FrameIndex(np.arange(12), (2, 5, 11), Fraction(1, 30))
    for damaged, suffering in (
        ({3.0}, {3, 4}),
        ({5.0, 11.0}, set(range(5, 12))),
        ({10.5}, set()),  # lost between frames 10 and 11
        ({-0.5}, {0, 1}),
        (set[float](), set()),
    ):
        assert {at for at in range(12) if index.suffers(at, damaged)} == suffering


def index_at(*seconds: float) -> FrameIndex:
    stamps = np.round(np.array(seconds) * 1000).astype(np.int64)
    return FrameIndex(stamps, (0,), Fraction(1, 1000))


def test_frames_are_paired_by_the_nearest_time_within_half_a_frame() -> None:
    left, right = index_at(0, 0.1, 0.2, 0.3, 0.4), index_at(0.02, 0.12, 0.31, 0.4, 0.5)
    pairs = pair_frames(left, right)
    assert (pairs.left.tolist(), pairs.right.tolist()) == ([0, 1, 3, 4], [0, 1, 2, 3])
    assert not pairs.aligned


def test_clocks_that_differ_count_from_the_first_frame_of_each() -> None:
    pairs = pair_frames(index_at(5, 5.1, 5.2), index_at(70, 70.1, 70.2, 70.3))
    assert (pairs.left.tolist(), pairs.right.tolist(), pairs.aligned) == (
        [0, 1, 2],
        [0, 1, 2],
        True,
    )
