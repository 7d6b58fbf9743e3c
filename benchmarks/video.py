"""Measure how fast videos are decoded into pictures, and how long a seek takes.

The benchmark writes videos of 1280x720 at 60 frames per second. Every frame shows its number, by
which every decoded picture is checked.
"""

import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np

from benchmarks.runner import Count
from wheatstone.gpu.cpu.cores import core_count
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.footage.decoder import Decoder
from wheatstone.viewer.io.footage.index import index_of
from wheatstone.viewer.io.footage.planes import AnyView, pixels_of
from wheatstone.viewer.io.footage.read_ahead import AheadReader

WIDTH, HEIGHT, RATE, BITS, BLOCK = 1280, 720, 60, 12, 32
SEEKS = 40
T = TypeVar("T")
CODECS = {
    "MPEG-4": ("mpeg4", {"b": "12M"}),
    "H.264, 2 B-frames": ("libx264", {"preset": "veryfast", "crf": "23", "bf": "2"}),
    "MJPEG": ("mjpeg", {"q:v": "4"}),
}


HEADER = ("codec", "pictures/s", "of 60 fps", "index ms", "seek ms", "wrong")


def main(*, frames: Count = 300) -> bool:
    """Write and time a video of every codec; return whether every picture is the right one."""
    print(f"{WIDTH}x{HEIGHT}, {frames} frames, {core_count()} cores; RGB pictures")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in CODECS:
            path = Path(folder) / "a.mkv"
            write(path, name, frames)
            rate, index, seek, wrong = time_video(str(path))
            times = f"{rate:.0f}", f"{rate / RATE:.1f} x", f"{index:.0f}", f"{seek:.0f}"
            rows.append((name, *times, wrong))
    print(markdown(HEADER, rows))
    return not any(row[-1] for row in rows)


def write(path: Path, name: str, count: int) -> None:
    """Write a video of moving patterns, with the number of every frame as white blocks."""
    import av

    codec, options = CODECS[name]
    rng = np.random.default_rng(1)
    grain = rng.integers(0, 40, (HEIGHT, WIDTH + count, 1), dtype=np.uint8)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=RATE, options=options)
        stream.width, stream.height = WIDTH, HEIGHT
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        for number in range(count):
            wave = (np.sin((x + number) / 40) + np.sin(y / 23)) * 40 + 110
            picture = wave.astype(np.uint8)[..., None] + grain[:, number : number + WIDTH]
            for bit in range(BITS):
                level = 235 if number >> bit & 1 else 16
                picture[:32, bit * BLOCK : (bit + 1) * BLOCK] = level
            frame = av.VideoFrame.from_ndarray(np.repeat(picture, 3, axis=2), "rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def number_in(view: AnyView) -> int:
    """Return the number of the frame, which white blocks in its picture show."""
    picture = pixels_of(view)
    blocks = picture[8:24, : BITS * BLOCK, 0].reshape(16, BITS, BLOCK)[:, :, 8:24]
    return sum(int(mean > 128) << bit for bit, mean in enumerate(blocks.mean(axis=(0, 2))))


def time_video(path: str) -> tuple[float, float, float, int]:
    """Time the decoding of all pictures of a video in order, then of some in random order.

    Returns:
        Pictures per second; milliseconds to index the file, and of the median seek; and the number
        of pictures that were not the requested frame.
    """
    milliseconds, index = _took(partial(index_of, path))
    wrong = 0
    size = WIDTH * HEIGHT * 3
    with closing(AheadReader(Decoder(path, index), len(index), size)) as reader:
        begun = time.perf_counter()
        for position in range(len(index)):
            wrong += number_in(reader.picture(position)) != position
        rate = len(index) / (time.perf_counter() - begun)
    rng, seeks = Random(2), []
    with closing(Decoder(path, index)) as decoder:
        for position in rng.sample(range(len(index)), min(SEEKS, len(index))):
            took, picture = _took(partial(decoder.picture, position))
            wrong += number_in(picture) != position
            seeks.append(took)
    return (rate, milliseconds, float(np.median(seeks)), wrong)


def _took(job: Callable[[], T]) -> tuple[float, T]:
    begun = time.perf_counter()
    result = job()
    return (time.perf_counter() - begun) * 1e3, result
