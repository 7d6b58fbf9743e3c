"""Silent calls of third-party image decoders, whose errors become ``ValueError``."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.checks import LARGEST, MOST_PIXELS

LONGEST = 200  # characters of a decoder's own words in a message
WHOLE = "replace it by a whole file"
"""The remedy for a damaged file."""


@contextmanager
def decoding(path: Path, problem: str, remedy: str) -> Iterator[None]:
    """Silence decoders in the block, and convert their errors to a ``ValueError`` with the path.

    Only for blocks that call a decoder: around other code it would hide our own mistakes.

    Args:
        problem: the state of the file for the message, such as "a damaged TIFF".
        remedy: advice for the user.

    Raises:
        ValueError: the decoder raised something.
    """
    silence_decoders()
    try:
        yield
    except MemoryError:
        raise ValueError(f"{path}: {problem}, or does not fit into memory; {remedy}") from None
    except Exception as error:  # on damaged files decoders raise what no list of theirs names
        raise ValueError(f"{path}: {problem} ({_reason(error)}); {remedy}") from None


def _reason(error: Exception) -> str:
    reason = " ".join(str(error).split()) or type(error).__name__
    return reason if len(reason) <= LONGEST else f"{reason[:LONGEST]}..."


@cache
def silence_decoders() -> None:
    """Stop Pillow and tifffile from writing to standard error in this process.

    Set once for the process, since files are read in threads: warning filters and log levels
    belong to all threads, so resetting them in one thread would affect another.
    """
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS  # Pillow refuses twice as many
    warnings.filterwarnings("ignore", module=r"(PIL|tifffile)(\.|$)")
    for name in ("PIL", "tifffile"):
        logging.getLogger(name).addHandler(logging.NullHandler())
    _silence_libtiff()


def _silence_libtiff() -> None:
    """Remove the handlers with which the libtiff of Pillow prints errors and warnings."""
    import ctypes

    from PIL import _imaging

    try:
        pillow = ctypes.CDLL(_imaging.__file__)  # also finds what it is linked with
        setters = pillow.TIFFSetErrorHandler, pillow.TIFFSetWarningHandler
    except (OSError, AttributeError):  # libtiff is inside Pillow, out of reach
        return
    for setter in setters:
        setter.argtypes, setter.restype = (ctypes.c_void_p,), ctypes.c_void_p
        setter(None)


def decode_with_opencv(encoded: bytes) -> NDArray[Any] | None:
    """Decode an image file with OpenCV, keeping its bit depth and ignoring its orientation.

    Check the size first: OpenCV allocates the size that the header claims.

    Returns:
        (H, W), or (H, W, channels) with the colours as blue, green, red; None where OpenCV cannot.
    """
    import cv2

    with silent_opencv():
        try:
            stored = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_UNCHANGED)
        except (cv2.error, MemoryError):
            return None
    return None if stored is None else np.asarray(stored)


@contextmanager
def silent_opencv() -> Iterator[None]:
    """Stop OpenCV from writing to stderr in the block and afterwards.

    The log level belongs to the process: resetting it would let another thread's decoder write.
    """
    import cv2

    # OpenCV 5 moved the function there; OpenCV 4.10 has it at its top only.
    getattr(cv2.utils, "logging", cv2).setLogLevel(0)
    yield


Size = tuple[int, ...]
"""(H, W)"""


def check_size(path: Path, width: int, height: int, expected: Size | None = None) -> None:
    """Raise ``ValueError`` if an image's size is impossible or not the expected one.

    Args:
        expected: the size of the image that this one belongs to; None: any size.

    Raises:
        ValueError: the image has no pixels, is larger than ``LARGEST`` or ``MOST_PIXELS``, or has
            another size.
    """
    if width < 1 or height < 1:
        raise ValueError(
            f"{path}: the image has no pixels ({width}x{height}); give one of at least 1x1"
        )
    if width > LARGEST or height > LARGEST or width * height > MOST_PIXELS:
        raise ValueError(
            f"{path}: at most {LARGEST} pixels a side and {MOST_PIXELS / 1e6:.0f} megapixels are "
            f"possible (found {width}x{height}); scale it down"
        )
    if expected is not None:
        require_size(path, (height, width), expected)


def require_size(path: Path, shape: Size, expected: Size) -> None:
    """Raise ``ValueError`` if an image does not have the left view's height and width."""
    if shape != expected:
        raise ValueError(
            f"{path}: must have the left image's size {expected[1]}x{expected[0]} "
            f"(found {shape[1]}x{shape[0]})"
        )
