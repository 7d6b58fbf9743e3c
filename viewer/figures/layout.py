"""Lay out a figure: images in a grid, texts below them, then the legend of their colours."""

import re
from collections.abc import Iterator, Sequence

from wheatstone.viewer.figures.canvas import DrawnRow
from wheatstone.viewer.figures.explaining import Explained, bars_of
from wheatstone.viewer.figures.panes import FigurePane
from wheatstone.viewer.figures.placed import (
    LEADING,
    MARGIN,
    POINT,
    SMALL,
    FigureLayout,
    Measure,
    PlacedBox,
    PlacedPane,
    PlacedText,
    text_size,
    wrapped,
)
from wheatstone.viewer.figures.plan import FigurePlan, Rectangle
from wheatstone.viewer.figures.tables import lines_below, timed_on

TALLEST = 1.5  # height of an image relative to the width of its place
EMPTY = 0.7  # height of a place without an image, relative to its width
NARROWEST = 4.0  # millimetres of a place
MOST_LINES = 6  # of a reason
FOLDERS = re.compile(r"/(?:[^/:]*/)+")
"""The folders of a path that a reason begins with: the file's name is enough in a figure."""


def laid_out(plan: FigurePlan, rows: Sequence[DrawnRow], measure: Measure) -> FigureLayout:
    """Lay out a figure."""
    return _Layouter(plan, measure).laid_out(rows)


class _Layouter:
    """A layout engine that places line after line, from the top down."""

    def __init__(self, plan: FigurePlan, measure: Measure) -> None:
        self._plan, self._measure, self._width = plan, measure, plan.style.width
        self._size = text_size(self._width)
        self._gap = 0.35 * self._size
        self._line = self._size * LEADING * POINT
        room = self._width - 2 * MARGIN - (plan.columns - 1) * self._gap
        self._place = room / plan.columns
        if self._place < NARROWEST:
            said = f"{plan.columns} cells beside each other need more than {self._width:g} mm"
            raise ValueError(f"{said}: give a larger --width")
        self._y = MARGIN
        self._panes: list[PlacedPane] = []
        self._texts: list[PlacedText] = []

    def laid_out(self, rows: Sequence[DrawnRow]) -> FigureLayout:
        """Lay out all rows, then the legend of their colours."""
        for row in rows:
            if len(rows) > 1:
                self._y += self._line * 0.2
                self._write(row.name)
            aspect = next((_aspect(pane) for pane in row.panes if pane.pixels is not None), EMPTY)
            for begin in range(0, len(row.panes), self._plan.columns):
                self._lay_line(row.panes[begin : begin + self._plan.columns], aspect)
        panes = [pane for row in rows for pane in row.panes]
        below = Explained(self._width, self._size, self._y, self._measure)
        below.add_bars(bars_of(panes), self._plan.columns)
        for key in dict.fromkeys(key for pane in panes for key in pane.keys):
            below.add_key(key)
        below.add_note(timed_on(panes))
        texts = (*self._texts, *below.texts)
        size = self._width, below.y + MARGIN, self._size
        colors = tuple(below.bars), tuple(below.swatches)
        return FigureLayout(*size, tuple(self._panes), texts, *colors)

    def _lay_line(self, panes: Sequence[FigurePane], usual: float) -> None:
        """Lay out one line of panes: images, insets below them, then texts."""
        aspects = [min(_aspect(pane, usual), TALLEST) for pane in panes if _is_there(pane)]
        high, top = self._place * max(aspects, default=0.0), self._y
        below = top + high
        for left, pane in self._placed(panes):
            if not _is_there(pane):
                continue
            box = self._fitted(pane, usual, PlacedBox(left, top, self._place, high))
            insets = tuple(self._insets(pane, PlacedBox(left, top + high, self._place, 0)))
            self._panes.append(PlacedPane(pane, box, insets))
            below = max(below, *(b.y + b.height for _, b in insets), below)
            if pane.pixels is None:
                self._say_why(pane, box)
        self._y = below + 0.2 * self._line
        ends = [self._words(pane, left) for left, pane in self._placed(panes)]
        self._y = max(ends) + 0.45 * self._line

    def _placed(self, panes: Sequence[FigurePane]) -> list[tuple[float, FigurePane]]:
        """Pair the panes of a line with the left ends of their places."""
        step = self._place + self._gap
        return [(MARGIN + number * step, pane) for number, pane in enumerate(panes)]

    def _fitted(self, pane: FigurePane, usual: float, room: PlacedBox) -> PlacedBox:
        """Fit an image into its room without distortion, at the top and centred."""
        aspect = _aspect(pane, usual)
        width = min(room.width, room.height / aspect)
        return PlacedBox(room.x + (room.width - width) / 2, room.y, width, width * aspect)

    def _insets(self, pane: FigurePane, below: PlacedBox) -> Iterator[tuple[Rectangle, PlacedBox]]:
        """Lay out the insets of a pane in a line below it; leave out those beyond its image."""
        inside = [part for part in self._plan.insets if _holds(pane, part)]
        if not inside:
            return
        gap = 0.5 * self._gap
        each = (below.width - gap * (len(inside) - 1)) / len(inside)
        for number, (x, y, wide, high) in enumerate(inside):
            x0 = below.x + number * (each + gap)
            shown = min(each, TALLEST * below.width * wide / high)
            yield (x, y, wide, high), PlacedBox(x0, below.y + gap, shown, shown * high / wide)

    def _say_why(self, pane: FigurePane, box: PlacedBox) -> None:
        """Write the reason why a place is empty into it."""
        size = self._size * SMALL
        step = size * LEADING * POINT
        most = max(min(MOST_LINES, int(box.height / step)), 1)
        lines = self._wrapped(_brief(pane.why), box.width - self._gap, size)
        if len(lines) > most:
            lines = [*lines[: most - 1], f"{lines[most - 1]} ..."]
        middle, top = box.x + box.width / 2, box.y + box.height / 2 - step * (len(lines) - 1) / 2
        for number, line in enumerate(lines):
            y = top + number * step
            self._texts.append(PlacedText(line, middle, y, size, "quiet", centred=True))

    def _words(self, pane: FigurePane, left: float) -> float:
        """Write name and metrics below a pane; return the y coordinate where they end."""
        y = self._y
        small = self._size * SMALL
        told = [(pane.title, self._size, "text")] if pane.title else []
        for facts in lines_below(pane):
            whole = ", ".join(facts)
            fits = self._measure(whole, small) <= self._place
            told += [(line, small, "quiet") for line in ([whole] if fits else facts)]
        for text, size, color in told:
            for line in self._wrapped(text, self._place, size):
                step = size * LEADING * POINT
                self._texts.append(PlacedText(line, left, y + step / 2, size, color))
                y += step
        return y

    def _write(self, heading: str) -> None:
        """Write the name of a pair above its images."""
        step = 1.2 * self._line
        for line in self._wrapped(heading, self._width - 2 * MARGIN, self._size):
            self._texts.append(PlacedText(line, MARGIN, self._y + step / 2, self._size))
            self._y += step

    def _wrapped(self, text: str, width: float, size: float) -> list[str]:
        return wrapped(text, width, lambda words: self._measure(words, size))


def insets_left_out(plan: FigurePlan, rows: Sequence[DrawnRow]) -> Iterator[str]:
    """Describe the insets that reach beyond images and are not shown there."""
    for row in rows:
        shapes = sorted({pane.pixels.shape[:2] for pane in row.panes if pane.pixels is not None})
        for part in plan.insets:
            beyond = [f"{w} x {h}" for h, w in shapes if not _inside(part, h, w)]
            if beyond:
                said = f"{','.join(map(str, part))} of {row.name}"
                yield f"inset {said}: beyond an image of {', '.join(beyond)} pixels"


def _holds(pane: FigurePane, part: Rectangle) -> bool:
    """Return whether a pane has an image that contains an inset's rectangle."""
    return pane.pixels is not None and _inside(part, *pane.pixels.shape[:2])


def _inside(part: Rectangle, height: int, width: int) -> bool:
    x, y, wide, high = part
    return x + wide <= width and y + high <= height


def _brief(why: str) -> str:
    """Remove the folders from the path that a reason begins with."""
    return FOLDERS.sub("", why, count=1) if why.startswith("/") else why


def _is_there(pane: FigurePane) -> bool:
    """Return whether a place holds an image, or a reason why not."""
    return pane.pixels is not None or bool(pane.why)


def _aspect(pane: FigurePane, usual: float = EMPTY) -> float:
    """Return the height of a pane's image divided by its width."""
    return usual if pane.pixels is None else pane.pixels.shape[0] / pane.pixels.shape[1]
