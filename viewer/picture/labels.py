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
    if 2 * size + said.shape[1] > cell.width:
        found = []
    seen = screen.seen(np.array([note.place for note in guides.notes]))
    for note, place in zip(guides.notes, seen, strict=True):
        if place[2] > CLOSEST * screen.scene.pivot:
            x, y, _ = screen.spots(place[None])[0]
            drawn = coverage(note.text, size)
            if not (-1e4 < x < 1e5 and -1e4 < y < 1e5):
                continue
            height, width = drawn.shape[:2]
            label = Label(round(x - width / 2), round(y - height / 2), drawn, place[2])
            if _inside(label, cell) and not any(_meet(label, other, size) for other in found):
                found.append(label)
    return found


def _inside(label: Label, cell: Cell) -> bool:
    height, width = label.coverage.shape[:2]
    return 0 <= label.x <= cell.width - width and 0 <= label.y <= cell.height - height


def _meet(one: Label, other: Label, size: int) -> bool:
    """Tell whether two labels of a text size come too close to each other."""
    gap = APART * size
    across = max(one.x, other.x) - gap
    down = max(one.y, other.y) - gap
    right = min(label.x + label.coverage.shape[1] for label in (one, other))
    bottom = min(label.y + label.coverage.shape[0] for label in (one, other))
    return across < right and down < bottom
