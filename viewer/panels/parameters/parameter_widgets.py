"""The widget of a parameter: a switch, a list, a region's four numbers, or a slider and a field."""

from typing import Any

from wheatstone.viewer.choices.words import in_words
from wheatstone.viewer.panels.parameters.parameter_rows import (
    LINEAR,
    ParameterRow,
    nearest,
    notches,
    snapped,
)
from wheatstone.viewer.panels.widgets import draw_combo

NUMBER = 4.2  # width of a number's field, in heights of a letter


def draw_widget(row: ParameterRow) -> Any:
    """Draw the widget that fits a parameter; return what it was set to, None or the old value."""
    from imgui_bundle import imgui

    control = row.control
    if row.is_switch:
        return imgui.checkbox("##switch", row.value)[1]
    if control.kind == "choice":
        imgui.set_next_item_width(-1)
        return draw_combo("##choice", row.value, row.control.choices, in_words)
    if control.kind == "region":
        flags = imgui.InputTextFlags_.enter_returns_true
        entered, numbers = imgui.input_int4("##region", list(row.value), flags)
        return tuple(numbers) if entered else None
    return _number(row)


def _number(row: ParameterRow) -> Any:
    """Draw a slider and a field to type into; return what was set, None if nothing was.

    What is typed counts when Enter is pressed.
    """
    from imgui_bundle import imgui

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
    typed = _field(row)
    if moved:
        return snapped(control, value)
    return None if typed is None else nearest(control, typed)


def _slide(row: ParameterRow, flags: int) -> tuple[bool, float]:
    """Draw the slider of a number; return whether it was moved, and where to."""
    from imgui_bundle import imgui

    low, high = row.control.low, row.control.high
    if row.control.kind == "int":
        return imgui.slider_int("##slider", row.value, int(low), int(high), "", flags)
    return imgui.slider_float("##slider", row.value, low, high, "", flags)


def _field(row: ParameterRow) -> float | None:
    """Draw the field of a number; return what was typed once Enter is pressed, else None."""
    from imgui_bundle import imgui

    enter = imgui.InputTextFlags_.enter_returns_true
    if row.control.kind == "int":
        entered, whole = imgui.input_int("##field", row.value, 0, 0, enter)
        return float(whole) if entered else None
    entered, number = imgui.input_double("##field", row.value, 0, 0, "%.4g", enter)
    return number if entered else None
