"""The histogram panel: the frequency of values, and the range shown, which can be dragged."""

from typing import Any

import numpy as np

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.picture.range_choice import reset_ranges
from wheatstone.viewer.display.screen.dear_imgui import imgui, implot
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.histogram.counting import value_text
from wheatstone.viewer.panels.histogram.counts import PERCENTILES
from wheatstone.viewer.panels.histogram.histogram_view import (
    Counting,
    Plot,
    drag,
    fixed_ends,
    handles,
    summary,
)
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import AMBER, disabled, draw_switch, draw_tip

PADDING = (3, 2)  # of a cell


def percentile_rows(plot: Plot) -> list[tuple[str, str]]:
    """List percentiles and their values as texts; empty if no pixel has a value."""
    image = plot.what.parts[0].image
    percentiles = [(f"{percent:g} %", plot.counts.percentile(percent)) for percent in PERCENTILES]
    return [(name, value_text(value, image, 3)) for name, value in percentiles if value is not None]


def even_columns(number: int, widest: float, width: float) -> int:
    """Choose the number of columns so that equally wide cells fill all lines about evenly."""
    most = min(max(int(width // max(widest, 1.0)), 1), number)
    lines = -(-number // most)
    return -(-number // lines)


def percentiles_height(plot: Plot) -> float:
    """Compute the height of the table of percentiles in pixels.

    Without a table the height is that of one line, so that the plot does not move.
    """
    scale, rows = imgui.get_style().font_scale_dpi, percentile_rows(plot)
    lines = -(-len(rows) // _columns(rows)) if rows else 1
    return lines * 2 * (imgui.get_text_line_height() + 2 * PADDING[1] * scale)


def _columns(rows: list[tuple[str, str]]) -> int:
    """Choose the number of columns of the table of percentiles so that all cells fit."""
    widest = max(imgui.calc_text_size(text).x for row in rows for text in row)
    widest += 2 * PADDING[0] * imgui.get_style().font_scale_dpi
    return even_columns(len(rows), widest, imgui.get_content_region_avail().x)


def draw_percentiles(plot: Plot) -> None:
    """Draw the table of percentiles, unless the image has labels or no values."""
    rows = percentile_rows(plot)
    if not rows or plot.labels:
        return
    scale = imgui.get_style().font_scale_dpi
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (PADDING[0] * scale, PADDING[1] * scale))
    columns = _columns(rows)
    if imgui.begin_table("percentiles", columns):
        for begin in range(0, len(rows), columns):
            _draw_line(rows[begin : begin + columns])
        imgui.end_table()
    imgui.pop_style_var()


def _draw_line(rows: list[tuple[str, str]]) -> None:
    imgui.table_next_row()
    for name, _ in rows:
        imgui.table_next_column()
        imgui.text_disabled(name)
        draw_tip("this percentage of the pixels has at most this value")
    imgui.table_next_row()
    for _, value in rows:
        imgui.table_next_column()
        imgui.text(value)


BARS = Ink("bars")


class HistogramPanel(Body):
    """The contents of the histogram panel, drawn while it is open."""

    def __init__(self) -> None:
        self._counting = Counting()

    def update(self, context: PanelContext) -> None:
        """Count the values of the image under the cursor again if they have changed."""
        hit = context.hit
        self._counting.update(context.session, hit.pane if hit else None)

    def draw(self, context: PanelContext) -> None:
        """Draw the histogram, its switches, the range shown and the percentiles."""
        plot, state = self._counting.plot, context.state
        if not plot:
            imgui.text_disabled("Nothing is computed yet.")
            return
        imgui.text(plot.title)
        _draw_switches(state)
        _draw_plot(state, plot)
        imgui.text_wrapped(summary(plot.counts))
        _draw_range(state, plot)
        draw_percentiles(plot)


def _draw_switches(state: ViewerState) -> None:
    imgui.push_style_var(imgui.StyleVar_.frame_padding, (2, 1))
    draw_switch(state, "look.logarithmic", "logarithmic", "axis of the counts (Shift+G)")
    imgui.same_line()
    draw_switch(state, "look.whole", "whole image", "or only its visible part (Ctrl+G)")
    imgui.pop_style_var()


def _draw_plot(state: ViewerState, plot: Plot) -> None:
    log, font = state.look.logarithmic, imgui.get_font_size()
    spare = _height_below(plot)
    height = max(imgui.get_content_region_avail().y - spare, 8 * font)
    flags = implot.Flags_.no_legend | implot.Flags_.no_menus | implot.Flags_.no_mouse_text
    implot.push_style_var(implot.StyleVar_.plot_padding, (4, 4))
    seen = implot.begin_plot("##histogram", (-1, height), int(flags))
    implot.pop_style_var()
    if not seen:
        return
    _set_up_axes(state, plot)
    spec = implot.Spec(fill_color=BARS, line_color=BARS)
    heights = np.maximum(plot.bars[:, 1], 0.5 if log else 0.0)
    implot.plot_bars("##bars", np.ascontiguousarray(plot.bars[:, 0]), heights, plot.width, spec)
    _draw_handles(state, plot)
    implot.end_plot()


def _set_up_axes(state: ViewerState, plot: Plot) -> None:
    """Set up the axes of the histogram: values on the x axis, numbers of pixels on the y axis."""
    log, x, y = state.look.logarithmic, int(implot.ImAxis_.x1), int(implot.ImAxis_.y1)
    implot.setup_axes(plot.axis, "pixels (log)" if log else "pixels")
    low, high = _extent(state, plot)
    implot.setup_axis_limits(x, low, high, imgui.Cond_.always)
    highest = max(float(plot.bars[:, 1].max(initial=1)), 1.0)
    if log:
        implot.setup_axis_scale(y, implot.Scale_.log10)
    bottom, top = (0.5, highest * 2) if log else (0.0, highest * 1.05)
    implot.setup_axis_limits(y, bottom, top, imgui.Cond_.always)
    if plot.labels:
        numbers = [float(number) for number in range(len(plot.labels))]
        implot.setup_axis_ticks(x, numbers, list(plot.labels))


def _height_below(plot: Plot) -> float:
    """Compute the height in pixels of everything below the plot."""
    line, space = imgui.get_text_line_height(), imgui.get_style().item_spacing.y
    lines = 2 if plot.counts.invalid else 1
    range_height = imgui.get_frame_height_with_spacing()
    return lines * line + space + range_height + percentiles_height(plot) + 2 * space


def _extent(state: ViewerState, plot: Plot) -> tuple[float, float]:
    """Return the limits of the x axis, which cover all values and the range shown."""
    low, high = plot.extent
    if chosen := handles(state, plot):
        low, high = min(low, chosen[0]), max(high, chosen[1])
    spare = max((high - low) * 0.03, plot.width / 2)
    return low - spare, high + spare


def _draw_handles(state: ViewerState, plot: Plot) -> None:
    """Draw lines at the ends of the range shown, and set the range when the user drags one."""
    chosen = handles(state, plot)
    if not chosen:
        return
    scale = imgui.get_style().font_scale_dpi
    ends: list[float] = []
    for number, (value, fixed) in enumerate(zip(chosen, fixed_ends(plot), strict=True)):
        flags = implot.DragToolFlags_.no_inputs if fixed else implot.DragToolFlags_.none
        line: Any = implot.drag_line_x(number, value, AMBER, 2 * scale, int(flags))
        ends.append(_snapped(plot, line[1]) if line[0] else value)
    if tuple(ends) != chosen:
        drag(state, plot, *ends)


def _snapped(plot: Plot, value: float) -> float:
    """Round a value to the nearest one a pixel can have; floats to a thousandth of the extent."""
    step = plot.what.parts[0].image.scale
    if plot.what.parts[0].image.dtype.startswith("float"):
        step = (plot.extent[1] - plot.extent[0]) / 1000
    return round(value / step) * step


def _draw_range(state: ViewerState, plot: Plot) -> None:
    """Draw number fields for the range shown, and the buttons "fit" and "reset"."""
    chosen = handles(state, plot)
    if not chosen:
        imgui.text_disabled("no range: shown as it is")
        return
    width, moved = imgui.get_font_size() * 4.4, []
    for name, value, fixed in zip(("##low", "##high"), chosen, fixed_ends(plot), strict=True):
        imgui.set_next_item_width(width)
        enters = int(imgui.InputTextFlags_.enter_returns_true)
        with disabled(fixed):
            moved.append(imgui.input_double(name, value, 0, 0, "%.6g", enters))
        imgui.same_line()
        imgui.text("to" if name == "##low" else plot.what.parts[0].image.unit)
        imgui.same_line()
    if any(changed for changed, _ in moved):
        drag(state, plot, moved[0][1], moved[1][1])
    if imgui.button("fit"):
        state.effects.append(("fit range",))
    draw_tip("from the 1st to the 99th percentile of the visible values (N)")
    imgui.same_line()
    if imgui.button("reset"):
        reset_ranges(state)
    draw_tip("as declared (R)")
