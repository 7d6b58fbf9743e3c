"""The widget of a parameter: a switch, a list, a region's four numbers, or a slider and a field."""

from typing import Any

from wheatstone.viewer.choices.words import in_words
from wheatstone.viewer.panels.parameters.parameter_rows import (
    LINEAR,
    ParameterRow,
    notches,
    snapped,
)
from wheatstone.viewer.panels.parameters.typed import Typed, number_text
from wheatstone.viewer.panels.widgets import draw_combo, draw_text_field
from wheatstone.viewer.screen.dear_imgui import imgui

NUMBER = 4.2  # width of a number's field, in heights of a letter


def draw_widget(row: ParameterRow) -> Any:
    """Draw the widget that fits a parameter.

    Return its new value, None or the old value; for text typed into fields, ``Typed``.
    """
    control = row.control
    if row.is_switch:
        return imgui.checkbox("##switch", row.value)[1]
    if control.kind == "choice":
        imgui.set_next_item_width(-1)
        return draw_combo("##choice", row.value, row.control.choices, in_words)
    return _region(row) if control.kind == "region" else _number(row)


def _region(row: ParameterRow) -> Typed | None:
    """Draw the fields of a region's numbers, which share the width."""
    shown = [str(number) for number in row.value]
    gap = imgui.get_style().item_inner_spacing.x
    width = (imgui.get_content_region_avail().x - gap * (len(shown) - 1)) / len(shown)
    typed = []
    for place, text in enumerate(shown):
        if place:
            imgui.same_line(0, gap)
        imgui.set_next_item_width(width)
        typed.append(draw_text_field(f"##field {place}", text))
    if all(text is None for text in typed):
        return None
    both = zip(typed, shown, strict=True)
    return Typed(tuple(old if new is None else new for new, old in both))


def _number(row: ParameterRow) -> Any:
    """Draw a slider and a text field; return the new value, None without a change."""
    control = row.control
    field = imgui.get_font_size() * NUMBER
    gap = imgui.get_style().item_inner_spacing.x
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - field - gap, field))
    flags = imgui.SliderFlags_.no_input
    if notches(control) > LINEAR:
        flags |= imgui.SliderFlags_.logarithmic
    moved, value = _slide(row, flags)
    imgui.same_line(0, gap)
    imgui.set_next_item_width(-1)
    typed = draw_text_field("##field", number_text(row.value))
    if typed is not None:
        return Typed((typed,))
    return snapped(control, value) if moved else None


def _slide(row: ParameterRow, flags: int) -> tuple[bool, float]:
    """Draw the slider of a number; return whether it was moved, and its value."""
    low, high = row.control.low, row.control.high
    if row.control.kind == "int":
        return imgui.slider_int("##slider", row.value, int(low), int(high), "", flags)
    return imgui.slider_float("##slider", row.value, low, high, "", flags)
