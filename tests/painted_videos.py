"""Videos whose every frame shows its own number, as eight black or white blocks a view."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.footage.planes import AnyView, pixels_of

BITS, BLOCK = 8, 16  # blocks of a view, and their width in pixels
HEIGHT, WIDTH = 64, BITS * BLOCK
BASE = Fraction(1, 60_000)  # seconds a unit of time stamps that a test chooses


def painted(number: int) -> NDArray[np.uint8]:
    """A picture that shows a number above a pattern that moves."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    grey = (np.sin(x / 9) + np.sin(y / 13 + number / 10)) * 50 + 128
    for bit in range(BITS):
        grey[:24, bit * BLOCK : (bit + 1) * BLOCK] = 235 if number >> bit & 1 else 16
    return np.repeat(grey.astype(np.uint8)[..., None], 3, axis=2)


def number_in(view: AnyView) -> int:
    """Read the number that a picture shows."""
    picture = pixels_of(view)
    rows = picture[4:20].reshape(16, picture.shape[1], -1)[..., 0]
    blocks = rows[:, : BITS * BLOCK].reshape(16, BITS, BLOCK)[:, :, 4:12]
    return sum(int(mean > 128) << bit for bit, mean in enumerate(blocks.mean(axis=(0, 2))))


def write_video(
    path: Path,
    codec: str = "mpeg4",
    count: int = 120,
    *,
    options: Mapping[str, str] | None = None,
    gop: int = 12,
    b_frames: int = 0,
    stamp: Callable[[int], int] | None = None,
    picture: Callable[[int], NDArray[np.uint8]] = painted,
    pixels: str = "yuv420p",
    form: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Path:
    """Write a video at 30 frames a second, or with time stamps of one's own, in ``BASE``."""
    import av

    with av.open(str(path), "w", format=form) as container:
        stream: Any = container.add_stream(codec, rate=30, options=dict(options or {}))
        stream.height, stream.width = picture(0).shape[:2]
        stream.pix_fmt = pixels
        stream.metadata.update(metadata or {})
        stream.codec_context.gop_size = gop
        stream.codec_context.max_b_frames = b_frames
        if stamp:
            stream.codec_context.time_base = BASE
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(picture(number), "rgb24")
            if stamp:
                frame.pts, frame.time_base = stamp(number), BASE
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def uneven(number: int) -> int:
    """Time stamps, in ``BASE``, of frames 17 to 65 ms apart; the first is not 0."""
    steps = np.random.default_rng(7).integers(1000, 4000, 256)
    return int(np.cumsum(steps)[number])
