"""Reading of files with one number per pixel, such as disparities, edges or scores."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.metrics import in_pixels
from wheatstone.gpu.installation import install_command
from wheatstone.viewer.io.reading.archives import npy_header
from wheatstone.viewer.io.reading.checks import MOST_PIXELS
from wheatstone.viewer.io.reading.regular_files import MIB, read_regular
from wheatstone.viewer.io.sources.decoding import WHOLE, Size, check_size
from wheatstone.viewer.io.sources.pfm import read_pfm
from wheatstone.viewer.io.sources.pnm import read_pnm
from wheatstone.viewer.io.sources.value_pictures import read_grey_png, read_grey_tiff

SPRING = "disparity"  # the array of a file of Spring


def read_dsp5(path: Path, encoded: bytes, expected: Size | None = None) -> NDArray[Any]:
    """Read a Spring file's disparities, in pixels of the views, at every second row and column.

    Args:
        expected: as for ``check_size``, of the views.

    Raises:
        ValueError: it is another kind of file, truncated or of an impossible size; or h5py is not
            installed.
    """
    try:
        import h5py
    except ImportError as error:
        raise ValueError(f"{path}: h5py is not installed: {install_command('hdf5')}") from error
    try:
        with h5py.File(io.BytesIO(encoded), "r") as file:
            whole = _disparities(h5py, file)
            height, width = whole.shape
            doubled = expected is None or (height, width) != tuple(expected)
            check_size(path, width // (1 + doubled), height // (1 + doubled), expected)
            stored: NDArray[Any] = whole[()]
    except ValueError:
        raise
    except Exception as error:  # h5py raises errors of many classes for damaged files
        raise ValueError(f"{path}: not a file of Spring that can be read; {WHOLE}") from error
    return stored[::2, ::2] if doubled else stored


def _disparities(h5py: Any, file: Any) -> Any:
    """Return a Spring file's array of disparities, without reading its values.

    Raises:
        LookupError: it is absent, in another file, or no image of floats.
    """
    if not isinstance(file.get(SPRING, getlink=True), h5py.HardLink):
        raise LookupError
    array = file[SPRING]
    plain = isinstance(array, h5py.Dataset) and array.ndim == 2 and array.dtype.kind == "f"
    if not plain or array.is_virtual or array.external:
        raise LookupError
    return array


NPY_REMEDY = "replace it by one that numpy.save wrote"


def read_npy(path: Path, encoded: bytes, expected: Size | None = None) -> NDArray[Any]:
    """Read an NPY array of one number per pixel, as stored.

    Args:
        expected: as for ``check_size``.

    Raises:
        ValueError: it is another kind of file, truncated, or of an impossible size.
    """
    try:
        header = npy_header(encoded)
    except ValueError as error:
        raise ValueError(f"{path}: {error}; {NPY_REMEDY}") from None
    kind, sizes = header.dtype, header.shape
    if len(sizes) != 2 or kind.kind not in "fiu":
        words = str(sizes)
        shown = words if len(words) < 80 else f"{words[:80]}...)"
        raise ValueError(f"{path}: one number per pixel is needed (got {kind} of shape {shown})")
    check_size(path, sizes[1], sizes[0], expected)
    got, needed = len(encoded) - header.begin, sizes[0] * sizes[1] * kind.itemsize
    if got < needed:
        raise ValueError(f"{path}: truncated ({got} of {needed} bytes); {NPY_REMEDY}")
    stored = np.frombuffer(encoded, kind, sizes[0] * sizes[1], header.begin)
    return stored.reshape(sizes, order=header.order)


Encoding = Literal["floats", "8 bits", "16 bits"]
LARGEST_FILE = MOST_PIXELS * 8 + MIB
"""Maximum bytes of a file: the largest image with the widest numbers, and its header."""
STRIP = 256  # rows that are converted at a time
READERS: Mapping[str, Callable[[Path, bytes, Size | None], NDArray[Any]]] = {
    ".pfm": read_pfm,
    ".npy": read_npy,
    ".tiff": read_grey_tiff,
    ".tif": read_grey_tiff,
    ".png": read_grey_png,
    ".dsp5": read_dsp5,
    ".pgm": lambda path, encoded, expected: read_pnm(path, encoded, expected).numbers,
}
SUFFIXES = tuple(READERS)
REMEDY = "give a file of values"
KITTI_STEPS = 256  # stored values per pixel of disparity in KITTI's 16-bit PNG


@dataclass(frozen=True)
class Coding:
    """The encoding of values as integers: a scale, an offset, and a number for no value.

    Attributes:
        scale: divisor of a stored number.
        unknown: the stored number that means no result; None: there is none.
        zero: the stored number of the value 0.
    """

    scale: float = 1
    unknown: int | None = None
    zero: int = 0


PLAIN = Coding()
KITTI = Coding(KITTI_STEPS, 0)


@dataclass(frozen=True, eq=False)
class Values:
    """Values read from a file, one number per pixel, and their encoding.

    Attributes:
        pixels: (H, W), NaN where there is no result.
    """

    pixels: NDArray[np.float32]
    encoding: Encoding


def read_values(
    path: Path, eight: Coding = PLAIN, sixteen: Coding = KITTI, expected: Size | None = None
) -> Values:
    """Read a file with one number per pixel.

    ``.pfm``, ``.npy``, ``.tiff`` and ``.dsp5`` hold the numbers themselves, not finite where there
    is no result; ``.png`` and ``.pgm`` hold integers of 8 or 16 bits.

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
            f"{path}: one number per pixel is needed (got {stored.dtype} of shape {stored.shape})"
        )
    if suffix in (".png", ".pgm"):
        deep = stored.dtype.itemsize == 2
        coding = sixteen if deep else eight
        unknown = -1 if coding.unknown is None else coding.unknown  # no pixel holds -1
        pixels = in_pixels(stored, 1 / coding.scale, unknown)
        pixels -= np.float32(coding.zero / coding.scale)
        return Values(pixels, "16 bits" if deep else "8 bits")
    return Values(_finite(stored), "floats")


def read_8_bits(path: Path) -> NDArray[np.uint8] | None:
    """Read a file of 8-bit integers; None for other values; errors are those of ``read_values``.

    Returns:
        (H, W), as stored.
    """
    suffix = path.suffix.lower()
    if suffix not in (".png", ".pgm"):
        return None
    stored = READERS[suffix](path, read_regular(path, LARGEST_FILE, REMEDY), None)
    return stored if stored.dtype == np.uint8 else None


def _finite(stored: NDArray[Any]) -> NDArray[np.float32]:
    """Convert an array to float32; values that are not finite or too large become NaN."""
    pixels = np.empty(stored.shape, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for top in range(0, len(stored), STRIP):
            strip = pixels[top : top + STRIP]
            strip[...] = stored[top : top + STRIP]
            strip[~np.isfinite(strip)] = np.nan
    return pixels
