"""Draw the rows of the leader board: a bar behind name and time, details below."""

import math
from typing import Any

from wheatstone.viewer.panels.race.race_board import BoardRow
from wheatstone.viewer.panels.widgets import QUIET, draw_wrapped
from wheatstone.viewer.screen.style import Ink

BAR, LEADER, STAR, WRONG = Ink("bar"), Ink("leading bar"), Ink("star"), Ink("wrong")
TIMES = 9.0  # width of time and speed at a row's right, in heights of a line


def draw_row(row: BoardRow) -> None:
    """Draw a row of the board, its bar behind it, and the details below."""
    from imgui_bundle import imgui

    em, font = imgui.get_font_size(), imgui.get_font()
    corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    room = max(width - (TIMES if row.time else 0.3) * em - 1.6 * em, em)
    height = imgui.calc_text_size(row.name, wrap_width=room).y
    canvas, end = imgui.get_window_draw_list(), corner.y + height + em / 3
    if row.time:
        color = imgui.get_color_u32(LEADER if row.leads else BAR)
        canvas.add_rect_filled(corner, (corner.x + width * row.share, end), color, em / 5)
    y, ink = corner.y + em / 6, imgui.get_color_u32(imgui.Col_.text)
    if row.leads:
        _draw_star(corner.x + em * 0.7, y + em / 2, em * 0.45)
    elif row.time:
        canvas.add_text((corner.x + em * 0.5, y), ink, row.place)
    canvas.add_text(font, em, (corner.x + em * 1.6, y), ink, row.name, wrap_width=room)
    for text, right in ((f"{row.time} ms" if row.time else "", 4.2), (row.speed, 0.3)):
        x = corner.x + width - right * em - imgui.calc_text_size(text).x
        canvas.add_text((x, y), ink, text)
    imgui.dummy((width, end - corner.y - em / 4))
    imgui.indent(em * 1.6)
    draw_wrapped(row.details, WRONG if row.wrong else QUIET)
    imgui.unindent(em * 1.6)


def _draw_star(x: float, y: float, radius: float) -> None:
    """Draw a star of five points around a place."""
    from imgui_bundle import imgui

    turns = [(i * math.pi / 5, radius if i % 2 == 0 else radius * 0.42) for i in range(10)]
    points: Any = [(x + r * math.sin(a), y - r * math.cos(a)) for a, r in turns]
    imgui.get_window_draw_list().add_concave_poly_filled(points, imgui.get_color_u32(STAR))
