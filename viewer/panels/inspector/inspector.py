"""What there is to say about a pixel, as a table of words."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpu.pipeline import Image
from viewer.panels.inspector.look import Look
from viewer.panels.inspector.pixel_rows import (
    DASH,
    Row,
    apart_of,
    decimals,
    each,
    image_rows,
    number,
    value_of,
)
from viewer.panels.inspector.reading import Pixel, Reading
from viewer.screen.layout import Hit
from viewer.sources import Frame, Source


@dataclass(frozen=True)
class Levels:
    """What a view of the source has at a pixel: in words, and as red, green and blue."""

    name: str
    text: str
    color: tuple[int, int, int] | None = None


def pixel_of(hit: Hit | None, height: int, width: int) -> Pixel | None:
    """The pixel of an image of this size that lies under the cursor, if any."""
    if not hit:
        return None
    row, column = math.floor(hit.row), math.floor(hit.column)
    return (row, column) if 0 <= row < height and 0 <= column < width else None


def pinned(look: Look, hit: Hit | None, source: Source) -> Look:
    """With the pixel under the cursor pinned; with none, where it is pinned already or none is."""
    pixel = pixel_of(hit, source.height, source.width)
    return replace(look, pin=None if look.pin == pixel else pixel)


def source_levels(readings: Sequence[Reading], frame: Frame, pixel: Pixel) -> list[Levels]:
    """Colours or grey levels of the views, of the right one at the matching pixels too."""
    row, column = pixel
    found = [levels("left", frame.left, row, column)]
    if frame.right is None:
        return found
    found.append(levels("right, same place", frame.right, row, column))
    places: dict[int, str] = {}
    for reading in readings:
        value = disparity(reading)
        if value is not None:
            place = round(column - value)
            places[place] = places.get(place, "") + reading.letter.upper()
    for place, letters in places.items():
        of = f" of {letters}" if len(letters) < len(readings) else ""
        found.append(levels(f"right, match{of}", frame.right, row, place))
    return found


def levels(name: str, pixels: NDArray[np.uint8], row: int, column: int) -> Levels:
    """Red, green and blue of a pixel, or its grey level; a dash outside."""
    if not 0 <= column < pixels.shape[1]:
        return Levels(name, DASH)
    found = pixels[row, column].tolist()
    if pixels.ndim == 2:
        return Levels(name, f"{found:d}", (found,) * 3)
    return Levels(name, " ".join(f"{level:3d}" for level in found), tuple(found))


def table(readings: Sequence[Reading], frame: Frame, pixel: Pixel) -> list[Row]:
    """All that the slots have to say.

    Args:
        readings: of A and of B, as far as they are computed.
        frame: what they computed.
    """
    rows = []
    if any(disparity_image(reading) for reading in readings):
        rows += [Row("Disparity", heading=True), *space_rows(readings, frame, pixel)]
    return [*rows, Row("Images", heading=True), *image_rows(readings)]


def disparity_image(reading: Reading) -> Image | None:
    """The image that is the slot's disparity: its output, if that is one."""
    image = reading.slot.pipeline.image(reading.slot.pipeline.output)
    return image if image.disparity else None


def disparity(reading: Reading) -> float | None:
    """The slot's disparity in pixels; None where there is none."""
    image = disparity_image(reading)
    return value_of(reading, image) if image else None


def space_rows(readings: Sequence[Reading], frame: Frame, pixel: Pixel) -> Iterator[Row]:
    """Disparity, the matching pixel, and with a calibration the place in space."""
    row, column = pixel
    found = [disparity(reading) for reading in readings]
    images = [disparity_image(reading) for reading in readings]
    image = next(image for image in images if image)
    digits = decimals(image)
    both = zip(readings, images, strict=True)
    stored = tuple(str(r.stored.get(i.name, "")) if i else "" for r, i in both)
    yield Row("disparity, px", each(found, digits), stored, apart_of(found, digits))
    places = [None if d is None else column - d for d in found]
    yield Row(
        "match at x, px", each(places, digits), help="column in the right view: x - disparity"
    )
    yield from _reasons(readings)
    if frame.truth is not None:
        truth = float(frame.truth[row, column])
        known = None if math.isnan(truth) else truth
        yield Row("ground truth, px", (number(known, digits),) * len(readings))
        errors = [None if d is None or known is None else d - known for d in found]
        yield Row("error, px", tuple(DASH if e is None else f"{e:+.{digits}f}" for e in errors))
    yield from _places(frame, pixel, found)


def _reasons(readings: Sequence[Reading]) -> Iterator[Row]:
    """Why pixels were rejected, if one was."""
    said = [reason(reading) for reading in readings]
    if any(said):
        yield Row("rejected by", tuple(word or DASH for word in said))


def reason(reading: Reading) -> str:
    """Why the pixel was rejected, whether or not it was filled later; empty if it was not."""
    image = disparity_image(reading)
    explained = image.explained_by if image else ""
    if explained not in reading.stored:
        return ""
    label = int(reading.stored[explained])
    return reading.slot.pipeline.image(explained).labels[label] if label else ""


def _places(frame: Frame, pixel: Pixel, found: Sequence[float | None]) -> Iterator[Row]:
    """X, Y and Z; without a calibration what is missing."""
    known, (row, column) = frame.calibration, pixel
    if not known:
        yield Row("depth", ("no calibration",) * len(found))
        return
    points = [None if d is None else known.point(column, row, d) for d in found]
    for axis in (2, 0, 1):
        name = ("X right", "Y down", "Z ahead")[axis]
        values = [point[axis] if point else None for point in points]
        yield Row(f"{name}, {known.unit}", each(values, 3), apart=apart_of(values, 3))
