"""Labels in a view in space: short texts with a dark rim, and where there is room for them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from viewer.picture.guides import Guides, Screen
from viewer.picture.layout import Cell
from viewer.picture.legend import text_size
from viewer.picture.space import CLOSEST

APART = 0.5  # between two labels at least, in text sizes


@dataclass(frozen=True)
class Label:
    """A text in a cell: its upper left corner in pixels from the cell's, and its coverage.

    Attributes:
        coverage: (H, W, 3) uint8: how much of a pixel is ink, how much ink or rim.
        distance: from the eye; 0: before everything.
    """

    x: int
    y: int
    coverage: NDArray[np.uint8]
    distance: float = 0.0

    @property
    def width(self) -> int:
        """Look up how many pixels the text is wide."""
        return int(self.coverage.shape[1])

    @property
    def height(self) -> int:
        """Look up how many pixels the text is high."""
        return int(self.coverage.shape[0])


@lru_cache(maxsize=256)
def coverage(text: str, size: int) -> NDArray[np.uint8]:
    """Draw a text: (H, W, 3) uint8, red for ink, green for ink or rim."""
    font, rim = ImageFont.load_default(size), max(round(size / 7), 1)
    left, top, right, bottom = font.getbbox(text, stroke_width=rim)
    image = Image.new("RGB", (int(right - left) + 2, int(bottom - top) + 2))
    pen = ImageDraw.Draw(image)
    place = (1 - left, 1 - top)
    pen.text(place, text, (255, 255, 0), font, stroke_width=rim, stroke_fill=(0, 255, 0))
    return np.array(image)


def labels(guides: Guides, screen: Screen, cell: Cell) -> list[Label]:
    """Lay out the texts of guides in a cell; those without room between others are left out."""
    size = text_size(cell.width)
    said = coverage(guides.said, size)
    found = [Label(size, cell.height - len(said) - size, said)]
    places = screen.seen(np.array([note.place for note in guides.notes]))
    before = places[:, 2] > CLOSEST * screen.scene.pivot
    spots = screen.spots(places[before])
    texts = [note.text for note, kept in zip(guides.notes, before, strict=True) if kept]
    for text, (x, y, distance) in zip(texts, spots.tolist(), strict=True):
        label = _centred(coverage(text, size), x, y, distance)
        if _inside(label, cell) and not any(_meet(label, other, APART * size) for other in found):
            found.append(label)
    return [label for label in found if _inside(label, cell)]


def _centred(drawn: NDArray[np.uint8], x: float, y: float, distance: float) -> Label:
    """Place a text around a pixel."""
    height, width = drawn.shape[:2]
    return Label(round(x - width / 2), round(y - height / 2), drawn, distance)


def _inside(label: Label, cell: Cell) -> bool:
    across, down = 0 <= label.x <= cell.width - label.width, label.y <= cell.height - label.height
    return across and 0 <= label.y and down


def _meet(one: Label, other: Label, gap: float) -> bool:
    """Tell whether two labels come closer to each other than a gap, in pixels."""
    right = min(label.x + label.width for label in (one, other))
    bottom = min(label.y + label.height for label in (one, other))
    return max(one.x, other.x) - gap < right and max(one.y, other.y) - gap < bottom
