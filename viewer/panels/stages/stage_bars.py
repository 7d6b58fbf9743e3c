"""Bars of stage times: one for run A, one for B, a segment for each stage, a common axis."""

from collections.abc import Sequence
from typing import Any

from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.axes import nice_ticks
from wheatstone.viewer.panels.stages.stage_strip import StageLine, Strip, text_color
from wheatstone.viewer.panels.widgets import (
    draw_chip,
    draw_wrapped,
    packed,
    stay_on_line,
    text_width,
)
from wheatstone.viewer.theme import Rgb
from wheatstone.viewer.words import spoken

BAR = 1.35  # height of a bar, in font sizes
TICK_LABEL = 0.85  # size of the axis' numbers, in font sizes
MARK = Ink("sum")  # of frames that are not measured stage by stage


def draw_bars(strips: Sequence[Strip], rates: str, waiting: str, scale: float) -> None:
    """Draw the frame rates, the bars with their axis, and the names of stages that do not fit."""
    imgui.push_style_var(imgui.StyleVar_.item_spacing, (0, 3 * scale))
    draw_wrapped(rates)
    longest = max((strip.longest for strip in strips), default=0.0)
    unnamed: dict[str, Rgb] = {}
    for strip in strips:
        imgui.text(f"{strip.letter}  {strip.name}")
        width = text_width(strip.summary) + imgui.get_font_size()  # with its mark
        stay_on_line(width, imgui.get_font_size())
        if strip.whole is not None:
            _draw_mark(scale)
        imgui.text_disabled(strip.summary)
        if not strip.lines:
            imgui.text_disabled(waiting)
            continue
        unnamed |= _draw_bar(strip, longest, scale)
    if any(strip.lines for strip in strips):
        _draw_axis(longest)
        _draw_names(unnamed)
    elif not strips:
        imgui.text_disabled(waiting)
    imgui.pop_style_var()


def _draw_mark(scale: float) -> None:
    """Draw the line that marks times of frames computed without measuring each stage."""
    left, top = imgui.get_cursor_screen_pos()
    bottom = top + imgui.get_text_line_height()
    canvas = imgui.get_window_draw_list()
    canvas.add_line((left, top), (left, bottom), imgui.get_color_u32(MARK), 2 * scale)
    imgui.dummy((2 * scale, imgui.get_text_line_height()))
    imgui.same_line(0, imgui.get_font_size() * 0.3)


def _draw_bar(strip: Strip, longest: float, scale: float) -> dict[str, Rgb]:
    """Draw the bar of run A or B; return the stages whose names do not fit, with their colours.

    The bar of ``longest`` milliseconds fills the width.
    """
    left, top = imgui.get_cursor_screen_pos()
    width, height = imgui.get_content_region_avail().x, BAR * imgui.get_font_size()
    canvas, unnamed, begin = imgui.get_window_draw_list(), {}, 0.0
    imgui.dummy((width, height))
    for line in strip.lines:
        end = begin + line.milliseconds
        x0, x1 = (left + width * edge / longest for edge in (begin, end))
        x1 = max(x1 - scale, x0 + 1)  # a gap
        canvas.add_rect_filled((x0, top), (x1, top + height), packed(line.color))
        if imgui.is_mouse_hovering_rect((x0, top), (x1, top + height)):
            _explain(strip, line)
        if not _draw_name(canvas, line, (x0, top), (x1 - x0, height)):
            unnamed[line.stage] = line.color
        begin = end
    if strip.whole is not None:
        x, reach = left + width * strip.whole / longest, 2 * scale
        canvas.add_line(
            (x, top - reach), (x, top + height + reach), imgui.get_color_u32(MARK), reach
        )
    return unnamed


def _draw_name(
    canvas: Any, line: StageLine, place: tuple[float, float], size: tuple[float, float]
) -> bool:
    """Draw a stage's name in its segment if it fits; return whether it fits."""
    name, font = spoken(line.stage), imgui.get_font_size()
    taken = imgui.calc_text_size(name)
    if taken.x + font / 2 > size[0]:
        return False
    x, y = place[0] + (size[0] - taken.x) / 2, place[1] + (size[1] - taken.y) / 2
    canvas.add_text((x, y), packed(text_color(line.color)), name)
    return True


def _explain(strip: Strip, line: StageLine) -> None:
    """Draw a tooltip with a stage's help and times."""
    part = line.milliseconds / strip.total if strip.total else 0.0
    imgui.set_tooltip(
        f"{spoken(line.stage)}: {line.help}\nmedian {line.milliseconds:.3f} ms, p95 "
        f"{line.p95:.3f} ms, {part:.0%} of all stages\nframes measured stage by stage: "
        f"{strip.measured}; the vertical line is the median of all others"
    )


def _draw_axis(longest: float) -> None:
    """Draw the axis of milliseconds below the bars."""
    left, top = imgui.get_cursor_screen_pos()
    width, font = imgui.get_content_region_avail().x, imgui.get_font_size() * TICK_LABEL
    canvas, color = imgui.get_window_draw_list(), imgui.get_color_u32(imgui.Col_.text_disabled)
    top -= imgui.get_style().item_spacing.y / 2
    imgui.push_font(None, imgui.get_style().font_size_base * TICK_LABEL)
    for tick in nice_ticks(longest):
        x, label = left + width * tick / longest, f"{tick:g}" if tick else "0 ms"
        canvas.add_line((x, top), (x, top + font / 3), color)
        taken = imgui.calc_text_size(label).x
        start = min(max(x - taken / 2, left), left + width - taken)
        canvas.add_text((start, top + font / 3), color, label)
    imgui.pop_font()
    imgui.dummy((width, font * 1.2))


def _draw_names(colors: dict[str, Rgb]) -> None:
    """Draw the names of stages with their colours, side by side if they fit."""
    end = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    for number, (stage, color) in enumerate(colors.items()):
        name = spoken(stage)
        taken = imgui.calc_text_size(name).x + 2 * imgui.get_font_size()
        if number and imgui.get_item_rect_max().x + taken < end:
            imgui.same_line(0, imgui.get_font_size() * 0.8)
        draw_chip(color)
        imgui.text_disabled(name)
