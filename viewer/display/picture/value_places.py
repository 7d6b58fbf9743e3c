"""Layout of pixel values as text: characters, sizes and positions over the picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.display.picture.layout import Axis, Cell
from wheatstone.viewer.display.picture.pixel_values import DASH, Lines, every, with_unit

SMALLEST, LARGEST = 9, 15  # text, in pixels of an unscaled screen
LEAST = 28  # pixels of the screen that a pixel of an image takes, if values are written into it
RIM = 2  # pixels of an unscaled screen beside a text
CHARACTERS = "".join(map(chr, range(32, 127))) + DASH
ENTRY = 8  # numbers of an entry, as shaders/value.vert reads them
NO_CHARACTER = -1  # of a line

Placed = tuple[int, int, int, int, int, int, int, int]


@dataclass(frozen=True, eq=False)
class Characters:
    """The characters of one size, drawn side by side in one image.

    Attributes:
        coverage: (H, W) uint8: how much of a texel is ink.
        places: by character, its left end and its width in ``coverage``.
        height: of a digit, which begins at the top; letters may reach below it.
    """

    coverage: NDArray[np.uint8]
    places: dict[str, tuple[int, int]]
    height: int

    @property
    def pitch(self) -> int:
        """Return the distance between lines of text in pixels."""
        return round(1.3 * self.height)

    def width(self, text: str) -> int:
        """Return the width of a text in pixels."""
        return sum(self.places[c][1] for c in text if c in self.places)


@lru_cache(maxsize=8)
def characters(size: int) -> Characters:
    """Draw all characters in a size given in pixels, side by side in one image."""
    font = ImageFont.load_default(size)
    widths = [max(round(font.getlength(c)), 1) for c in CHARACTERS]
    ends = np.cumsum(widths).tolist()
    places = {c: (end - w, w) for c, end, w in zip(CHARACTERS, ends, widths, strict=True)}
    top, bottom = (int(font.getbbox("0lgj", anchor="ls")[side]) for side in (1, 3))
    image = Image.new("L", (ends[-1], bottom - top + 2))
    pen = ImageDraw.Draw(image)
    for character, (left, _) in places.items():
        pen.text((left, 1 - top), character, 255, font, anchor="ls")
    return Characters(np.array(image), places, 2 - top)


def fitting(texel: float, samples: Lines, lines: int, scale: float) -> Characters | None:
    """Choose the largest characters that fit the texts into one image pixel; None if none do.

    Args:
        texel: pixels of the screen that a pixel takes.
        samples: texts as wide as any.
        lines: of text, one below the other.
        scale: pixels per unit of the unscaled screen.
    """
    room = int(texel - 2 * RIM * scale)
    if texel < LEAST * scale:
        return None
    for size in range(round(LARGEST * scale), round(SMALLEST * scale) - 1, -1):
        glyphs = characters(size)
        widest = max((glyphs.width(text) for text in samples), default=0)
        if widest <= room and glyphs.pitch * lines <= room:
            return glyphs
    return None


@dataclass(frozen=True)
class ValueGrid:
    """The pixels of an image that are visible in one rectangle of the picture.

    Attributes:
        rows, columns: how the image lies in the cell.
        first: row and column of the first pixel that is seen.
        counts: rows and columns that are seen.
    """

    cell: Cell
    rows: Axis
    columns: Axis
    first: tuple[int, int]
    counts: tuple[int, int]

    def middle(self, row: int, column: int) -> tuple[float, float]:
        """Return the middle (x, y) of a visible pixel, in pixels of the picture."""
        x = self.cell.x + self.columns.pixel(self.first[1] + column + 0.5)
        return x, self.cell.y + self.rows.pixel(self.first[0] + row + 0.5)

    def clamped(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel (x, y) of the rectangle that is nearest to a position in the picture."""
        cell = self.cell
        right, bottom = cell.x + cell.width - 1, cell.y + cell.height - 1
        return min(max(int(x), cell.x), right), min(max(int(y), cell.y), bottom)

    @property
    def whole(self) -> tuple[int, int]:
        """Return row and column, among the visible pixels, of the first one that is not cut off."""
        rows = self.rows.pixel(float(self.first[0])) < 0
        columns = self.columns.pixel(float(self.first[1])) < 0
        return min(int(rows), self.counts[0] - 1), min(int(columns), self.counts[1] - 1)


def entries(
    grid: ValueGrid, glyphs: Characters, lines: Sequence[Sequence[Lines]], unit: str, scale: float
) -> NDArray[np.int32]:
    """Lay out texts of pixel values and grid lines as table entries for the shader: (N, ``ENTRY``).

    A value for which a pixel is too narrow or too low is omitted.

    Args:
        lines: of every pixel that is seen.
        unit: written with the value of the first pixel that is seen whole, if there is room: below
            it, or word by word before its lines, if it has as many words.
        scale: pixels per unit of the unscaled screen.
    """
    placed = list(_between(grid, max(round(scale), 1)))
    room = grid.columns.scale - 1
    for row, column, of_pixel in every([list(r) for r in lines]):
        longer = with_unit(of_pixel, unit) if (row, column) == grid.whole else of_pixel
        texts = next((each for each in (longer, of_pixel) if _fits(glyphs, each, room)), ())
        placed += _written(grid.middle(row, column), grid, glyphs, texts)
    return np.array(placed, np.int32).reshape(-1, ENTRY)


def _fits(glyphs: Characters, lines: Lines, room: float) -> bool:
    high = glyphs.pitch * len(lines) <= room + 1
    return high and all(glyphs.width(line) <= room for line in lines)


def _written(
    middle: tuple[float, float], grid: ValueGrid, glyphs: Characters, lines: Lines
) -> Iterator[Placed]:
    x, y = middle
    under = grid.clamped(x, y)
    top = round(y - glyphs.pitch * len(lines) / 2 + (glyphs.pitch - glyphs.height) / 2)
    for number, line in enumerate(lines):
        left = round(x - glyphs.width(line) / 2)
        for character in line:
            begin, width = glyphs.places.get(character, (0, 0))
            if width:
                place = (left, top + number * glyphs.pitch, width, len(glyphs.coverage))
                yield (*place, begin, *under, 0)
            left += width


def _between(grid: ValueGrid, thick: int) -> Iterator[Placed]:
    (rows, columns), (first_row, first_column), cell = grid.counts, grid.first, grid.cell
    left, right = (
        round(cell.x + grid.columns.pixel(float(first_column + n))) for n in (0, columns)
    )
    top, bottom = (round(cell.y + grid.rows.pixel(float(first_row + n))) for n in (0, rows))
    for n in range(columns + 1):
        x = round(cell.x + grid.columns.pixel(float(first_column + n)))
        yield (x, top, thick, bottom - top, NO_CHARACTER, left, top, 0)
    for n in range(rows + 1):
        y = round(cell.y + grid.rows.pixel(float(first_row + n)))
        yield (left, y, right - left, thick, NO_CHARACTER, left, top, 0)
