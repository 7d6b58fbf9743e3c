"""A sheet on which Matplotlib draws images, texts and colour bars, in millimetres."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.display.picture.colorbar import Colorbar, tick_text, ticks
from wheatstone.viewer.theme import Rgb, color

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAMILY = "DejaVu Sans"
"""The font of figures, which comes with Matplotlib."""
POINT, INCH = 25.4 / 72, 25.4  # millimetres
USUAL_SIZE, USUAL_WIDTH = 7.0, 84.0
"""Points of the text in a figure as wide as a column of a journal, and that width."""
GROWTH = 0.25
"""Text grows with this power of the width: twice as wide, a fifth larger."""
SMALL = 0.86  # size of the text below a name, relative to the name's
LEADING = 1.35  # from line to line, in sizes of the text
HAIR, FRAME = 0.07, 0.14  # thickness of lines and of frames, relative to the size of the text
TICK, MOST_TICKS = 1.2, 7  # points
BAR, TIP = 2.2, 0.7  # millimetres: height of a colour bar, length of an arrow at its end

SETTINGS = {
    "font.family": FAMILY,
    "svg.fonttype": "none",
    "svg.hashsalt": "wheatstone",
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "image.composite_image": False,
    "axes.unicode_minus": True,
    "text.usetex": False,
    "text.parse_math": False,
    "path.simplify": False,
}
"""Matplotlib's settings: the same bytes every time, whatever the user's own settings are."""

Measure = Callable[[str, float], float]
"""A function that returns the width in millimetres of a text of a size in points."""


@contextmanager
def settings() -> Iterator[None]:
    """Apply the Matplotlib ``SETTINGS`` for figures in the ``with`` block."""
    from matplotlib import rc_context, rcParamsDefault

    usual = {n: value for n, value in rcParamsDefault.items() if not n.startswith("backend")}
    with rc_context({**usual, **SETTINGS}), catch_warnings():
        filterwarnings("ignore", "Glyph .* missing")  # ``figure_files`` returns them
        yield


class Box(NamedTuple):
    """A rectangle, in millimetres from the figure's top left."""

    x: float
    y: float
    width: float
    height: float


def text_size(width: float) -> float:
    """Choose the text size in points for a figure of a width in millimetres."""
    return float(round(USUAL_SIZE * (width / USUAL_WIDTH) ** GROWTH, 1))


class FigureSheet:
    """A figure that is drawn from the top down, whose height results from its contents.

    Args:
        width: in millimetres.
        measure: measures texts.

    Attributes:
        size, small: points of the text of names, and of what stands below them.
        line: millimetres from line to line of names.
        y: where the next part begins, in millimetres from the top.
        figure: the figure, to which ``finish`` gives its size.
        axes: of the whole figure, in millimetres from its top left.
    """

    def __init__(self, width: float, theme: str, measure: Measure) -> None:
        from matplotlib.figure import Figure

        self.width, self.measure, self._theme = width, measure, theme
        self.size = text_size(width)
        self.small, self.line = self.size * SMALL, self.size * LEADING * POINT
        self.y = 0.0
        self.figure = Figure(facecolor=self.color("label ground"))
        self.axes = self.figure.add_axes((0, 0, 1, 1), autoscale_on=False)
        self.axes.set_axis_off()

    def finish(self, height: float) -> "Figure":
        """Set the figure's height in millimetres, and return the figure."""
        self.figure.set_size_inches(self.width / INCH, height / INCH)
        self.axes.set(xlim=(0, self.width), ylim=(height, 0))
        return self.figure

    def color(self, name: str, theme: str = "") -> str:
        """Return a colour of the theme by its name, for Matplotlib."""
        return "#{:02x}{:02x}{:02x}".format(*color(name, theme or self._theme))

    def write(
        self, text: str, x: float, y: float, size: float, color: str = "text", **style: Any
    ) -> None:
        """Write a line of text in a figure; ``x`` is its left end, ``y`` its middle."""
        style = {"va": "center_baseline", "color": self.color(color)} | style
        self.axes.text(x, y, text, size=size, **style)

    def write_lines(
        self, text: str, x: float, width: float, size: float, color: str = "text"
    ) -> None:
        """Write a text on as many lines as needed, and move the drawing position ``y`` down."""
        step = size * LEADING * POINT
        for line in self.wrapped(text, width, size):
            self.write(line, x, self.y + step / 2, size, color)
            self.y += step

    def wrapped(self, text: str, width: float, size: float) -> list[str]:
        """Break a text into lines that fit a width in millimetres."""
        return wrapped(text, width, lambda words: self.measure(words, size))

    def show(self, pixels: NDArray[np.uint8], box: Box) -> None:
        """Draw an image without interpolation, however large its pixels are."""
        extent = (box.x, box.x + box.width, box.y + box.height, box.y)
        style: dict[str, Any] = {"interpolation": "none", "resample": False, "aspect": "auto"}
        self.axes.imshow(pixels, extent=extent, **style)

    def frame(self, box: Box, number: int) -> None:
        """Draw the frame of an inset in the colour that belongs to its number."""
        line = {"lw": FRAME * self.size, "ec": self.color(f"series {number + 1}", "dark")}
        self.fill(box, fill=False, joinstyle="miter", **line)

    def fill(self, box: Box, **style: Any) -> None:
        """Draw a rectangle in the figure, filled unless the style says otherwise."""
        from matplotlib.patches import Rectangle

        self.axes.add_patch(Rectangle(box[:2], *box[2:], clip_on=False, **style))

    def swatch(self, rgb: Rgb, x: float, y: float, hatch: str = "") -> None:
        """Draw a colour sample to the left of a small text that begins at x."""
        side = self.small * POINT
        face = tuple(level / 255 for level in rgb)
        box = Box(x - 1.5 * side, y - side / 2, side, side)
        self.fill(box, fc=face, ec=self.color("edge"), lw=HAIR * self.size, hatch=hatch or None)

    def bar(self, bar: Colorbar, box: Box) -> None:
        """Draw a colour bar with ticks, and arrows if values may lie beyond its ends."""
        from matplotlib.patches import Polygon

        colors = bar.colors(256)
        line: dict[str, Any] = {"lw": HAIR * self.size, "ec": self.color("edge")}
        line |= {"joinstyle": "miter"}
        self.show(colors[None], box)
        self.fill(box, fill=False, **line)
        bottom, right = box.y + box.height, box.x + box.width
        ink = self.color("text")
        for value in self._tick_values(bar, box.width):
            x = box.x + (value - bar.low) / bar.span * box.width
            self.axes.plot([x, x], [bottom, bottom + TICK * POINT], color=ink, lw=line["lw"])
            low = bottom + (TICK + 1) * POINT
            self.write(tick_text(value), x, low, self.small, ha="center", va="top")
        for beyond, x, tip, rgb in (
            (bar.beyond[0], box.x, -TIP, colors[0]),
            (bar.beyond[1], right, TIP, colors[-1]),
        ):
            if beyond:
                corners = [(x, box.y), (x + tip, box.y + box.height / 2), (x, bottom)]
                self.axes.add_patch(Polygon(corners, fc=rgb / 255, clip_on=False, **line))

    def _tick_values(self, bar: Colorbar, width: float) -> Sequence[float]:
        """Choose the values written below a bar, as many as fit."""
        low, high = bar.low, bar.low + bar.span
        dense = (low, high, *ticks(low, high, MOST_TICKS))
        widest = max(self.measure(tick_text(value), self.small) for value in dense)
        most = max(int(width / (widest + self.small * POINT)), 1)
        return ticks(low, high, min(most, MOST_TICKS))


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Break a text into lines that fit a width; a word that is too long is broken as well."""
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
