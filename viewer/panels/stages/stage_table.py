"""What stages cost, in numbers: a row a stage, those of A above those of B."""

from collections.abc import Sequence

from viewer.panels.stages.stage_bars import chip
from viewer.panels.stages.stage_strip import HEADING_HELP, HEADINGS, Strip, cells, number

WIDTHS = (4.4, 4.0, 3.6, 3.7, 3.3, 3.9)  # of the columns of numbers, in font sizes


def draw_table(strips: Sequence[Strip], scale: float) -> None:
    """Draw the table; it scrolls if it must.

    Args:
        scale: pixels a unit of the unscaled screen.
    """
    from imgui_bundle import imgui

    flags = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (4 * scale, scale))
    if imgui.begin_table("stages", 1 + len(HEADINGS), int(flags)):
        _draw_headings()
        for strip in strips:
            _draw_rows(strip)
        imgui.end_table()
    imgui.pop_style_var()


def _draw_headings() -> None:
    from imgui_bundle import imgui

    font = imgui.get_font_size()
    fixed, stretched = imgui.TableColumnFlags_.width_fixed, imgui.TableColumnFlags_.width_stretch
    imgui.table_setup_column("stage", stretched)
    for heading, width in zip(HEADINGS, WIDTHS, strict=True):
        imgui.table_setup_column(heading, fixed, width * font)
    imgui.table_setup_scroll_freeze(0, 1)
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_disabled("stage")
    for heading, help in zip(HEADINGS, HEADING_HELP, strict=True):
        imgui.table_next_column()
        _draw_right(heading, disabled=True)
        imgui.set_item_tooltip(help)


def _draw_rows(strip: Strip) -> None:
    from imgui_bundle import imgui

    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_disabled(f"{strip.letter}  {strip.name}")
    for line in strip.lines:
        imgui.table_next_row()
        imgui.table_next_column()
        chip(line.color)
        imgui.text(line.stage.replace("_", " "))
        if line.help:
            imgui.set_item_tooltip(line.help)
        for cell in cells(line):
            imgui.table_next_column()
            _draw_right(cell)
    if strip.lines:
        _draw_sum(strip)


def _draw_sum(strip: Strip) -> None:
    """The sum of the medians, and the bandwidth that the shares are of."""
    from imgui_bundle import imgui

    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_disabled("sum; a copy")
    imgui.table_next_column()
    _draw_right(f"{strip.total:.3f}", disabled=True)
    imgui.table_set_column_index(3)
    copied = strip.peaks.copy_gigabytes_per_second if strip.peaks else None
    _draw_right(number(copied), disabled=True)


def _draw_right(text: str, disabled: bool = False) -> None:
    """Text at the right end of a column."""
    from imgui_bundle import imgui

    room = imgui.get_content_region_avail().x - imgui.calc_text_size(text).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0))
    (imgui.text_disabled if disabled else imgui.text)(text)
