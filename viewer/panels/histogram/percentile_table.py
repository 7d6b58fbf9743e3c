"""The table of percentiles below the histogram, in as many lines as its numbers need."""

from wheatstone.viewer.panels.histogram.counting import value_text
from wheatstone.viewer.panels.histogram.counts import PERCENTILES
from wheatstone.viewer.panels.histogram.histogram_view import Plot
from wheatstone.viewer.screen.dear_imgui import imgui

PADDING = (3, 2)  # of a cell


def percentile_rows(plot: Plot) -> list[tuple[str, str]]:
    """List percentiles and their values; none if no pixel has a value."""
    image = plot.what.parts[0].image
    found = [(f"{percent:g} %", plot.counts.percentile(percent)) for percent in PERCENTILES]
    return [(name, value_text(value, image, 3)) for name, value in found if value is not None]


def even_columns(number: int, widest: float, width: float) -> int:
    """Choose the number of a table's columns so that all cells fit and its lines are even.

    Args:
        number: of cells.
        widest: width of the widest cell, in the unit of ``width``.
        width: of the table.
    """
    most = min(max(int(width // max(widest, 1.0)), 1), number)
    lines = -(-number // most)
    return -(-number // lines)


def percentiles_height(plot: Plot) -> float:
    """Compute the table's height in pixels; one line without a table, so that the plot stays."""
    scale, rows = imgui.get_style().font_scale_dpi, percentile_rows(plot)
    lines = -(-len(rows) // _columns(rows)) if rows else 1
    return lines * 2 * (imgui.get_text_line_height() + 2 * PADDING[1] * scale)


def _columns(rows: list[tuple[str, str]]) -> int:
    """Choose the number of columns so that all cells fit."""
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
    """Draw some percentiles side by side, and their values below."""
    imgui.table_next_row()
    for name, _ in rows:
        imgui.table_next_column()
        imgui.text_disabled(name)
        imgui.set_item_tooltip("so many per cent of the pixels have at most this value")
    imgui.table_next_row()
    for _, value in rows:
        imgui.table_next_column()
        imgui.text(value)
