"""Parse the words of a lesson's lines: places and rectangles in fractions, and panels."""

from collections.abc import Sequence

from wheatstone.gpu.likeness import did_you_mean
from wheatstone.viewer.choices.learning import LESSON
from wheatstone.viewer.options import center
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.reading.plain_text import cut
from wheatstone.viewer.settings.recipe import Recipe

LONGEST = 80  # characters of a word in a message
SMALLEST = 4  # pixels along a side of a template


def pixel_of(words: Sequence[str], size: tuple[int, int]) -> list[int]:
    """Parse a place X,Y in fractions of the picture as the row and the column of its pixel."""
    if len(words) != 1:
        raise ValueError("pixel takes one place X,Y, in fractions of the picture")
    x, y = center(words[0])
    if not (0 <= x <= 1 and 0 <= y <= 1):
        raise ValueError(f"a place lies between 0,0 and 1,1 (got {cut(words[0], LONGEST)})")
    height, width = size
    return [min(int(y * height), height - 1), min(int(x * width), width - 1)]


def template_of(words: Sequence[str], below: Recipe, size: tuple[int, int]) -> list[int]:
    """Parse a rectangle X,Y,W,H in fractions of the picture as pixels, at least 4 on each side."""
    if "template" not in below["params"]:
        raise ValueError(f"{below['view']['pipeline']} has no template")
    try:
        x, y, width, height = (float(number) for number in " ".join(words).split(","))
    except ValueError:
        said = cut(" ".join(words), LONGEST)
        raise ValueError(f"template takes X,Y,W,H, in fractions (got {said})") from None
    if not (min(x, y) >= 0 and min(width, height) > 0 and max(x + width, y + height) <= 1):
        raise ValueError("a template lies in the picture, between 0 and 1")
    rows, columns = size
    sides = [
        min(max(round(side * of), SMALLEST), of) for side, of in ((width, columns), (height, rows))
    ]
    corner = [min(int(x * columns), columns - sides[0]), min(int(y * rows), rows - sides[1])]
    return corner + sides


def panel_of(name: str) -> str:
    """Check the name of a panel that a lesson may open."""
    known = [panel.name for panel in PANELS if not panel.passing and panel.name != LESSON]
    if name not in known:
        said = cut(repr(name), LONGEST)
        raise ValueError(f"no panel is called {said}{did_you_mean(name, known)}")
    return name
