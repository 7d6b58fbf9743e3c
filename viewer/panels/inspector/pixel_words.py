"""Texts for a pixel in the inspector: colours of the source, disparity, position, images."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.display.picture.layout import Hit
from wheatstone.viewer.io.cameras.rows import RowError
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.panels.inspector.pixel_rows import (
    DASH,
    PixelRow,
    decimals,
    difference_of,
    image_rows,
    numbers,
    value_of,
)
from wheatstone.viewer.panels.inspector.reading import Pixel, Reading

LEFT, RIGHT = 0, 1  # views of a frame


@dataclass(frozen=True)
class Levels:
    """The colour of a pixel in one view of the source, as text and as red, green and blue."""

    name: str
    text: str
    color: tuple[int, int, int] | None = None


def pixel_of(hit: Hit | None, height: int, width: int) -> Pixel | None:
    """Return the pixel of an image under the cursor; None outside the image."""
    if not hit:
        return None
    row, column = math.floor(hit.row), math.floor(hit.column)
    return (row, column) if 0 <= row < height and 0 <= column < width else None


def pinned(look: Look, hit: Hit | None, source: Source) -> Look:
    """Pin the pixel under the cursor; without a pixel, or on the pinned pixel, unpin instead."""
    pixel = pixel_of(hit, source.height, source.width)
    return replace(look, pin=None if look.pin == pixel else pixel)


def with_pin(look: Look, pixel: Pixel) -> Look:
    """Add a pixel to the pinned ones, or remove it. Raises ``ValueError`` if there are too many."""
    others = tuple(other for other in look.pins if other != pixel)
    return replace(look, pins=others if pixel in look.pins else (*others, pixel))


def source_levels(
    readings: Sequence[Reading], frames: Sequence[Frame], pixel: Pixel
) -> list[Levels]:
    """List the colours of both views at a pixel, and of the right view at its matching pixels.

    Args:
        frames: for each slot, its input frame; the source's if nothing is computed.
    """
    levels_of_all: list[Levels] = []
    for frame in {id(frame): frame for frame in frames}.values():
        own = [r for r, its in zip(readings, frames, strict=False) if its is frame]
        levels_of_all += _levels_of_frame(own, len(readings), frame, pixel)
    return levels_of_all


def _levels_of_frame(
    readings: Sequence[Reading], slots: int, frame: Frame, pixel: Pixel
) -> Iterator[Levels]:
    """Yield the colours at a pixel for the runs (A, B) that read a frame.

    The slots are named unless all show the frame. A file of values has no colours.
    """
    if frame.values is not None:
        return
    row, column = pixel
    of_slots = _of([reading.letter for reading in readings], slots)
    yield levels(f"left{of_slots}", frame, LEFT, pixel)
    if not frame.is_pair:
        return
    yield levels(f"right, same place{of_slots}", frame, RIGHT, pixel)
    places: dict[int, list[str]] = {}
    for reading in readings:
        value = disparity(reading)
        if value is not None:
            places.setdefault(round(column - value), []).append(reading.letter)
    for place, letters in places.items():
        yield levels(f"right, match{_of(letters, slots)}", frame, RIGHT, (row, place))


def _of(letters: Sequence[str], slots: int) -> str:
    """Return " of" and the letters of some runs; empty if these are all runs (A and B)."""
    return f" of {''.join(letters).upper()}" if len(letters) < slots else ""


def levels(name: str, frame: Frame, side: int, pixel: Pixel) -> Levels:
    """Read the colour or grey level of a pixel of a view; a dash outside the image.

    Of a source with 16 bits, the stored numbers follow.
    """
    row, column = pixel
    if not 0 <= column < frame.shape[1]:
        return Levels(name, DASH)
    value = frame.pixel(side, row, column).tolist()
    deep = frame.deep_pixel(side, row, column)
    stored = "" if deep is None else f" (16 bit: {' '.join(map(str, np.ravel(deep)))})"
    if isinstance(value, int):
        return Levels(name, f"{value:d}{stored}", (value,) * 3)
    return Levels(name, " ".join(f"{level:3d}" for level in value) + stored, tuple(value))


def table(
    readings: Sequence[Reading],
    frames: Sequence[Frame],
    pixel: Pixel,
    row_error: RowError | None = None,
) -> list[PixelRow]:
    """List the rows of the inspector's table: disparity and position in space, then every image."""
    rows = []
    if any(disparity_image(reading) for reading in readings):
        rows += [PixelRow("Disparity", heading=True), *space_rows(readings, frames, pixel)]
    if row_error:
        rows.append(rows_row(row_error, len(readings)))
    rows += raw_rows(frames[: len(readings)], pixel)
    return [*rows, PixelRow("Images", heading=True), *image_rows(readings)]


def raw_rows(frames: Sequence[Frame], pixel: Pixel) -> list[PixelRow]:
    """List the rows with a rectified pixel's position in the unrectified views, by run (A, B)."""
    maps = [frame.raw.rectification if frame.raw else None for frame in frames]
    if not any(maps):
        return []
    help = "Column and row of the pixel in the view before rectification."
    rows = []
    for name in ("left", "right"):
        places = [
            getattr(rectification, name).at(*pixel) if rectification else None
            for rectification in maps
        ]
        words = tuple(f"{place[1]:.2f}, {place[0]:.2f}" if place else DASH for place in places)
        rows.append(PixelRow(f"{name}, raw", words, help=help))
    return rows


def rows_row(difference: RowError, slots: int) -> PixelRow:
    """Build the row with the vertical offset between both views, the same for runs A and B."""
    text = f"{difference.median:.2f} / {difference.p95:.2f} px" if difference.known else "unknown"
    help = "The offset in rows of matching points of left and right, all over the views: 0 px "
    help += f"where they are rectified. {difference.count} points match. {difference.cause}"
    return PixelRow("rows, median / p95", (text,) * slots, help=help.strip())


def disparity_image(reading: Reading) -> Image | None:
    """Return the output image of run A or B if it holds disparities, else None."""
    image = reading.slot.pipeline.image(reading.slot.pipeline.output)
    return image if image.disparity else None


def disparity(reading: Reading) -> float | None:
    """Return the disparity of run A or B at a pixel, in pixels; None without one."""
    image = disparity_image(reading)
    return value_of(reading, image) if image else None


def space_rows(
    readings: Sequence[Reading], frames: Sequence[Frame], pixel: Pixel
) -> Iterator[PixelRow]:
    """Yield the rows of disparity, matching pixel, truth, and, if calibrated, position in space."""
    column = pixel[1]
    disparities = [disparity(reading) for reading in readings]
    images = [disparity_image(reading) for reading in readings]
    image = next(image for image in images if image)
    digits = decimals(image)
    both = zip(readings, images, strict=True)
    stored = tuple(str(r.stored.get(i.name, "")) if i else "" for r, i in both)
    difference = difference_of(disparities, digits)
    yield PixelRow(
        "disparity, px", numbers(disparities, digits), stored, difference, label="disparity"
    )
    places = [None if d is None else column - d for d in disparities]
    yield PixelRow(
        "match at x, px", numbers(places, digits), help="column in the right view: x - disparity"
    )
    yield from _reasons(readings)
    if any(frame.truth is not None for frame in frames):
        truths = [math.nan if f.truth is None else float(f.truth[pixel]) for f in frames]
        known = [None if math.isnan(truth) else truth for truth in truths]
        yield PixelRow("ground truth, px", numbers(known, digits), label="truth")
        pairs = zip(disparities, known, strict=True)
        errors = [None if d is None or t is None else d - t for d, t in pairs]
        texts = tuple(DASH if e is None else f"{e:+.{digits}f}" for e in errors)
        yield PixelRow("error, px", texts, label="error")
    yield from _places(frames, pixel, disparities)


def _reasons(readings: Sequence[Reading]) -> Iterator[PixelRow]:
    """Yield a row, for runs A and B, with the check that rejected the pixel; and if it was filled.

    Yields nothing if no check did.
    """
    reasons = [reason(reading) for reading in readings]
    filled = ["; filled" if disparity(reading) is not None else "" for reading in readings]
    if any(reasons):
        texts = (f"{why}{then}" if why else DASH for why, then in zip(reasons, filled, strict=True))
        help = "the check that rejected the disparity; filled: other pixels or frames replaced it"
        yield PixelRow("rejected by", tuple(texts), help=help)


def reason(reading: Reading) -> str | None:
    """Return the check that rejected a pixel, even if it was filled later; empty if none did.

    None if the slot does not have the image of the reasons, or not yet.
    """
    image = disparity_image(reading)
    explained = image.explained_by if image else ""
    if explained not in reading.stored:
        return None
    label = int(reading.stored[explained])
    return reading.slot.pipeline.image(explained).labels[label] if label else ""


def _places(
    frames: Sequence[Frame], pixel: Pixel, disparities: Sequence[float | None]
) -> Iterator[PixelRow]:
    """Yield the rows of X, Y and Z; without a calibration, a row that reports this."""
    known, (row, column) = frames[0].calibration, pixel
    if not known:
        yield PixelRow("depth", ("no calibration",) * len(disparities))
        return
    points = [
        frame.calibration.point(column, row, d) if frame.calibration and d is not None else None
        for frame, d in zip(frames, disparities, strict=True)
    ]
    for axis in (2, 0, 1):
        name = ("X right", "Y down", "Z ahead")[axis]
        values = [point[axis] if point else None for point in points]
        difference, label = difference_of(values, 3), "depth" if axis == 2 else ""
        yield PixelRow(
            f"{name}, {known.unit}", numbers(values, 3), difference=difference, label=label
        )
