"""Writing of a result's values to files that other programs read."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.io.cameras.calibration import said_unit
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.sources.value_files import KITTI_STEPS

METRES = "m"
MOST_16_BITS = 65535


def in_units(
    stored: NDArray[Any], image: Image, params: Params, invalid: float = np.nan
) -> NDArray[np.float32]:
    """Convert stored values to the image's unit: (H, W) float32, ``invalid`` without a result."""
    values = stored.astype(np.float32) * np.float32(image.scale)
    if image.invalid:
        nothing = image.invalid(params)
        values[np.isnan(values) if np.isnan(nothing) else stored == nothing] = invalid
    return values


def write_values(path: Path, stored: NDArray[Any], image: Image, params: Params) -> str:
    """Write an image's values in the format of the file name's suffix.

    - ``.npy``, ``.tiff``: float32 in the image's unit, NaN where there is no result;
    - ``.pfm``: the same, infinity where there is no result (Middlebury's convention);
    - ``.png``: grey levels unchanged; disparities in 16 bits, times 256, 0 where there is no
      result (KITTI's convention); depths in 16 bits, in thousandths of their unit, 0 where there is
      no result or it does not fit.

    Args:
        stored: (H, W) values as written by a stage.
        image: its declaration, an image of depths in the unit of the calibration.

    Returns:
        A note on the unit of depths and on values that do not fit; empty for other images.

    Raises:
        ValueError: unknown suffix, or values that the format cannot hold.
        OSError: the file cannot be written.
    """
    writer = writer_for(path)
    with whole_file(path) as temporary:
        writer(temporary, stored, image, params)
    return _said_of_depths(path, stored, image) if image.depths else ""


def _said_of_depths(path: Path, stored: NDArray[Any], image: Image) -> str:
    """Return a note with the unit of depths, and the number of those that a PNG cannot hold."""
    if path.suffix.lower() != ".png":
        return f"{image.name} in {said_unit(image.unit)}"
    unit = "mm" if image.unit == METRES else f"thousandths ({image.unit})"
    lost = np.count_nonzero(np.isfinite(stored)) - np.count_nonzero(thousandths(stored))
    largest = MOST_16_BITS / 1000
    said = f"; {lost:,} do not fit in {largest:g} {said_unit(image.unit)} and are 0" if lost else ""
    return f"{image.name} in {unit}, 0: none{said}"


def writer_for(path: Path) -> Callable[[Path, NDArray[Any], Image, Params], None]:
    """Return the function that writes files of a suffix; raise ``ValueError`` for unknown ones."""
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
    unit = f", {image.unit}" if image.unit else ""
    tifffile.imwrite(encoded, in_units(stored, image, params), description=f"{image.name}{unit}")
    path.write_bytes(encoded.getbuffer())


def _pfm(path: Path, stored: NDArray[Any], image: Image, params: Params) -> None:
    values = in_units(stored, image, params, np.inf)
    header = f"Pf\n{values.shape[1]} {values.shape[0]}\n-1.0\n"  # negative: little endian
    path.write_bytes(header.encode() + values[::-1].astype("<f4").tobytes())  # bottom row first


def _png(path: Path, stored: NDArray[Any], image: Image, params: Params) -> None:
    import cv2

    if image.depths:
        pixels = thousandths(stored)
    else:
        pixels = stored if stored.dtype == np.uint8 else kitti(in_units(stored, image, params))
    _, encoded = cv2.imencode(".png", pixels)
    path.write_bytes(encoded.tobytes())


def table(values: NDArray[Any], image: Image) -> str:
    """Format an image that is a table as text: tabs between columns, without empty rows.

    Args:
        values: (rows, columns) as written by the pipeline; the last column is 0 in empty rows.
    """
    rows = [[f"{value:.6g}" for value in row[:-1]] for row in values if row[-1]]
    return "\n".join("\t".join(row) for row in [list(image.columns[:-1]), *rows])


def thousandths(depths: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Convert depths to thousandths of their unit in 16 bits; 0 for invalid or too large ones."""
    steps = np.round(np.nan_to_num(depths.astype(np.float64) * 1000, nan=0, posinf=0))
    return np.where(steps <= MOST_16_BITS, steps, 0).astype(np.uint16)


def kitti(disparity: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Convert disparities in pixels to KITTI's encoding: times 256 in 16 bits, 0 for NaN.

    A disparity that would be stored as 0 is stored as 1, so that it stays valid.

    Raises:
        ValueError: a disparity is negative or too large for 16 bits.
    """
    stored = np.round(disparity * np.float32(KITTI_STEPS))
    low, high = np.nanmin(stored, initial=0), np.nanmax(stored, initial=0)
    if low < 0 or high > MOST_16_BITS:
        raise ValueError(
            "KITTI's PNG holds disparities from 0 to 255.99 px "
            f"(got {low / KITTI_STEPS:g} to {high / KITTI_STEPS:g}); use .pfm, .npy or .tiff"
        )
    valid = ~np.isnan(stored)
    pixels = np.zeros(disparity.shape, np.uint16)
    pixels[valid] = np.maximum(stored[valid], 1)
    return pixels


WRITERS = {".npy": _npy, ".pfm": _pfm, ".tiff": _tiff, ".tif": _tiff, ".png": _png}
