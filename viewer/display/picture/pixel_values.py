"""Texts of pixel values, of one image or of two mixed images, to write into the pixels."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipeline import Image

DASH = "\N{EN DASH}"  # stands where there is no value
COLORS = "R G B"
MOST_DIGITS = 2  # after the point

Lines = tuple[str, ...]
Values = NDArray[np.generic]  # (H, W) as stored, or (H, W, channels) colours


@dataclass(frozen=True)
class ValueForm:
    """The format of an image's values as text.

    Attributes:
        digits: after the point.
        scale: multiplies a stored value into ``unit``.
        invalid: the stored value without meaning; non-finite values have none, either.
        unit: written once, in the first pixel; may be empty.
        labels: of labels, the name of each.
        ends: the smallest and the largest value expected, in ``unit``: there is room for both.
    """

    digits: int = 0
    scale: float = 1.0
    invalid: float | None = None
    unit: str = ""
    labels: Lines = ()
    ends: tuple[float, float] = (0.0, 255.0)

    @property
    def samples(self) -> Lines:
        """List the widest texts that values can have: all labels' words, or numbers of eights."""
        if self.labels:
            return tuple({word for label in self.labels for word in label.split()})
        wide = (f"{end:.{self.digits}f}" for end in self.ends)
        return tuple("".join("8" if c.isdigit() else c for c in text) for text in wide)

    def lines(self, stored: float | int, *, signed: bool = False) -> Lines:
        """Format a stored value, one line per word of a label; a dash if it has no meaning."""
        if not math.isfinite(stored) or stored == self.invalid:
            return (DASH,)
        if self.labels:
            known = 0 <= stored < len(self.labels)
            return tuple(self.labels[int(stored)].split()) if known else (DASH,)
        value = stored * self.scale
        text = f"{value:{'+' if signed else ''}.{self.digits}f}"
        return (text.lstrip("+-") if not text.strip("+-0.") else text,)


def digits_of(image: Image, low: float, high: float) -> int:
    """Return the number of decimals for an image's values in the range shown."""
    if image.dtype.startswith("float"):
        largest = max(abs(low), abs(high), 1e-6)
        return min(max(MOST_DIGITS - math.floor(math.log10(largest)), 0), MOST_DIGITS + 1)
    fits = (n for n in range(MOST_DIGITS) if float(image.scale * 10**n).is_integer())
    return next(fits, MOST_DIGITS)


def pixel_lines(form: ValueForm, values: Values, truth: Values | None = None) -> list[list[Lines]]:
    """Format the values of pixels, row by row, or their absolute errors against ``truth``."""
    if values.ndim == 3:
        return [[tuple(map(str, color[:3])) for color in row] for row in values.tolist()]
    if truth is None:
        return [[form.lines(value) for value in row] for row in values.tolist()]
    invalid = np.nan if form.invalid is None else form.invalid
    difference = np.abs(values.astype(np.float64) - truth.astype(np.float64))
    known = np.isfinite(difference) & (values != invalid)
    return [[form.lines(v) for v in row] for row in np.where(known, difference, np.nan).tolist()]


def difference_lines(
    forms: Sequence[ValueForm], values: Sequence[Values], *, signed: bool
) -> list[list[Lines]]:
    """Format the differences of two images, row by row; a dash where one has no value."""
    first, second = (
        np.where(v == f.invalid, np.nan, v) if f.invalid is not None else v.astype(np.float64)
        for f, v in zip(forms, values, strict=True)
    )
    difference = first - second if signed else np.abs(first - second)
    plain = ValueForm(forms[0].digits, forms[0].scale)
    return [[plain.lines(v, signed=signed) for v in row] for row in difference.tolist()]


def both_lines(first: list[list[Lines]], second: list[list[Lines]]) -> list[list[Lines]]:
    """Join the texts of two images, pixel by pixel, one below the other."""
    rows = zip(first, second, strict=True)
    return [[a + b for a, b in zip(*row, strict=True)] for row in rows]


def with_unit(lines: Lines, unit: str) -> Lines:
    """Add a unit to a pixel's lines of text: as the last line, or one word before each line."""
    words = unit.split()
    if len(words) == len(lines) > 1:
        return tuple(f"{word} {line}" for word, line in zip(words, lines, strict=True))
    return (*lines, unit) if unit else lines


def every(lines: list[list[Lines]]) -> Iterator[tuple[int, int, Lines]]:
    """Yield row, column and text lines of every pixel."""
    for row, of_row in enumerate(lines):
        for column, of_pixel in enumerate(of_row):
            yield row, column, of_pixel
