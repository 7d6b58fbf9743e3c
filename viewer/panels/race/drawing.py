"""Drawing of the leader board of a race of variants, and of the plot of a parameter sweep."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from wheatstone.gpu.pipeline import Sweep
from wheatstone.viewer.display.screen.dear_imgui import imgui, implot
from wheatstone.viewer.display.screen.style import SERIES, Ink
from wheatstone.viewer.panels.axes import decade_ticks
from wheatstone.viewer.panels.race.race_board import BoardRow, endings, extent
from wheatstone.viewer.panels.race.sweeping import Curve
from wheatstone.viewer.panels.widgets import QUIET, draw_tip, draw_wrapped

BAR, LEADER, STAR, WRONG = Ink("bar"), Ink("leading bar"), Ink("star"), Ink("wrong")
TIMES = 9.0  # width of time and speed at a row's right, in heights of a line
MOST_TICKS = 6
MARKERS = {  # corners, and by how many right angles the first is turned from the right
    "circle": (12, 0.0),
    "square": (4, 0.5),
    "diamond": (4, 0.0),
    "up": (3, -1.0),
    "down": (3, 1.0),
    "left": (3, 2.0),
    "right": (3, 0.0),
    "cross": (0, 0.0),
}


def draw_row(row: BoardRow) -> None:
    """Draw a row of the leader board: its bar, rank, name and time, and the details below."""
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
    draw_tip(row.meaning)
    imgui.indent(em * 1.6)
    draw_wrapped(row.details, WRONG if row.wrong else QUIET)
    imgui.unindent(em * 1.6)


def _draw_star(x: float, y: float, radius: float) -> None:
    turns = [(i * math.pi / 5, radius if i % 2 == 0 else radius * 0.42) for i in range(10)]
    points: Any = [(x + r * math.sin(a), y - r * math.cos(a)) for a, r in turns]
    imgui.get_window_draw_list().add_concave_poly_filled(points, imgui.get_color_u32(STAR))


def draw_sweep(curves: Sequence[Curve], sweep: Sweep, axis: str, height: float) -> None:
    """Draw the plot of a sweep, ``height`` pixels high, and below it why some curves end early."""
    ends = extent(curves, sweep.places)
    flags = implot.Flags_.no_title | implot.Flags_.no_legend | implot.Flags_.no_inputs
    if implot.begin_plot("##sweep", (-1, height), int(flags)):
        implot.setup_axes(axis, "ms per frame (log)")
        x, y = int(implot.ImAxis_.x1), int(implot.ImAxis_.y1)
        implot.setup_axis_limits(x, ends.left, ends.right, imgui.Cond_.always)
        implot.setup_axis_limits(y, ends.bottom, ends.top, imgui.Cond_.always)
        implot.setup_axis_scale(y, implot.Scale_.log10)
        if ends.logarithmic:
            implot.setup_axis_scale(x, implot.Scale_.log10)
        implot.setup_axis_ticks(x, list(sweep.places), [f"{place:g}" for place in sweep.places])
        implot.setup_axis_ticks(y, *decade_ticks(ends.bottom, ends.top, MOST_TICKS))
        for number, curve in enumerate(curves):
            if curve.places:
                _draw_curve(curve, number)
        implot.end_plot()
    _draw_legend(curves)
    for line in endings(curves):
        draw_wrapped(line)


def _draw_curve(curve: Curve, number: int) -> None:
    color = SERIES[number % len(SERIES)]
    spec = implot.Spec(
        line_color=color,
        line_weight=imgui.get_font_size() / 8,
        marker=getattr(implot.Marker_, list(MARKERS)[number % len(MARKERS)]),
        marker_size=imgui.get_font_size() / 4,
        marker_fill_color=color,
        marker_line_color=color,
    )
    places, times = np.array(curve.places, float), np.array(curve.milliseconds, float)
    implot.plot_line(curve.variant.name, places, times, spec=spec)


def _draw_legend(curves: Sequence[Curve]) -> None:
    """Draw the marker and the name of every curve, the slowest first, side by side if they fit."""
    listed = [(number, curve) for number, curve in enumerate(curves) if curve.places]
    listed.sort(key=lambda pair: -pair[1].milliseconds[-1])
    em, left = imgui.get_font_size(), imgui.get_cursor_screen_pos().x
    ends = left + imgui.get_content_region_avail().x
    for index, (number, curve) in enumerate(listed):
        width = em * 1.4 + imgui.calc_text_size(curve.variant.name).x
        if index and imgui.get_item_rect_max().x + em + width < ends:
            imgui.same_line(0, em)
        corner = imgui.get_cursor_screen_pos()
        _draw_marker(number, corner.x + em * 0.5, corner.y + em * 0.5, em * 0.32)
        ink = imgui.get_color_u32(imgui.Col_.text)
        imgui.get_window_draw_list().add_text((corner.x + em, corner.y), ink, curve.variant.name)
        imgui.dummy((width, em))


def _draw_marker(number: int, x: float, y: float, radius: float) -> None:
    canvas = imgui.get_window_draw_list()
    color = imgui.get_color_u32(SERIES[number % len(SERIES)])
    corners, turn = list(MARKERS.values())[number % len(MARKERS)]
    if not corners:
        reach, thick = radius * 0.8, radius * 0.4
        canvas.add_line((x - reach, y - reach), (x + reach, y + reach), color, thick)
        canvas.add_line((x - reach, y + reach), (x + reach, y - reach), color, thick)
        return
    angles = [(turn + 4 * corner / corners) * math.pi / 2 for corner in range(corners)]
    points: Any = [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]
    canvas.add_convex_poly_filled(points, color)
