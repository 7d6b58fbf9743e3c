"""Reading of files with one number per pixel, such as disparities, edges or scores."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.metrics import in_pixels
from wheatstone.viewer.reading.regular_files import MIB, read_regular
from wheatstone.viewer.sources.frame import LARGEST
from wheatstone.viewer.sources.npy import read_npy
from wheatstone.viewer.sources.pfm import read_pfm
from wheatstone.viewer.sources.pnm import read_pnm
from wheatstone.viewer.sources.sizes import Size
from wheatstone.viewer.sources.value_pictures import read_grey_png, read_grey_tiff

Encoding = Literal["floats", "8 bits", "16 bits"]
LARGEST_FILE = LARGEST * LARGEST * 8 + MIB
"""Maximum bytes of a file: the largest image with the widest numbers, and its header."""
STRIP = 256  # rows that are converted at a time
READERS: Mapping[str, Callable[[Path, bytes, Size | None], NDArray[Any]]] = {
    ".pfm": read_pfm,
    ".npy": read_npy,
    ".tiff": read_grey_tiff,
    ".tif": read_grey_tiff,
    ".png": read_grey_png,
    ".pgm": lambda path, encoded, expected: read_pnm(path, encoded, expected).numbers,
}
SUFFIXES = tuple(READERS)
REMEDY = "give a file of values"
KITTI_STEPS = 256  # stored values per pixel of disparity in KITTI's 16-bit PNG


@dataclass(frozen=True)
class Coding:
    """The encoding of values as integers.

    Attributes:
        scale: divisor of a stored number.
        unknown: the stored number that means no result; None: there is none.
    """

    scale: float = 1
    unknown: int | None = None


PLAIN = Coding()
KITTI = Coding(KITTI_STEPS, 0)


@dataclass(frozen=True, eq=False)
class Values:
    """The values read from a file, and their encoding.

    Attributes:
        pixels: (H, W), NaN where there is no result.
    """

    pixels: NDArray[np.float32]
    encoding: Encoding


def read_values(
    path: Path, eight: Coding = PLAIN, sixteen: Coding = KITTI, expected: Size | None = None
) -> Values:
    """Read a file with one number per pixel.

    ``.pfm``, ``.npy`` and ``.tiff`` hold the numbers themselves, not finite where there is no
    result; ``.png`` and ``.pgm`` hold integers of 8 or 16 bits.

    Args:
        eight, sixteen: the encodings of 8-bit and 16-bit integers.
        expected: as for ``check_size``.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is none of these, not one number per pixel, or not of the expected size.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: values are read from {', '.join(SUFFIXES)}")
    # The file's bytes are not kept in a variable here: they would stay beside the values.
    stored = READERS[suffix](path, read_regular(path, LARGEST_FILE, REMEDY), expected)
    if stored.ndim != 2 or stored.dtype.kind not in "fiu":
        raise ValueError(
            f"{path}: one number a pixel is needed (got {stored.dtype} of shape {stored.shape})"
        )
    if suffix in (".png", ".pgm"):
        deep = stored.dtype.itemsize == 2
        coding = sixteen if deep else eight
        unknown = -1 if coding.unknown is None else coding.unknown  # no pixel holds -1
        pixels = in_pixels(stored, 1 / coding.scale, unknown)
        return Values(pixels, "16 bits" if deep else "8 bits")
    return Values(_finite(stored), "floats")


def _finite(stored: NDArray[Any]) -> NDArray[np.float32]:
    """Convert to 32-bit floats, NaN where a value is not finite or too large for them."""
    pixels = np.empty(stored.shape, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for top in range(0, len(stored), STRIP):
            strip = pixels[top : top + STRIP]
            strip[...] = stored[top : top + STRIP]
            strip[~np.isfinite(strip)] = np.nan
    return pixels
