"""The table of pinned pixels on screen, below it buttons to copy and to clear it."""

from dataclasses import replace

from viewer.panels.inspector.pinned_pixels import HEADINGS, PinnedPixel
from viewer.panels.panel import PanelContext


def draw_pinned(desk: PanelContext, rows: list[PinnedPixel]) -> None:
    """Draw the columns that say something of any pixel, a row a pixel."""
    from imgui_bundle import imgui

    cells = [row.cells(number) for number, row in enumerate(rows, 1)]
    columns = [n for n in range(len(HEADINGS)) if n < 3 or any(row[n] for row in cells)]
    flags = imgui.TableFlags_
    if imgui.begin_table("pinned", len(columns), int(flags.row_bg | flags.sizing_fixed_fit)):
        for column in columns:
            imgui.table_setup_column(HEADINGS[column])
        imgui.table_headers_row()
        for row in cells:
            imgui.table_next_row()
            for column in columns:
                imgui.table_next_column()
                imgui.text(row[column])
        imgui.end_table()
    if imgui.small_button("copy as CSV"):
        desk.state.errands.append(("copy pins",))
    imgui.same_line()
    if imgui.small_button("release all"):
        desk.state.look = replace(desk.state.look, pins=())
    imgui.separator()
