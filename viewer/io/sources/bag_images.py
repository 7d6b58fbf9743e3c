"""Conversion of the images in robot recordings to 8-bit grey levels or RGB."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.footage.bags.messages import RecordedImage
from wheatstone.viewer.io.reading.typed_values import shown
from wheatstone.viewer.io.sources.decoding import check_size
from wheatstone.viewer.io.sources.depth import Stored, stored_array
from wheatstone.viewer.io.sources.images import DecodedImage, decode_stored
from wheatstone.viewer.io.sources.tone import Tone, with_tone


@dataclass(frozen=True)
class PixelFormat:
    """The storage format of raw pixels: bits, channels and conversion to RGB.

    Attributes:
        bits: of a number: 8 or 16.
        channels: numbers of a pixel.
        conversion: the end of OpenCV's name of the conversion to RGB; empty: none.
    """

    bits: int
    channels: int
    conversion: str = ""


FORMATS = {
    **dict.fromkeys(("mono8", "8uc1"), PixelFormat(8, 1)),
    **dict.fromkeys(("mono16", "16uc1"), PixelFormat(16, 1)),
    **dict.fromkeys(("bgr8", "8uc3"), PixelFormat(8, 3, "BGR2RGB")),
    **dict.fromkeys(("bgra8", "8uc4"), PixelFormat(8, 4, "BGRA2RGB")),
    **dict.fromkeys(("yuv422", "uyvy"), PixelFormat(8, 2, "YUV2RGB_UYVY")),
    **dict.fromkeys(("yuv422_yuy2", "yuyv"), PixelFormat(8, 2, "YUV2RGB_YUY2")),
    "rgb8": PixelFormat(8, 3),
    "rgba8": PixelFormat(8, 4, "RGBA2RGB"),
    "rgb16": PixelFormat(16, 3),
    "bgr16": PixelFormat(16, 3, "BGR2RGB"),
    **{
        f"bayer_{pattern}{bits}": PixelFormat(bits, 1, f"Bayer{pattern.upper()}2RGB")
        for pattern in ("rggb", "bggr", "gbrg", "grbg")
        for bits in (8, 16)
    },
}
"""The raw encodings that are read, in lower case."""


@dataclass(frozen=True, eq=False)
class RecordedPixels:
    """The pixels of a recorded image before their conversion to 8 bits.

    Attributes:
        form: how they are stored; None: grey levels or RGB.
        notes: remarks on the decoding.
    """

    stored: Stored
    form: PixelFormat | None = None
    notes: tuple[str, ...] = ()

    def converted(self, path: Path, tone: Tone | None) -> DecodedImage:
        """Convert the pixels to 8-bit grey levels or RGB.

        Args:
            tone: the mapping of 16 bits; None: linear.

        Raises:
            ValueError: as ``to_eight_bits``.
        """
        pixels, notes = with_tone(path, self.stored, tone)
        converted = _rgb(pixels, self.form) if self.form else pixels
        return DecodedImage(converted, (*self.notes, *notes))


def recorded_pixels(path: Path, image: RecordedImage) -> RecordedPixels:
    """Decode the pixels of a recorded image, without converting them to 8 bits.

    Args:
        path: the recording and the topic, for messages.

    Raises:
        ValueError: its encoding is not known, its size impossible, or it is damaged.
    """
    if image.packed:
        decoded = decode_stored(path, image.content)
        return RecordedPixels(decoded.views[0], None, decoded.notes)
    form = FORMATS.get(image.encoding.lower())
    if form is None:
        known = ", ".join(FORMATS)
        raise ValueError(f"{path}: encoding {shown(repr(image.encoding))} is not read; {known} are")
    return RecordedPixels(stored_array(_stored(path, image, form)), form)


def _stored(path: Path, image: RecordedImage, form: PixelFormat) -> NDArray[Any]:
    """Return the numbers of a raw image as they are stored: (H, W) or (H, W, channels)."""
    check_size(path, image.width, image.height)
    row = image.width * form.channels * form.bits // 8
    step = image.step or row
    if step < row or len(image.content) < step * (image.height - 1) + row:
        sizes = f"{len(image.content)} bytes, {step} a row"
        raise ValueError(f"{path}: damaged image of {image.width}x{image.height} ({sizes})")
    order = ">" if image.big_endian else "<"
    whole = np.frombuffer(image.content, np.uint8)
    rows = np.lib.stride_tricks.as_strided(whole, (image.height, row), (step, 1), writeable=False)
    numbers = np.ascontiguousarray(rows).view(f"{order}u{form.bits // 8}")
    numbers = numbers.astype(f"u{form.bits // 8}", copy=False)
    channels = (form.channels,) if form.channels > 1 else ()
    return numbers.reshape(image.height, image.width, *channels)


def _rgb(pixels: NDArray[np.uint8], form: PixelFormat) -> NDArray[np.uint8]:
    if not form.conversion:
        return pixels
    import cv2

    if min(pixels.shape[:2]) < 2 and form.channels < 3:
        return pixels if form.channels == 1 else np.ascontiguousarray(pixels[..., 0])
    rgb = cv2.cvtColor(pixels, getattr(cv2, f"COLOR_{form.conversion}"))
    return np.asarray(rgb, np.uint8)
