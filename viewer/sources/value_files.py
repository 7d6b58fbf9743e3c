"""Files of values, ours and other programs': disparities, edges or scores, one number a pixel."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gpu.metrics import in_pixels
from viewer.sources.images import read_bytes
from viewer.sources.truth import read_pfm

Encoding = Literal["floats", "8 bits", "16 bits"]
SUFFIXES = (".pfm", ".npy", ".tiff", ".tif", ".png", ".pgm")
KITTI_STEPS = 256  # stored values per pixel of disparity in KITTI's 16-bit PNG


@dataclass(frozen=True, eq=False)
class Values:
    """What a file of values holds.

    Attributes:
        pixels: (H, W), NaN where there is no result.
    """

    pixels: NDArray[np.float32]
    encoding: Encoding


def read_values(
    path: Path, scale: float | None = None, unknown: int | None = None, *, steps: int = KITTI_STEPS
) -> Values:
    """Read a file of values.

    - ``.pfm``, ``.npy``, ``.tiff``: numbers as they are; what is not finite is no result;
    - ``.png``, ``.pgm`` of 16 bits: ``steps`` times the value (KITTI's convention), 0 for none;
    - of 8 bits: ``scale`` times the value.

    Args:
        scale: what values in a file of 8 or 16 bits are divided by; absent: 1 and ``steps``.
        unknown: stored value in such a file that means no result; absent: none, and 0.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is none of these, or not one number a pixel.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: values are read from {', '.join(SUFFIXES)}")
    if suffix == ".pfm":
        return Values(read_pfm(path), "floats")
    stored = {".npy": _npy, ".png": _picture, ".pgm": _picture}.get(suffix, _tiff)(path)
    if stored.ndim != 2 or stored.dtype.kind not in "fiu" or not stored.size:
        raise ValueError(
            f"{path}: one number a pixel is needed (got {stored.dtype} of shape {stored.shape})"
        )
    if suffix not in (".png", ".pgm"):
        pixels = stored.astype(np.float32)
        return Values(np.where(np.isfinite(pixels), pixels, np.float32(np.nan)), "floats")
    return _from_integers(stored, scale, unknown, steps)


def _from_integers(
    stored: NDArray[Any], scale: float | None, unknown: int | None, steps: int
) -> Values:
    deep = stored.dtype == np.uint16
    if unknown is None:
        unknown = 0 if deep else -1  # which no pixel holds
    pixels = in_pixels(stored, 1 / (scale or (steps if deep else 1)), unknown)
    return Values(pixels, "16 bits" if deep else "8 bits")


def _npy(path: Path) -> NDArray[Any]:
    import io

    try:
        return np.asarray(np.load(io.BytesIO(read_bytes(path)), allow_pickle=False))
    except (EOFError, OSError, ValueError) as error:
        raise ValueError(f"{path}: not an array that NumPy wrote ({error})") from None


def _tiff(path: Path) -> NDArray[Any]:
    import io

    import tifffile

    try:
        return np.asarray(tifffile.imread(io.BytesIO(read_bytes(path))))
    except (tifffile.TiffFileError, ValueError) as error:
        raise ValueError(f"{path}: not a TIFF that can be read ({error})") from None


def _picture(path: Path) -> NDArray[Any]:
    import cv2

    level = cv2.utils.logging.setLogLevel(0)  # our own line is enough
    stored = cv2.imdecode(np.frombuffer(read_bytes(path), np.uint8), cv2.IMREAD_UNCHANGED)
    cv2.utils.logging.setLogLevel(level)
    if stored is None:
        raise ValueError(f"{path}: truncated, damaged or no picture")
    return np.asarray(stored)
