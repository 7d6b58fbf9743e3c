"""The table of pinned pixels: position, values in results A and B, difference, truth, reason."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wheatstone.gpu.execution import Execution
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.picture.cell_contents import Letter
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.inspector.pixel_rows import decimals, difference_of, number, value_of
from wheatstone.viewer.panels.inspector.pixel_words import disparity_image, reason
from wheatstone.viewer.panels.inspector.reading import Pixel, reading_of, runners_used
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.words import csv_of

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

NO_EXTRAS: Mapping[Letter, Execution] = {}
HEADINGS = ("no", "x", "y", "A", "B", "A - B", "truth", "reason")


@dataclass(frozen=True)
class PinnedPixel:
    """A row of the table of pinned pixels, as texts; cells without content are empty."""

    place: Pixel
    a: str = ""
    b: str = ""
    difference: str = ""
    truth: str = ""
    reason: str = ""

    def cells(self, row: int) -> tuple[str, ...]:
        """List the cells of the row as texts, the first of which is the row's number, from 1."""
        y, x = self.place
        return (f"{row}", f"{x}", f"{y}", self.a, self.b, self.difference, self.truth, self.reason)


def pinned_rows(
    session: "Session", extras: Mapping[Letter, Execution] = NO_EXTRAS
) -> list[PinnedPixel]:
    """Read the pinned pixels' values in results A and B; ``extras``: images computed on demand."""
    runners = {letter: runner for letter, runner in runners_used(session).items() if runner.shown}
    height, width = session.source.height, session.source.width
    return [
        _row(session, runners, extras, pixel)
        if pixel[0] < height and pixel[1] < width
        else PinnedPixel(pixel)
        for pixel in session.state.look.pins
    ]


def _row(
    session: "Session",
    runners: dict[Letter, Runner],
    extras: Mapping[Letter, Execution],
    pixel: Pixel,
) -> PinnedPixel:
    readings = [
        reading_of(session, letter, runner, extras.get(letter), pixel)
        for letter, runner in runners.items()
    ]
    if not readings:
        return PinnedPixel(pixel)
    image, *others = [each.slot.image(each.slot.pipeline.output) for each in readings]
    values = [value_of(*pair) for pair in zip(readings, (image, *others), strict=True)]
    digits = decimals(image)
    texts = dict(zip(runners, (number(value, digits) for value in values), strict=True))
    frame = next(iter(runners.values())).frame
    truth = float(frame.truth[pixel]) if frame and frame.truth is not None else float("nan")
    judged = disparity_image(readings[0]) is not None and truth == truth
    why = dict.fromkeys(filter(None, map(reason, readings)))
    return PinnedPixel(
        pixel,
        texts.get("a", ""),
        texts.get("b", ""),
        difference_of(values, digits),
        number(truth, digits) if judged else "",
        ", ".join(why),
    )


def table_text(rows: list[PinnedPixel]) -> str:
    """Format the table of pinned pixels as CSV, with a line of headings."""
    return csv_of([HEADINGS, *(row.cells(number) for number, row in enumerate(rows, 1))])


def draw_pinned(context: PanelContext, rows: list[PinnedPixel]) -> None:
    """Draw the table of pinned pixels without its empty columns."""
    cells = [row.cells(number) for number, row in enumerate(rows, 1)]
    columns = [n for n in range(len(HEADINGS)) if n < 3 or any(row[n] for row in cells)]
    names, style = imgui.TableFlags_, imgui.get_style()
    flags = int(names.row_bg | names.sizing_fixed_fit | names.scroll_x)
    line = imgui.get_text_line_height() + 2 * style.cell_padding.y
    height = (len(cells) + 1) * line + style.scrollbar_size
    padding = imgui.ImVec2(style.cell_padding.x / 2, style.cell_padding.y)
    imgui.push_style_var(int(imgui.StyleVar_.cell_padding), padding)
    if imgui.begin_table("pinned", len(columns), flags, (0, height)):
        for column in columns:
            imgui.table_setup_column(HEADINGS[column])
        imgui.table_headers_row()
        for row in cells:
            imgui.table_next_row()
            for column in columns:
                imgui.table_next_column()
                imgui.text(row[column])
        imgui.end_table()
    imgui.pop_style_var()
    if imgui.small_button("copy as CSV"):
        context.state.effects.append(("copy pins",))
    imgui.same_line()
    if imgui.small_button("release all"):
        context.state.look = replace(context.state.look, pins=())
    imgui.separator()
