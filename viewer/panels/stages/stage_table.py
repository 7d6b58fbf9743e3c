"""The table of stage costs: a row for each stage, those of A above those of B."""

from collections.abc import Sequence

from wheatstone.viewer.choices.words import spoken
from wheatstone.viewer.panels.stages.stage_strip import HEADING_HELP, HEADINGS, Strip, cells, number
from wheatstone.viewer.panels.widgets import draw_at_right, draw_chip
from wheatstone.viewer.screen.dear_imgui import imgui

WIDTHS = (4.4, 4.0, 3.6, 3.7, 3.3, 3.9)  # of the columns of numbers, in font sizes


def draw_table(strips: Sequence[Strip], scale: float) -> None:
    """Draw the table of stage costs, with a scrollbar if necessary.

    Args:
        scale: screen pixels per unscaled unit.
    """
    flags = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (4 * scale, scale))
    if imgui.begin_table("stages", 1 + len(HEADINGS), int(flags)):
        _draw_headings()
        for strip in strips:
            _draw_rows(strip)
        imgui.end_table()
    imgui.pop_style_var()


def _draw_headings() -> None:
    """Draw the headings of the columns, which stay visible."""
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
        draw_at_right(heading, dim=True)
        imgui.set_item_tooltip(help)


def _draw_rows(strip: Strip) -> None:
    """Draw the rows of one slot: its name, its stages, their sum."""
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_disabled(f"{strip.letter}  {strip.name}")
    for line in strip.lines:
        imgui.table_next_row()
        imgui.table_next_column()
        draw_chip(line.color)
        imgui.text(spoken(line.stage))
        if line.help:
            imgui.set_item_tooltip(line.help)
        for cell in cells(line):
            imgui.table_next_column()
            draw_at_right(cell)
    if strip.lines:
        _draw_sum(strip)


def _draw_sum(strip: Strip) -> None:
    """Draw the sum of the medians, and the bandwidth of a copy, to which shares relate."""
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_disabled("sum; a copy")
    imgui.table_next_column()
    draw_at_right(f"{strip.total:.3f}", dim=True)
    imgui.table_set_column_index(3)
    copied = strip.peaks.copy_gigabytes_per_second if strip.peaks else None
    draw_at_right(number(copied), dim=True)
