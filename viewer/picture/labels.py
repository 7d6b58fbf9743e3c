"""Labels in a view in space: short texts with a dark outline, and their placement."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.picture.guides import Guides, Note, ScreenPlaces
from wheatstone.viewer.picture.layout import Cell
from wheatstone.viewer.picture.space import CLOSEST

APART = 0.5  # between two labels at least, in text sizes


@dataclass(frozen=True)
class Label:
    """A text in a cell: its upper left corner in pixels from the cell's, and its coverage.

    Attributes:
        coverage: (H, W, 3) uint8: how much of a pixel is ink, how much ink or outline.
        distance: from the eye; 0: before everything.
    """

    x: int
    y: int
    coverage: NDArray[np.uint8]
    distance: float = 0.0

    @property
    def width(self) -> int:
        """Return the width of the text in pixels."""
        return int(self.coverage.shape[1])

    @property
    def height(self) -> int:
        """Return the height of the text in pixels."""
        return int(self.coverage.shape[0])


@lru_cache(maxsize=256)
def coverage(text: str, size: int) -> NDArray[np.uint8]:
    """Draw a text: (H, W, 3) uint8, red for ink, green for ink or outline."""
    font, rim = ImageFont.load_default(size), max(round(size / 7), 1)
    left, top, right, bottom = font.getbbox(text, stroke_width=rim)
    image = Image.new("RGB", (int(right - left) + 2, int(bottom - top) + 2))
    pen = ImageDraw.Draw(image)
    place = (1 - left, 1 - top)
    pen.text(place, text, (255, 255, 0), font, stroke_width=rim, stroke_fill=(0, 255, 0))
    return np.array(image)


def labels(guides: Guides, screen: ScreenPlaces, cell: Cell, size: int) -> list[Label]:
    """Lay out the texts of guides in a cell; texts that would overlap others are left out.

    Args:
        size: of text, in pixels.
    """
    said = coverage(guides.said, size)
    sides = [_inside_of(_labels(side, screen, size), cell) for side in guides.sides]
    found = _inside_of([Label(size, cell.height - len(said) - size, said)], cell)
    others = _inside_of(_labels(guides.notes, screen, size), cell)
    for label in max(sides, key=len) + others:
        if not any(_meet(label, other, APART * size) for other in found):
            found.append(label)
    return found


def _labels(notes: tuple[Note, ...], screen: ScreenPlaces, size: int) -> list[Label]:
    """Centre the texts of notes that lie before the eye on their projected places."""
    places = screen.seen(np.array([note.place for note in notes]).reshape(-1, 3))
    before = places[:, 2] > CLOSEST * screen.scene.pivot
    spots = screen.spots(places[before]).tolist()
    texts = [note.text for note, kept in zip(notes, before, strict=True) if kept]
    return [_centred(coverage(text, size), *spot) for text, spot in zip(texts, spots, strict=True)]


def _centred(drawn: NDArray[np.uint8], x: float, y: float, distance: float) -> Label:
    """Centre a text on a pixel."""
    height, width = drawn.shape[:2]
    return Label(round(x - width / 2), round(y - height / 2), drawn, distance)


def _inside_of(labels: list[Label], cell: Cell) -> list[Label]:
    """Return the labels that lie completely inside a cell."""
    return [
        label
        for label in labels
        if 0 <= label.x <= cell.width - label.width and 0 <= label.y <= cell.height - label.height
    ]


def _meet(one: Label, other: Label, gap: float) -> bool:
    """Return whether two labels are closer to each other than a gap, in pixels."""
    right = min(label.x + label.width for label in (one, other))
    bottom = min(label.y + label.height for label in (one, other))
    return max(one.x, other.x) - gap < right and max(one.y, other.y) - gap < bottom
