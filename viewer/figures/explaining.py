"""Explain the colours of a figure's images below them: colour bars, and names of labels."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wheatstone.viewer.colormaps import INVALID
from wheatstone.viewer.figures.panes import ColorKey, FigurePane
from wheatstone.viewer.figures.placed import (
    LEADING,
    MARGIN,
    POINT,
    SMALL,
    Measure,
    PlacedBar,
    PlacedBox,
    PlacedText,
    Swatch,
    wrapped,
)
from wheatstone.viewer.picture.colorbar import NO_VALUE, Colorbar, tick_text

BAR = 2.2  # millimetres: the height of a colour bar
NARROWEST_BAR, WIDEST_BAR = 48.0, 90.0
OF_TRUTH = "ground truth"
"""The title of the truth's colour bar, which is left out if a result's bar covers its range."""


def bars_of(panes: Iterable[FigurePane]) -> list[Colorbar]:
    """List the colour bars of panes, each once; truth and results in one range share a bar."""
    bars = dict.fromkeys(bar for pane in panes for bar in pane.bars)
    results = {_colors(bar) for bar in bars if bar.title != OF_TRUTH}
    return _joined([b for b in bars if b.title != OF_TRUTH or _colors(b) not in results])


def _colors(bar: Colorbar) -> Colorbar:
    """Copy a bar without the fields that depend on its image: title, step and missing values."""
    return replace(bar, title="", beyond=(False, False), has_invalid=False, step=0.0)


def _joined(bars: Sequence[Colorbar]) -> list[Colorbar]:
    """Join bars that differ only in whether values are missing or beyond the range."""
    found: dict[tuple[str, Colorbar], Colorbar] = {}
    for bar in bars:
        key = bar.title, _colors(bar)
        before = found.get(key, bar)
        found[key] = replace(
            bar,
            has_invalid=bar.has_invalid or before.has_invalid,
            beyond=(bar.beyond[0] or before.beyond[0], bar.beyond[1] or before.beyond[1]),
        )
    return list(found.values())


class Explained:
    """Bars, swatches and texts below a figure's images.

    Args:
        width: of the figure, in millimetres.
        size: of its text, in points.
        y: where they begin.

    Attributes:
        y: where they end.
    """

    def __init__(self, width: float, size: float, y: float, measure: Measure) -> None:
        self.y, self._width, self._size = y, width, size * SMALL
        self._measure, self._line = measure, size * LEADING * POINT
        self._gap = 0.35 * size
        self.bars: list[PlacedBar] = []
        self.swatches: list[Swatch] = []
        self.texts: list[PlacedText] = []

    def add_bars(self, bars: Sequence[Colorbar], columns: int) -> None:
        """Add colour bars with titles above them, as many in a line as there is room for."""
        room = self._width - 2 * MARGIN
        many = max(min(int(room // NARROWEST_BAR), max(len(bars), columns)), 1)
        width = (room - (many - 1) * self._gap) / many
        for begin in range(0, len(bars), many):
            for number, bar in enumerate(bars[begin : begin + many]):
                x = MARGIN + number * (width + self._gap)
                self._add_bar(bar, PlacedBox(x, self.y, min(width, WIDEST_BAR), BAR))
            self.y += BAR + 2.3 * self._line

    def _add_bar(self, bar: Colorbar, place: PlacedBox) -> None:
        size, y = self._size, place.y + self._line / 2
        self.texts.append(PlacedText(bar.label, place.x, y, size))
        if bar.has_invalid:
            x = place.x + place.width - self._measure(NO_VALUE, size)
            self.texts.append(PlacedText(NO_VALUE, x, y, size, "quiet"))
            self.swatches.append(Swatch(INVALID[bar.colormap], self._swatch(x, y)))
        ends = (tick_text(bar.low), tick_text(bar.low + bar.span))
        inset = max(0.8, *(self._measure(end, size) / 2 for end in ends))
        box = PlacedBox(place.x + inset, place.y + self._line, place.width - 2 * inset, BAR)
        self.bars.append(PlacedBar(bar, box))

    def _swatch(self, x: float, y: float) -> PlacedBox:
        """Return the place of a swatch before a text that begins at x."""
        side = self._size * POINT
        return PlacedBox(x - 1.5 * side, y - side / 2, side, side)

    def add_key(self, key: ColorKey) -> None:
        """Add the legend of label colours, on as many lines as it needs."""
        step, side = self._size * LEADING * POINT, self._size * POINT
        self.texts.append(PlacedText(key.heading, MARGIN, self.y + step / 2, self._size))
        self.y, x = self.y + step, MARGIN
        for name, color in key.entries:
            length = 1.5 * side + self._measure(name, self._size)
            if x > MARGIN and x + length > self._width - MARGIN:
                x, self.y = MARGIN, self.y + step
            y = self.y + step / 2
            self.swatches.append(Swatch(color, self._swatch(x + 1.5 * side, y)))
            self.texts.append(PlacedText(name, x + 1.5 * side, y, self._size, "quiet"))
            x += length + 1.2 * side
        self.y += step + 0.3 * self._line

    def add_note(self, note: str) -> None:
        """Add a sentence, on as many lines as it needs."""
        step = self._size * LEADING * POINT
        room = self._width - 2 * MARGIN
        for line in wrapped(note, room, lambda text: self._measure(text, self._size)):
            self.texts.append(PlacedText(line, MARGIN, self.y + step / 2, self._size, "quiet"))
            self.y += step
