"""Where everything of a figure lies: pure arithmetic, in millimetres from the top left."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from viewer.figures.panes import ColorKey, FigurePane
from viewer.figures.plan import FigurePlan, Rectangle
from viewer.figures.studio import DrawnRow
from viewer.figures.told import lines_below
from viewer.picture.colorbar import NO_VALUE, Colorbar

POINT = 25.4 / 72  # millimetres
USUAL_SIZE, USUAL_WIDTH = 7.0, 84.0
"""Points of the text in a figure as wide as a column of a journal, and that width."""
GROWTH = 0.25
"""Text grows with this power of the width: twice as wide, a fifth larger."""
SMALL = 0.86  # size of what is told below a name, relative to the name's
LEADING = 1.35  # from line to line, in sizes of the text
TALLEST = 1.5  # height of an image relative to the width of its place
MARGIN = 0.6  # millimetres
EMPTY = 0.7  # height of a place without an image, relative to its width
MOST_LINES = 6  # of a reason
BAR = 2.2  # millimetres: the height of a colour bar
NARROWEST_BAR = 48.0  # millimetres
WIDEST_BAR = 90.0

Measure = Callable[[str, float], float]
"""The width of a text of a size in points, in millimetres."""


@dataclass(frozen=True)
class Box:
    """A rectangle, in millimetres from the figure's top left."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class PlacedText:
    """A line of text.

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
    bold: bool = False


@dataclass(frozen=True, eq=False)
class PlacedPane:
    """A pane, and where it and its insets lie."""

    pane: FigurePane
    box: Box
    insets: tuple[tuple[Rectangle, Box], ...] = ()


@dataclass(frozen=True)
class PlacedBar:
    """A colour bar."""

    bar: Colorbar
    box: Box


@dataclass(frozen=True)
class Swatch:
    """A colour with a name beside it, which is a text of its own."""

    color: tuple[int, int, int]
    box: Box


@dataclass(frozen=True, eq=False)
class FigureLayout:
    """Where everything lies.

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
    """Choose the size of text, in points, for a figure of a width in millimetres."""
    return float(round(USUAL_SIZE * (width / USUAL_WIDTH) ** GROWTH, 1))


def laid_out(plan: FigurePlan, rows: Sequence[DrawnRow], measure: Measure) -> FigureLayout:
    """Lay out a figure."""
    return _Layouter(plan, measure).laid_out(rows)


class _Layouter:
    """Lays out line after line, from the top down."""

    def __init__(self, plan: FigurePlan, measure: Measure) -> None:
        self._plan, self._measure, self._width = plan, measure, plan.style.width
        self._size = text_size(self._width)
        self._gap = 0.35 * self._size
        self._line = self._size * LEADING * POINT
        room = self._width - 2 * MARGIN - (plan.columns - 1) * self._gap
        self._place = room / plan.columns
        if self._place < 4:
            said = f"{plan.columns} cells beside each other need more than {self._width:g} mm"
            raise ValueError(f"{said}: give a larger --width")
        self._y = MARGIN
        self._panes: list[PlacedPane] = []
        self._texts: list[PlacedText] = []
        self._bars: list[PlacedBar] = []
        self._swatches: list[Swatch] = []

    def laid_out(self, rows: Sequence[DrawnRow]) -> FigureLayout:
        """Lay out all rows, then what their colours mean."""
        for row in rows:
            if len(rows) > 1:
                self._y += self._line * 0.2
                self._write(row.name, MARGIN, self._size, bold=True)
            aspect = next((_aspect(pane) for pane in row.panes if pane.pixels is not None), EMPTY)
            for begin in range(0, len(row.panes), self._plan.columns):
                self._lay_line(row.panes[begin : begin + self._plan.columns], aspect)
        panes = [pane for row in rows for pane in row.panes]
        self._lay_bars(list(dict.fromkeys(bar for pane in panes for bar in pane.bars)))
        for key in dict.fromkeys(key for pane in panes for key in pane.keys):
            self._lay_key(key)
        height = self._y + MARGIN
        return FigureLayout(
            *(self._width, height, self._size),
            *(tuple(self._panes), tuple(self._texts), tuple(self._bars), tuple(self._swatches)),
        )

    def _lay_line(self, panes: Sequence[FigurePane], usual: float) -> None:
        """Lay out panes beside each other: images, insets below them, then words."""
        aspects = [min(_aspect(pane, usual), TALLEST) for pane in panes if _is_there(pane)]
        high, top = self._place * max(aspects, default=0.0), self._y
        below = top + high
        for number, pane in enumerate(panes):
            if not _is_there(pane):
                continue
            left = MARGIN + number * (self._place + self._gap)
            box = self._fitted(pane, usual, Box(left, top, self._place, high))
            insets = tuple(self._insets(pane, Box(left, top + high, self._place, 0)))
            self._panes.append(PlacedPane(pane, box, insets))
            below = max(below, *(b.y + b.height for _, b in insets), below)
            if pane.pixels is None:
                self._say_why(pane, box)
        self._y = below + 0.15 * self._line
        ends = []
        for number, pane in enumerate(panes):
            ends.append(self._words(pane, MARGIN + number * (self._place + self._gap)))
        self._y = max([self._y, *ends]) + 0.45 * self._line

    def _fitted(self, pane: FigurePane, usual: float, room: Box) -> Box:
        """Fit an image into its room, undistorted, at the top and in the middle."""
        aspect = _aspect(pane, usual)
        width = min(room.width, room.height / aspect)
        return Box(room.x + (room.width - width) / 2, room.y, width, width * aspect)

    def _insets(self, pane: FigurePane, below: Box) -> Iterator[tuple[Rectangle, Box]]:
        """Lay the insets of a pane below it, side by side; those beyond its image are left out."""
        if pane.pixels is None or not self._plan.insets:
            return
        height, width = pane.pixels.shape[:2]
        gap = 0.5 * self._gap
        count = len(self._plan.insets)
        each = (below.width - gap * (count - 1)) / count
        for number, (x, y, wide, high) in enumerate(self._plan.insets):
            if x + wide <= width and y + high <= height:
                x0 = below.x + number * (each + gap)
                yield (x, y, wide, high), Box(x0, below.y + gap, each, each * high / wide)

    def _say_why(self, pane: FigurePane, box: Box) -> None:
        """Write into an empty place why it is empty."""
        size = self._size * SMALL
        step = size * LEADING * POINT
        most = max(min(MOST_LINES, int(box.height / step)), 1)
        lines = self._wrapped(pane.why, box.width - self._gap, size)
        if len(lines) > most:
            lines = [*lines[: most - 1], f"{lines[most - 1]} ..."]
        middle, top = box.x + box.width / 2, box.y + box.height / 2 - step * (len(lines) - 1) / 2
        for number, line in enumerate(lines):
            y = top + number * step
            self._texts.append(PlacedText(line, middle, y, size, "quiet", centred=True))

    def _words(self, pane: FigurePane, left: float) -> float:
        """Write name and metrics below a pane; return where they end."""
        y = self._y
        told = [(pane.title, self._size, "text")] if pane.title else []
        told += [(line, self._size * SMALL, "quiet") for line in lines_below(pane)]
        for text, size, color in told:
            for line in self._wrapped(text, self._place, size):
                step = size * LEADING * POINT
                self._texts.append(PlacedText(line, left, y + step / 2, size, color))
                y += step
        return y

    def _lay_bars(self, bars: Sequence[Colorbar]) -> None:
        """Lay colour bars beside each other, titles above them, as many as there is room for."""
        room = self._width - 2 * MARGIN
        many = max(min(int(room // NARROWEST_BAR), len(bars)), 1)
        width = (room - (many - 1) * 2 * self._gap) / many
        for begin in range(0, len(bars), many):
            for number, bar in enumerate(bars[begin : begin + many]):
                x = MARGIN + number * (width + 2 * self._gap)
                self._lay_bar(bar, Box(x, self._y, min(width, WIDEST_BAR), BAR))
            self._y += BAR + 2.3 * self._line

    def _lay_bar(self, bar: Colorbar, place: Box) -> None:
        size, y = self._size * SMALL, place.y + self._line / 2
        self._texts.append(PlacedText(bar.label, place.x, y, size))
        if bar.has_invalid:
            from viewer.colormaps import INVALID

            end = place.x + place.width
            x = end - self._measure(NO_VALUE, size)
            self._texts.append(PlacedText(NO_VALUE, x, y, size, "quiet"))
            self._swatches.append(Swatch(INVALID[bar.colormap], self._swatch(x, y)))
        inset = 0.8  # of a bar whose arrows and numbers reach beyond its ends
        box = Box(place.x + inset, place.y + self._line, place.width - 2 * inset, BAR)
        self._bars.append(PlacedBar(bar, box))

    def _swatch(self, x: float, y: float) -> Box:
        """Place a swatch before a text that begins at x."""
        side = self._size * SMALL * POINT
        return Box(x - 1.5 * side, y - side / 2, side, side)

    def _lay_key(self, key: ColorKey) -> None:
        """Lay out what colours of labels mean, in as many lines as that takes."""
        size, right = self._size * SMALL, self._width - MARGIN
        side = size * POINT
        self._write(key.heading, MARGIN, size)
        x = MARGIN
        for name, color in key.entries:
            length = 1.5 * side + self._measure(name, size)
            if x > MARGIN and x + length > right:
                x, self._y = MARGIN, self._y + size * LEADING * POINT
            y = self._y + size * LEADING * POINT / 2
            self._swatches.append(Swatch(color, self._swatch(x + 1.5 * side, y)))
            self._texts.append(PlacedText(name, x + 1.5 * side, y, size, "quiet"))
            x += length + 1.2 * side
        self._y += size * LEADING * POINT + 0.3 * self._line

    def _write(self, text: str, x: float, size: float, *, bold: bool = False) -> None:
        """Write a line of its own."""
        step = size * LEADING * POINT
        self._texts.append(PlacedText(text, x, self._y + step / 2, size, bold=bold))
        self._y += step

    def _wrapped(self, text: str, width: float, size: float) -> list[str]:
        return wrapped(text, width, lambda words: self._measure(words, size))


def _is_there(pane: FigurePane) -> bool:
    """Tell whether a place holds an image, or a reason why not."""
    return pane.pixels is not None or bool(pane.why)


def _aspect(pane: FigurePane, usual: float = EMPTY) -> float:
    """Compute height over width of a pane's image."""
    return usual if pane.pixels is None else pane.pixels.shape[0] / pane.pixels.shape[1]


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Break a text into lines that are no wider; a word that is, is broken, too."""
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
