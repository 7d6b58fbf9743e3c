"""Drawing of figures: images in a grid, texts below them, then the legend of their colours."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wheatstone.viewer.colormaps import INVALID
from wheatstone.viewer.display.picture.colorbar import NO_VALUE, OUTSIDE, Colorbar, tick_text
from wheatstone.viewer.figures.canvas import DrawnRow
from wheatstone.viewer.figures.files import encoded, missing_letters, text_width
from wheatstone.viewer.figures.panes import ColorKey, FigurePane
from wheatstone.viewer.figures.plan import FigurePlan, Rectangle
from wheatstone.viewer.figures.sheet import BAR, LEADING, POINT, Box, FigureSheet, Measure, settings
from wheatstone.viewer.figures.tables import lines_below, timed_on

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARGIN = 0.6  # millimetres
TALLEST = 1.5  # height of an image relative to the width of its place
EMPTY = 0.7  # height of a place without an image, relative to its width
NARROWEST = 4.0  # millimetres of a place
NARROWEST_BAR, WIDEST_BAR = 48.0, 90.0  # millimetres
MOST_LINES = 6  # of a reason
FOLDERS = re.compile(r"/(?:[^/:]*/)+")
"""The folders of a path that a reason begins with: the file's name is enough in a figure."""
HATCH = "/" * 6  # of a swatch of the size of a letter
OF_TRUTH = "ground truth"
"""The title of the truth's colour bar, which is omitted if a result's bar covers its range."""


def figure_files(
    plan: FigurePlan, rows: Sequence[DrawnRow], endings: Collection[str]
) -> tuple[dict[str, bytes], str]:
    """Draw a figure, and encode it as bytes for each file suffix.

    Returns:
        The content of a file by its suffix, and the letters that the font lacks, which are boxes.
    """
    with settings():
        figure = drawn(plan, rows, text_width)
        contents = {ending: encoded(figure, plan, ending) for ending in endings}
    return contents, missing_letters(text.get_text() for text in figure.axes[0].texts)


def drawn(plan: FigurePlan, rows: Sequence[DrawnRow], measure: Measure) -> "Figure":
    """Draw a figure with Matplotlib; call this within ``settings``."""
    sheet = FigureSheet(plan.style.width, plan.style.theme, measure)
    grid, panes = _Grid(plan, sheet), [pane for row in rows for pane in row.panes]
    for row in rows:
        grid.add_row(row, named=len(rows) > 1)
    _add_bars(sheet, bars_of(panes), plan.columns)
    for key in dict.fromkeys(key for pane in panes for key in pane.keys):
        _add_key(sheet, key)
    room = plan.style.width - 2 * MARGIN
    sheet.write_lines(timed_on(panes), MARGIN, room, sheet.small, "quiet")
    return sheet.finish(sheet.y + MARGIN)


class _Grid:
    """The grid of a figure, into which images and their texts are drawn line by line."""

    def __init__(self, plan: FigurePlan, sheet: FigureSheet) -> None:
        self._plan, self._sheet = plan, sheet
        self._gap = 0.35 * sheet.size
        room = sheet.width - 2 * MARGIN - (plan.columns - 1) * self._gap
        self._place = room / plan.columns
        if self._place < NARROWEST:
            need = f"{plan.columns} cells next to each other need more than {sheet.width:g} mm"
            raise ValueError(f"{need}: give a larger width")
        sheet.y = MARGIN

    def add_row(self, row: DrawnRow, *, named: bool) -> None:
        """Draw the images of a stereo pair as a row of the figure, below the pair's name."""
        sheet = self._sheet
        if named:
            sheet.y += sheet.line * 0.2
            step = 1.2 * sheet.line
            for line in sheet.wrapped(row.name, sheet.width - 2 * MARGIN, sheet.size):
                sheet.write(line, MARGIN, sheet.y + step / 2, sheet.size)
                sheet.y += step
        aspect = next((_aspect(pane) for pane in row.panes if pane.pixels is not None), EMPTY)
        for begin in range(0, len(row.panes), self._plan.columns):
            self._add_line(row.panes[begin : begin + self._plan.columns], aspect)

    def _add_line(self, panes: Sequence[FigurePane], usual: float) -> None:
        """Draw one line of images, the insets below them, then the texts."""
        sheet, step = self._sheet, self._place + self._gap
        placed = [(MARGIN + number * step, pane) for number, pane in enumerate(panes)]
        shown = [(x, pane) for x, pane in placed if pane.pixels is not None or pane.why]
        aspects = [min(_aspect(pane, usual), TALLEST) for _, pane in shown]
        bottom = below = sheet.y + self._place * max(aspects, default=0.0)
        for x, pane in shown:
            aspect = _aspect(pane, usual)
            width = min(self._place, (bottom - sheet.y) / aspect)
            box = Box(x + (self._place - width) / 2, sheet.y, width, width * aspect)
            if pane.pixels is None:
                self._explain(pane, box)
            else:
                sheet.show(pane.pixels, box)
                below = max(below, *self._add_insets(pane, box, (x, bottom)), below)
        sheet.y = top = below + 0.2 * sheet.line
        ends = []
        for x, pane in placed:
            sheet.y = top
            self._add_words(pane, x)
            ends.append(sheet.y)
        sheet.y = max(ends) + 0.45 * sheet.line

    def _add_insets(
        self, pane: FigurePane, image: Box, below: tuple[float, float]
    ) -> Iterator[float]:
        """Frame the insets in an image, and draw them enlarged below; yield their lower ends."""
        pixels = pane.pixels
        assert pixels is not None
        inside = [part for part in self._plan.insets if _inside(part, *pixels.shape[:2])]
        gap, scale = 0.5 * self._gap, image.width / pixels.shape[1]
        each = (self._place - gap * (len(inside) - 1)) / max(len(inside), 1)
        for number, (x, y, wide, high) in enumerate(inside):
            framed = Box(image.x + scale * x, image.y + scale * y, scale * wide, scale * high)
            self._sheet.frame(framed, number)
            width = min(each, TALLEST * self._place * wide / high)
            left = below[0] + number * (each + gap)
            box = Box(left, below[1] + gap, width, width * high / wide)
            self._sheet.show(pixels[y : y + high, x : x + wide], box)
            self._sheet.frame(box, number)
            yield box.y + box.height

    def _explain(self, pane: FigurePane, box: Box) -> None:
        """Fill the place of a missing image in a figure with the reason why it is missing."""
        sheet, step = self._sheet, self._sheet.small * LEADING * POINT
        sheet.fill(box, fc=sheet.color("field"), ec="none")
        most = max(min(MOST_LINES, int(box.height / step)), 1)
        why = FOLDERS.sub("", pane.why, count=1) if pane.why.startswith("/") else pane.why
        lines = sheet.wrapped(why, box.width - self._gap, sheet.small)
        if len(lines) > most:
            lines = [*lines[: most - 1], f"{lines[most - 1]} ..."]
        middle, top = box.x + box.width / 2, box.y + box.height / 2 - step * (len(lines) - 1) / 2
        for number, line in enumerate(lines):
            sheet.write(line, middle, top + number * step, sheet.small, "quiet", ha="center")

    def _add_words(self, pane: FigurePane, x: float) -> None:
        """Write the name and the metrics of an image below it."""
        sheet = self._sheet
        sheet.write_lines(pane.title, x, self._place, sheet.size)
        for facts in lines_below(pane):
            whole = ", ".join(facts)
            fits = sheet.measure(whole, sheet.small) <= self._place
            for text in [whole] if fits else facts:
                sheet.write_lines(text, x, self._place, sheet.small, "quiet")


def omitted_insets(plan: FigurePlan, rows: Sequence[DrawnRow]) -> Iterator[str]:
    """Describe the insets that are omitted because they reach beyond an image."""
    for row in rows:
        shapes = sorted({pane.pixels.shape[:2] for pane in row.panes if pane.pixels is not None})
        for part in plan.insets:
            beyond = [f"{w} x {h}" for h, w in shapes if not _inside(part, h, w)]
            if beyond:
                inset = f"{','.join(map(str, part))} of {row.name}"
                yield f"inset {inset}: beyond an image of {', '.join(beyond)} pixels"


def _inside(part: Rectangle, height: int, width: int) -> bool:
    x, y, wide, high = part
    return x + wide <= width and y + high <= height


def _aspect(pane: FigurePane, usual: float = EMPTY) -> float:
    """Return the ratio of height to width of an image; ``usual`` where the image is missing."""
    return usual if pane.pixels is None else pane.pixels.shape[0] / pane.pixels.shape[1]


def bars_of(panes: Iterable[FigurePane]) -> list[Colorbar]:
    """List the colour bars of images, each once; truth and results in one range have one bar.

    Bars that differ only in whether values are missing or beyond the range are joined.
    """
    bars = dict.fromkeys(bar for pane in panes for bar in pane.bars)
    results = {_colors(bar) for bar in bars if bar.title != OF_TRUTH}
    joined: dict[tuple[str, Colorbar], Colorbar] = {}
    for bar in bars:
        if bar.title == OF_TRUTH and _colors(bar) in results:
            continue
        before = joined.get((bar.title, _colors(bar)), bar)
        joined[bar.title, _colors(bar)] = replace(
            bar,
            has_invalid=bar.has_invalid or before.has_invalid,
            hatched=bar.hatched or before.hatched,
            beyond=(bar.beyond[0] or before.beyond[0], bar.beyond[1] or before.beyond[1]),
        )
    return list(joined.values())


def _colors(bar: Colorbar) -> Colorbar:
    """Copy a colour bar without title and other fields that do not change its colours."""
    plain = replace(bar, title="", step=0.0, beyond=(False, False))
    return replace(plain, has_invalid=False, hatched=False)


def _add_bars(sheet: FigureSheet, bars: Sequence[Colorbar], columns: int) -> None:
    """Draw colour bars with titles above them, as many in a line as fit."""
    room, gap = sheet.width - 2 * MARGIN, 0.35 * sheet.size
    many = max(min(int(room // NARROWEST_BAR), max(len(bars), columns)), 1)
    width = (room - (many - 1) * gap) / many
    for number, bar in enumerate(bars):
        x, wide = MARGIN + number % many * (width + gap), min(width, WIDEST_BAR)
        middle = sheet.y + sheet.line / 2
        sheet.write(bar.label, x, middle, sheet.small)
        if bar.has_invalid:
            right = x + wide - sheet.measure(NO_VALUE, sheet.small)
            sheet.write(NO_VALUE, right, middle, sheet.small, "quiet")
            sheet.swatch(INVALID[bar.colormap], right, middle)
        ends = (tick_text(bar.low), tick_text(bar.low + bar.span))
        inset = max(0.8, *(sheet.measure(end, sheet.small) / 2 for end in ends))
        sheet.bar(bar, Box(x + inset, sheet.y + sheet.line, wide - 2 * inset, BAR))
        if number % many == many - 1 or number == len(bars) - 1:
            sheet.y += BAR + 2.3 * sheet.line
    if hatched := next((bar for bar in bars if bar.hatched), None):
        step, side = sheet.small * LEADING * POINT, sheet.small * POINT
        x, middle = MARGIN + 1.5 * side, sheet.y + step / 2
        sheet.write(OUTSIDE, x, middle, sheet.small, "quiet")
        sheet.swatch((*hatched.colors(3)[1].tolist(),), x, middle, hatch=HATCH)
        sheet.y += step + 0.3 * sheet.line


def _add_key(sheet: FigureSheet, key: ColorKey) -> None:
    """Draw the legend of label colours, on as many lines as needed."""
    step, side = sheet.small * LEADING * POINT, sheet.small * POINT
    sheet.write(key.heading, MARGIN, sheet.y + step / 2, sheet.small)
    sheet.y, x = sheet.y + step, MARGIN
    for name, color in key.entries:
        length = 1.5 * side + sheet.measure(name, sheet.small)
        if x > MARGIN and x + length > sheet.width - MARGIN:
            x, sheet.y = MARGIN, sheet.y + step
        middle = sheet.y + step / 2
        sheet.swatch(color, x + 1.5 * side, middle)
        sheet.write(name, x + 1.5 * side, middle, sheet.small, "quiet")
        x += length + 1.2 * side
    sheet.y += step + 0.3 * sheet.line
