"""The layout of a figure as plain data, in millimetres from the top left."""

from collections.abc import Callable
from dataclasses import dataclass

from wheatstone.viewer.figures.panes import FigurePane
from wheatstone.viewer.figures.plan import Rectangle
from wheatstone.viewer.picture.colorbar import Colorbar

POINT = 25.4 / 72  # millimetres
USUAL_SIZE, USUAL_WIDTH = 7.0, 84.0
"""Points of the text in a figure as wide as a column of a journal, and that width."""
GROWTH = 0.25
"""Text grows with this power of the width: twice as wide, a fifth larger."""
SMALL = 0.86  # size of what is told below a name, relative to the name's
LEADING = 1.35  # from line to line, in sizes of the text
MARGIN = 0.6  # millimetres

Measure = Callable[[str, float], float]
"""A function that returns the width in millimetres of a text of a size in points."""


@dataclass(frozen=True)
class PlacedBox:
    """A rectangle, in millimetres from the figure's top left."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class PlacedText:
    """A line of text with its place in a figure.

    Attributes:
        x, y: its left end, and the middle of its line; of a centred one the middle of both.
        size: in points.
        color: name of a theme's colour.
    """

    text: str
    x: float
    y: float
    size: float
    color: str = "text"
    centred: bool = False


@dataclass(frozen=True, eq=False)
class PlacedPane:
    """A pane with its place and the places of its insets."""

    pane: FigurePane
    box: PlacedBox
    insets: tuple[tuple[Rectangle, PlacedBox], ...] = ()


@dataclass(frozen=True)
class PlacedBar:
    """A colour bar with its place."""

    bar: Colorbar
    box: PlacedBox


@dataclass(frozen=True)
class Swatch:
    """A colour sample to the left of a name, which is a separate text."""

    color: tuple[int, int, int]
    box: PlacedBox


@dataclass(frozen=True, eq=False)
class FigureLayout:
    """The places of all parts of a figure.

    Attributes:
        size: points of the text of names.
        width, height: of the figure, in millimetres.
    """

    width: float
    height: float
    size: float
    panes: tuple[PlacedPane, ...]
    texts: tuple[PlacedText, ...]
    bars: tuple[PlacedBar, ...]
    swatches: tuple[Swatch, ...]


def text_size(width: float) -> float:
    """Choose the text size in points for a figure of a width in millimetres."""
    return float(round(USUAL_SIZE * (width / USUAL_WIDTH) ** GROWTH, 1))


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Break a text into lines that fit a width; a word that is too long is broken, too."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if measure(longer) <= width:
            lines[-1] = longer
            continue
        lines += [word] if lines[-1] else []
        lines[-1] = lines[-1] or word
        while measure(lines[-1]) > width and len(lines[-1]) > 1:
            fit = max(
                (n for n in range(1, len(lines[-1])) if measure(lines[-1][:n]) <= width), default=1
            )
            lines[-1:] = [lines[-1][:fit], lines[-1][fit:]]
    return lines if lines != [""] else []
