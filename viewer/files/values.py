"""Write the values of a result to a file that other programs read."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.parameters import Params
from gpu.pipeline import Image
from viewer.files.output import whole_file
from viewer.sources.value_files import KITTI_STEPS


def in_units(
    stored: NDArray[Any], image: Image, params: Params, invalid: float = np.nan
) -> NDArray[np.float32]:
    """Convert stored values to the image's unit: (H, W) float32, ``invalid`` for no result."""
    values = stored.astype(np.float32) * np.float32(image.scale)
    if image.invalid:
        values[stored == image.invalid(params)] = invalid
    return values


def write_values(path: Path, stored: NDArray[Any], image: Image, params: Params) -> None:
    """Write an image's values in the format its file name asks for.

    - ``.npy``, ``.tiff``: float32 in the image's unit, NaN where there is no result;
    - ``.pfm``: the same, infinity where there is no result (Middlebury's convention);
    - ``.png``: grey levels as they are; disparities in 16 bits, times 256, 0 where there is no
      result (KITTI's convention).

    Args:
        stored: (H, W) values as the pipeline's last stage wrote them.

    Raises:
        ValueError: unknown file name extension, or values that the format cannot hold.
        OSError: the file cannot be written.
    """
    writer = writer_for(path)
    with whole_file(path) as temporary:
        writer(temporary, stored, image, params)


def writer_for(path: Path) -> Callable[[Path, NDArray[Any], Image, Params], None]:
    """Look up the function that writes files of this suffix; raise ``ValueError`` if none does."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"{path}: values go to {', '.join(WRITERS)} (got {suffix or 'no suffix'})")
    return WRITERS[suffix]


def _npy(path: Path, stored: NDArray[Any], image: Image, params: Params) -> None:
    encoded = io.BytesIO()  # to a file NumPy writes by itself, and names no reason where it fails
    np.save(encoded, in_units(stored, image, params))
    path.write_bytes(encoded.getbuffer())


def _tiff(path: Path, stored: NDArray[Any], image: Image, params: Params) -> None:
    import tifffile

    encoded = io.BytesIO()
    tifffile.imwrite(encoded, in_units(stored, image, params))
    path.write_bytes(encoded.getbuffer())


def _pfm(path: Path, stored: NDArray[Any], image: Image, params: Params) -> None:
    values = in_units(stored, image, params, np.inf)
    header = f"Pf\n{values.shape[1]} {values.shape[0]}\n-1.0\n"  # negative: little endian
    path.write_bytes(header.encode() + values[::-1].astype("<f4").tobytes())  # bottom row first


def _png(path: Path, stored: NDArray[Any], image: Image, params: Params) -> None:
    import cv2

    pixels = stored if stored.dtype == np.uint8 else kitti(in_units(stored, image, params))
    _, encoded = cv2.imencode(".png", pixels)
    path.write_bytes(encoded.tobytes())


def table(values: NDArray[Any], image: Image) -> str:
    """Write an image that is a table as text: tabs between columns, empty rows left out.

    Args:
        values: (rows, columns) as the pipeline wrote them; the last column is 0 in empty rows.
    """
    rows = [[f"{value:.6g}" for value in row[:-1]] for row in values if row[-1]]
    return "\n".join("\t".join(row) for row in [list(image.columns[:-1]), *rows])


def kitti(disparity: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Convert disparities in pixels to KITTI's storage: times 256 in 16 bits, 0 for NaN.

    A disparity that would be stored as 0 is stored as 1, so that it stays valid.

    Raises:
        ValueError: a disparity is negative or too large for 16 bits.
    """
    stored = np.round(disparity * np.float32(KITTI_STEPS))
    low, high = np.nanmin(stored, initial=0), np.nanmax(stored, initial=0)
    if low < 0 or high > 65535:
        raise ValueError(
            "KITTI's PNG holds disparities from 0 to 255.99 px "
            f"(got {low / KITTI_STEPS:g} to {high / KITTI_STEPS:g}); use .pfm, .npy or .tiff"
        )
    valid = ~np.isnan(stored)
    pixels = np.zeros(disparity.shape, np.uint16)
    pixels[valid] = np.maximum(stored[valid], 1)
    return pixels


WRITERS = {".npy": _npy, ".pfm": _pfm, ".tiff": _tiff, ".tif": _tiff, ".png": _png}
