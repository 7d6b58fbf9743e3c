"""Pictures of the window for viewers, and their encoding to bytes."""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

CODECS = ("jpeg", "png", "h264")
"""Codecs, whose index is their number in the header of a frame."""
KEY, EXACT = 1, 2
HEADER = struct.Struct(">IBBHHHII")
"""Header of a frame: id, codec, flags, width, height, 0, input seen, milliseconds since begun."""


@dataclass(eq=False)
class ServedPicture:
    """A picture of the window, read back after drawing.

    Attributes:
        pixels: (H, W, 4) RGBA, bottom row first.
        seen: the number of the last input that the picture includes, by viewer.
        begun: the time when drawing began, by ``time.perf_counter``.
        give_back: called once the pixels are no longer read.
        taken: whether the pixels are being read or have been read.
    """

    pixels: NDArray[np.uint8]
    seen: Mapping[str, int]
    begun: float
    give_back: Callable[[], None] = lambda: None
    taken: bool = False

    def upright(self) -> NDArray[np.uint8]:
        """Return the pixels in OpenCV's format: (H, W, 3) BGR, top row first."""
        colours: NDArray[np.uint8] = cv2.cvtColor(self.pixels, cv2.COLOR_RGBA2BGR)
        return np.asarray(cv2.flip(colours, 0), np.uint8)


@dataclass(frozen=True)
class Encoded:
    """A picture encoded as bytes.

    Attributes:
        codec: a name of ``CODECS``.
        flags: ``KEY`` if it can be decoded alone, ``EXACT`` if it is lossless.
    """

    codec: str
    flags: int
    width: int
    height: int
    content: bytes

    def framed(self, number: int, seen: int, milliseconds: float) -> bytes:
        """Return the message for a viewer: a header and the bytes of the picture."""
        size = (self.width, self.height, 0)
        age = min(max(round(milliseconds), 0), 2**32 - 1)
        head = HEADER.pack(number, CODECS.index(self.codec), self.flags, *size, seen, age)
        return head + self.content


def jpeg(pixels: NDArray[np.uint8], quality: int) -> Encoded:
    """Encode (H, W, 3) BGR pixels, top row first, as JPEG with a quality of 1 to 100."""
    return _encoded("jpeg", KEY, pixels, ".jpg", (cv2.IMWRITE_JPEG_QUALITY, quality))


def png(pixels: NDArray[np.uint8]) -> Encoded:
    """Encode (H, W, 3) BGR pixels, top row first, as lossless PNG."""
    return _encoded("png", KEY | EXACT, pixels, ".png", (cv2.IMWRITE_PNG_COMPRESSION, 1))


def _encoded(
    codec: str, flags: int, pixels: NDArray[np.uint8], suffix: str, words: tuple[Any, ...]
) -> Encoded:
    """Encode pixels with OpenCV, which does not block other Python threads."""
    done, content = cv2.imencode(suffix, pixels, words)
    if not done:
        raise ValueError(
            f"a picture of {pixels.shape[1]}x{pixels.shape[0]} cannot be encoded as {codec}"
        )
    height, width = pixels.shape[:2]
    return Encoded(codec, flags, width, height, content.tobytes())
