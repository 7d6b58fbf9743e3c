"""Writing of a pipeline result's values to files that other programs read."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.io.cameras.calibration import unit_text
from wheatstone.viewer.io.files.output import write_whole
from wheatstone.viewer.io.files.png_file import FASTEST, encode_png
from wheatstone.viewer.io.sources.georeference import Georeference
from wheatstone.viewer.io.sources.own_results import KEYWORD, PROGRAM, npy_header, pfm_header
from wheatstone.viewer.io.sources.value_files import KITTI_STEPS

METRES = "m"
MOST_16_BITS = 65535


def in_units(
    stored: NDArray[Any], image: Image, params: Params, invalid: float = np.nan
) -> NDArray[np.float32]:
    """Convert stored values to the image's unit: (H, W) float32, ``invalid`` for invalid pixels."""
    values = stored.astype(np.float32)
    values *= np.float32(image.scale)
    if image.invalid:
        nothing = image.invalid(params)
        absent = np.isnan(values) if np.isnan(nothing) else stored == nothing
        if stored.dtype.kind == "f":
            np.copyto(values, np.float32(invalid), where=absent)
        else:  # all of them have the same bits; a copy only where they are takes twice as long
            converted = np.float32(nothing) * np.float32(image.scale)
            change = np.bitwise_xor(converted.view(np.int32), np.float32(invalid).view(np.int32))
            bits = values.view(np.int32)
            bits ^= absent * change
    return values


def valid_pixels(stored: NDArray[Any], image: Image, params: Params) -> NDArray[np.bool_]:
    """Return a mask of the pixels that have a finite value: (H, W)."""
    if stored.dtype.kind == "f":
        return np.isfinite(in_units(stored, image, params))
    nothing = image.invalid(params) if image.invalid else np.nan
    return np.ones(stored.shape, bool) if np.isnan(nothing) else stored != nothing


@dataclass(frozen=True)
class _Values:
    """The values of an image to write to a file, with the properties of that file."""

    stored: NDArray[Any]
    image: Image
    params: Params
    png_level: int
    georeference: Georeference | None

    def in_units(self, invalid: float = np.nan) -> NDArray[np.float32]:
        return in_units(self.stored, self.image, self.params, invalid)

    @property
    def note(self) -> str:
        """Return a note that states the unit, if the image shows depths; else an empty text."""
        return f"{self.image.name} in {unit_text(self.image.unit)}" if self.image.depths else ""


Encoded = tuple[list[Any], str]
"""The parts of a file, each with the buffer protocol, and a note for the user."""


def write_values(
    path: Path,
    stored: NDArray[Any],
    image: Image,
    params: Params,
    png_level: int = FASTEST,
    georeference: Georeference | None = None,
) -> str:
    """Write an image's values to a file in the format that its suffix denotes.

    - ``.npy``, ``.tiff``: float32 in the image's unit, NaN where there is no result; a TIFF has
      the georeference of the left view, unless the image belongs to the right view;
    - ``.pfm``: the same, infinity where there is no result (Middlebury's convention);
    - ``.png``: grey levels unchanged; disparities in 16 bits, times 256, 0 where there is no
      result (KITTI's convention); depths in 16 bits, in thousandths of their unit, 0 where there is
      no result or it does not fit.

    Every file has the mark of ``own_results``, by which it is not taken for ground truth.

    Args:
        stored: (H, W) values as written by a stage.
        image: its declaration, an image of depths in the unit of the calibration.
        png_level: how much a PNG is compressed, as for ``encode_png``.
        georeference: of the left view; None: there is none.

    Returns:
        A note on the unit of depths and on values that do not fit; empty for other images.

    Raises:
        ValueError: unknown suffix, or values that the format cannot hold.
        OSError: the file cannot be written.
    """
    parts, note = writer_for(path)(_Values(stored, image, params, png_level, georeference))
    write_whole(path, parts)
    return note


def writer_for(path: Path) -> Callable[[_Values], Encoded]:
    """Return the function that encodes values for a path's suffix, such as ``.npy``.

    Raises:
        ValueError: no values can be written to files with this suffix.
    """
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"{path}: values go to {', '.join(WRITERS)} (got {suffix or 'no suffix'})")
    return WRITERS[suffix]


def _npy(values: _Values) -> Encoded:
    pixels = values.in_units()
    return [npy_header(*pixels.shape), pixels], values.note


def _tiff(values: _Values) -> Encoded:
    import tifffile

    encoded, image = io.BytesIO(), values.image
    unit = f", {image.unit}" if image.unit else ""
    place = None if image.name.startswith("right") else values.georeference
    tags = place.extra_tags if place else []
    tifffile.imwrite(  # as BigTIFF, where that is needed
        encoded,
        values.in_units(),
        description=f"{image.name}{unit}",
        software=PROGRAM,
        extratags=tags,
    )
    return [encoded.getbuffer()], values.note


def _pfm(values: _Values) -> Encoded:
    pixels = values.in_units(np.inf)
    return [pfm_header(*pixels.shape), pixels[::-1].astype("<f4")], values.note  # bottom row first


def _png(values: _Values) -> Encoded:
    stored, image = values.stored, values.image
    note = values.note
    if image.depths:
        pixels = thousandths(stored)
        note = _note_on_depths(values, pixels)
    elif stored.dtype == np.uint8:
        pixels = stored
    else:
        pixels = kitti_of(stored, image, values.params)
    return [encode_png(pixels, values.png_level, {KEYWORD: PROGRAM})], note


def _note_on_depths(values: _Values, pixels: NDArray[np.uint16]) -> str:
    """Return a note for a PNG of depths, with the unit and the number of depths above 16 bits."""
    image = values.image
    unit = "mm" if image.unit == METRES else f"thousandths ({image.unit})"
    lost = np.count_nonzero(np.isfinite(values.stored)) - np.count_nonzero(pixels)
    largest = MOST_16_BITS / 1000
    warning = (
        f"; {lost:,} do not fit in {largest:g} {unit_text(image.unit)} and are 0" if lost else ""
    )
    return f"{image.name} in {unit}, 0: none{warning}"


def table(values: NDArray[Any], image: Image) -> str:
    """Format a table of values as text: column names and non-empty rows, separated by tabs.

    Args:
        values: (rows, columns) as written by the pipeline; the last column is 0 in empty rows.
    """
    rows = [[f"{value:.6g}" for value in row[:-1]] for row in values if row[-1]]
    return "\n".join("\t".join(row) for row in [list(image.columns[:-1]), *rows])


def thousandths(depths: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Convert depths to thousandths of their unit in 16 bits; 0 for invalid or too large ones."""
    steps = depths.astype(np.float64)
    steps *= 1000
    np.rint(steps, out=steps)
    stored = np.zeros(depths.shape, np.uint16)
    np.copyto(stored, steps, where=steps <= MOST_16_BITS, casting="unsafe")  # NaN is not
    return stored


def kitti_of(stored: NDArray[Any], image: Image, params: Params) -> NDArray[np.uint16]:
    """Convert stored disparities to KITTI's encoding; integers need no conversion to floats."""
    factor = image.scale * KITTI_STEPS
    if stored.dtype != np.int16 or not 1 <= factor <= MOST_16_BITS or factor % 1:
        return kitti(in_units(stored, image, params))
    valid = valid_pixels(stored, image, params)
    known = np.where(valid, stored, np.int16(0))
    _check_range(int(known.min(initial=0)) * factor, int(known.max(initial=0)) * factor)
    pixels = known.view(np.uint16)
    pixels *= np.uint16(factor)
    return np.maximum(pixels, valid, out=pixels, casting="unsafe")


def kitti(disparity: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Convert disparities in pixels to KITTI's encoding: times 256 in 16 bits, 0 for NaN.

    A disparity that would be stored as 0 is stored as 1, so that it stays valid.

    Raises:
        ValueError: a disparity is negative or too large for 16 bits.
    """
    stored = np.round(disparity * np.float32(KITTI_STEPS))
    _check_range(np.nanmin(stored, initial=0), np.nanmax(stored, initial=0))
    valid = ~np.isnan(stored)
    pixels = np.zeros(disparity.shape, np.uint16)
    pixels[valid] = np.maximum(stored[valid], 1)
    return pixels


def _check_range(low: float, high: float) -> None:
    """Raise ``ValueError`` if disparities in KITTI's encoding do not fit in 16 bits."""
    if low < 0 or high > MOST_16_BITS:
        raise ValueError(
            "KITTI's PNG holds disparities from 0 to 255.99 px "
            f"(got {low / KITTI_STEPS:g} to {high / KITTI_STEPS:g}); use .pfm, .npy or .tiff"
        )


WRITERS = {".npy": _npy, ".pfm": _pfm, ".tiff": _tiff, ".tif": _tiff, ".png": _png}
