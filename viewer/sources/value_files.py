"""Files of values, ours and other programs': disparities, edges or scores, one number a pixel."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gpu.analysis.metrics import in_pixels
from viewer.sources.decoding import decode_with_opencv
from viewer.sources.images import read_bytes

Encoding = Literal["floats", "8 bits", "16 bits"]
SUFFIXES = (".pfm", ".npy", ".tiff", ".tif", ".png", ".pgm")
PFM_HEADER = re.compile(rb"Pf\s+(\d+)\s+(\d+)\s+(-?[\d.eE+-]+)\s")
KITTI_STEPS = 256  # stored values per pixel of disparity in KITTI's 16-bit PNG


@dataclass(frozen=True)
class Coding:
    """How whole numbers hold values.

    Attributes:
        scale: what a stored number is divided by.
        unknown: the stored number that means no result; None: there is none.
    """

    scale: float = 1
    unknown: int | None = None


PLAIN = Coding()
KITTI = Coding(KITTI_STEPS, 0)


@dataclass(frozen=True, eq=False)
class Values:
    """What a file of values holds.

    Attributes:
        pixels: (H, W), NaN where there is no result.
    """

    pixels: NDArray[np.float32]
    encoding: Encoding


def read_values(path: Path, eight: Coding = PLAIN, sixteen: Coding = KITTI) -> Values:
    """Read a file of values.

    ``.pfm``, ``.npy`` and ``.tiff`` hold numbers as they are, and what is not finite is no result;
    ``.png`` and ``.pgm`` hold whole numbers of 8 or 16 bits.

    Args:
        eight, sixteen: how those of 8 and 16 bits hold values.

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
    if suffix in (".png", ".pgm"):
        deep = stored.dtype == np.uint16
        coding = sixteen if deep else eight
        unknown = -1 if coding.unknown is None else coding.unknown  # no pixel holds -1
        pixels = in_pixels(stored, 1 / coding.scale, unknown)
        return Values(pixels, "16 bits" if deep else "8 bits")
    pixels = stored.astype(np.float32)
    return Values(np.where(np.isfinite(pixels), pixels, np.float32(np.nan)), "floats")


def read_pfm(path: Path) -> NDArray[np.float32]:
    """Read a one-channel PFM, stored bottom row first; NaN where a value is not finite.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is something else, or truncated.
    """
    encoded = read_bytes(path)
    header = PFM_HEADER.match(encoded)
    if header is None:
        raise ValueError(
            f"{path}: expected a one-channel PFM, found another header; remove it or replace it"
        )
    width, height, scale = int(header[1]), int(header[2]), float(header[3])
    body = encoded[header.end() :]
    if len(body) < width * height * 4:
        raise ValueError(
            f"{path}: truncated ({len(body)} of {width * height * 4} bytes); "
            "replace it by a whole file"
        )
    stored = np.frombuffer(body, "<f4" if scale < 0 else ">f4", width * height).reshape(
        height, width
    )
    return np.where(np.isfinite(stored), stored, np.nan).astype(np.float32)[::-1].copy()


def _npy(path: Path) -> NDArray[Any]:
    import io

    try:
        return np.asarray(np.load(io.BytesIO(read_bytes(path)), allow_pickle=False))
    except (EOFError, OSError, ValueError) as error:
        raise ValueError(f"{path}: not an array that NumPy wrote ({error})") from None


def _tiff(path: Path) -> NDArray[Any]:
    import imageio.v3 as imageio

    encoded = read_bytes(path)
    try:
        return np.asarray(imageio.imread(encoded, plugin="tifffile", index=0))
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not a TIFF that can be read ({_reason(error)})") from None


def _reason(error: BaseException) -> BaseException:
    """Find the error that tifffile raised: imageio hides it behind two that say less."""
    from imageio.core.request import InitializationError

    while isinstance(error, OSError | InitializationError):
        hidden = error.__cause__ or error.__context__
        if hidden is None:
            break
        error = hidden
    return error


def _picture(path: Path) -> NDArray[Any]:
    # Not through imageio's Pillow plugin, which scales a PGM of fewer bits up to 8 or 16.
    stored = decode_with_opencv(read_bytes(path))
    if stored is None:
        raise ValueError(f"{path}: truncated, damaged or no picture")
    return stored
