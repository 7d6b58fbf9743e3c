"""Draw the table of pinned pixels, with buttons below to copy and to clear it."""

from dataclasses import replace

from wheatstone.viewer.panels.inspector.pinned_pixels import HEADINGS, PinnedPixel
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.screen.dear_imgui import imgui


def draw_pinned(context: PanelContext, rows: list[PinnedPixel]) -> None:
    """Draw the columns that are not empty, one row per pixel; a wide table scrolls."""
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
