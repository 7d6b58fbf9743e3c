"""Formatting of image values at a pixel as rows of a table."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.panels.inspector.reading import Reading, readable_images
from wheatstone.viewer.words import spoken

DASH = "\N{EN DASH}"
"""Replaces a missing value."""


@dataclass(frozen=True)
class PixelRow:
    """One row of the table of values: a name, the values in results A and B, and their difference.

    Attributes:
        values: for each slot, in the unit.
        stored: for each slot, as stored; empty if that is the same.
        difference: A - B; empty if there is none.
        heading: whether this is the title of the rows below.
        absent: for each slot, why there is no value; empty if there is one.
        label: the name in labels over the picture; empty: they omit the row.
    """

    name: str
    values: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()
    difference: str = ""
    heading: bool = False
    help: str = ""
    absent: tuple[str, ...] = ()
    label: str = ""


def value_of(reading: Reading, image: Image) -> float | None:
    """Convert a pixel's stored value to the unit of its image; None if the pixel has no value."""
    stored = reading.stored.get(image.name)
    if stored is None or not math.isfinite(stored):
        return None
    if image.invalid and stored == image.invalid(reading.slot.params):
        return None
    return stored * image.scale


def image_rows(readings: Sequence[Reading]) -> Iterator[PixelRow]:
    """Yield a row of the table for every image that run A or B computes."""
    names: dict[str, None] = {}
    for reading in readings:
        known = {*reading.stored, *reading.absent}
        names |= {
            image.name: None for image in readable_images(reading.slot) if image.name in known
        }
    for name in names:
        yield _image_row(name, readings)


def _image_row(name: str, readings: Sequence[Reading]) -> PixelRow:
    having = [r for r in readings if name in r.stored or name in r.absent]
    image = having[0].slot.image(name)
    values = tuple(value_words(reading, name) for reading in readings)
    whole = image.scale != 1 and not image.dtype.startswith("float")
    stored = tuple(str(r.stored[name]) if name in r.stored and whole else "" for r in readings)
    compared = [value_of(r, r.slot.image(name)) if r in having else None for r in readings]
    places = {r.chosen.get(name) for r in having}
    are_words = any(_word(r.stored[name], image) for r in having if name in r.stored)
    comparable = not image.labels and not are_words and len(places) == 1
    difference = difference_of(compared, decimals(image)) if comparable else ""
    title = spoken(name)
    name = f"{title}, {image.unit}" if image.unit else title
    absent = tuple(reading.absent.get(image.name, "") for reading in readings)
    at = " At the chosen disparity, in pixels." if image.chosen_by else ""
    return PixelRow(name, values, stored, difference, help=image.help + at, absent=absent)


def value_words(reading: Reading, name: str) -> str:
    """Format the value of one image in result A or B; a dash if the run has no such image."""
    if name not in reading.stored:
        return DASH
    image, stored = reading.slot.image(name), reading.stored[name]
    if image.labels:
        return image.labels[int(stored)]
    value = value_of(reading, image)
    if value is None:
        return "no value"
    text = _word(stored, image) or number(value, decimals(image))
    if name not in reading.chosen:
        return text
    return f"{text} at {disparity_at(reading, name):g}"


def collapsed(rows: Sequence[PixelRow]) -> tuple[list[PixelRow], dict[str, list[str]]]:
    """Return the rows that have a value; and, by reason, the names of the rows without a value."""
    absent: dict[str, list[str]] = {}
    for row in rows:
        if row.absent and all(row.absent):
            absent.setdefault(", ".join(dict.fromkeys(row.absent)), []).append(row.name)
    return [row for row in rows if not (row.absent and all(row.absent))], absent


def _word(stored: int | float, image: Image) -> str:
    """Format a census word in hexadecimal digits; empty for an image of other values."""
    bits = image.dtype == "uint32" and not image.unit and not image.limits
    return f"{int(stored):08x}" if bits else ""


def disparity_at(reading: Reading, name: str) -> float:
    """Return the disparity in pixels for which an image with a disparity axis was read."""
    limits = next(
        (i.limits for i in reading.slot.pipeline.images if i.disparity and i.limits), None
    )
    low = limits(reading.slot.params)[0] if limits else 0
    return low + reading.chosen[name]


def decimals(image: Image) -> int:
    """Return the number of decimals that the values of an image need; -1 for floats."""
    if image.dtype.startswith("float"):
        return -1
    digits = 0
    while abs(image.scale * 10**digits - round(image.scale * 10**digits)) > 1e-9 and digits < 6:
        digits += 1
    return digits


def number(value: float | None, digits: int) -> str:
    """Format a value with a number of decimals (-1: six); a dash for None."""
    if value is None:
        return DASH
    return f"{value:.6f}" if digits < 0 else f"{value:.{digits}f}"


def numbers(values: Sequence[float | None], digits: int) -> tuple[str, ...]:
    """Format several values, each in the same way as ``number``."""
    return tuple(number(value, digits) for value in values)


def difference_of(values: Sequence[float | None], digits: int) -> str:
    """Format the value of A minus that of B with its sign; "0" if equal, empty if one is absent."""
    if len(values) != 2 or values[0] is None or values[1] is None:
        return ""
    difference = values[0] - values[1]
    text = f"{difference:+.{6 if digits < 0 else digits}f}"
    tiny = not text.strip("+-0.")
    return "0" if not difference else f"{difference:+.0e}" if tiny else text
