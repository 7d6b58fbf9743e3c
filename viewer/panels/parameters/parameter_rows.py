"""The rows of the parameter panel: value, default and explanation of each, and its widget."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wheatstone.gpu.parameters import Control, controls, defaults
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.choices import tuning
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.widgets import draw_combo, draw_text_field
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words, spoken

LINEAR = 256
"""The most steps that a linear slider can resolve; with more, it is logarithmic."""


@dataclass(frozen=True)
class ParameterRow:
    """One row of the parameter panel: a parameter of run A or B."""

    name: str
    control: Control
    value: Any
    default: Any
    idle: str = ""  # why the parameter has no effect now; empty if it has one

    @property
    def label(self) -> str:
        """Return the parameter's name for display."""
        return spoken(self.name)

    @property
    def changed(self) -> bool:
        """Return whether the value differs from the default."""
        return bool(self.value != self.default)

    @property
    def explanation(self) -> str:
        """Return the tooltip: help, allowed values, default, and why a change has no effect."""
        bounds = "on or off" if self.is_switch else self.control.bounds
        unit = f" {self.control.unit}" if self.control.unit else ""
        default = f"default {in_words(self.default)}{unit}"
        lines = [self.control.help, f"{bounds}{unit}; {default}"]
        return "\n".join(lines + ([f"No effect: {self.idle}."] if self.idle else []))

    @property
    def is_switch(self) -> bool:
        """Return whether the parameter is a switch: on or off."""
        return self.control.choices == (False, True)


def rows(slot: Run) -> tuple[ParameterRow, ...]:
    """List the parameters of run A or B as rows, in the order of their declaration."""
    values, usual = slot.params.values(), defaults(slot.pipeline.params)
    return tuple(
        ParameterRow(name, control, values[name], usual[name], idle(slot, name))
        for name, control in controls(slot.pipeline.params).items()
    )


def grouped(listed: Sequence[ParameterRow], slot: Run) -> dict[str, list[ParameterRow]]:
    """Group rows as the pipeline declares; all in one group if the pipeline declares none."""
    by_name = {row.name: row for row in listed}
    groups = slot.pipeline.params.groups or ({"Parameters": tuple(by_name)} if by_name else {})
    return {heading: [by_name[name] for name in names] for heading, names in groups.items()}


def idle(slot: Run, name: str) -> str:
    """Return the reason why a parameter has no effect in a run; empty if it may have one."""
    if name in slot.declaration.ignores:
        return f"{slot.variant} does not read it"
    pipeline = slot.pipeline
    readers = [stage for stage in pipeline.stages if name in stage.params]
    if not readers or name in decisive(pipeline):
        return ""
    if any(stage.when(slot.params) for stage in readers):
        return ""
    stages = " and ".join(dict.fromkeys(spoken(stage.name) for stage in readers))
    return f"{stages} does not run"


def decisive(pipeline: Pipeline) -> frozenset[str]:
    """Return the names of parameters that determine which stages run or the size of images."""
    codes = [stage.when.__code__ for stage in pipeline.stages]
    codes += [stage.each.__code__ for stage in pipeline.stages if stage.each]
    named = {name for code in codes for name in code.co_names}
    dims = {str(dim) for image in pipeline.images for dim in image.dims}
    return frozenset(controls(pipeline.params)) & (named | dims)


def reached(row: ParameterRow) -> Control:
    """Return a parameter's control, with its usual range if the present value lies within it."""
    control = row.control
    usual = row.value <= control.usual < control.high
    return replace(control, high=control.usual) if usual else control


def notches(control: Control) -> int:
    """Return the number of steps between the ends of a slider."""
    return round((control.high - control.low) / control.step)


def snapped(control: Control, value: float) -> Any:
    """Round a slider's position to the nearest multiple of the step, within the limits."""
    steps = round((value - control.low) / control.step)
    near = min(max(control.low + steps * control.step, control.low), control.high)
    return int(near) if control.kind == "int" else float(round(near, 9))


def nearest(control: Control, value: float) -> Any:
    """Return the allowed value that is nearest to a typed number."""
    inside = min(max(value, control.low), control.high)
    if control.kind == "float":
        return float(inside)
    return int(control.low + round((inside - control.low) / control.stride) * control.stride)


LARGEST = 2**31 - 1  # of what is typed; every bound lies far below


@dataclass(frozen=True)
class Typed:
    """The texts typed into a parameter's fields: one for a number, four for a region."""

    texts: tuple[str, ...]


def take_typed(state: ViewerState, row: ParameterRow, typed: Typed) -> None:
    """Set a parameter to the typed value, or report why it was refused or adjusted."""
    try:
        numbers = tuple(map(_parsed, typed.texts))
    except ValueError as error:
        state.report_error(f"{row.label} stays {in_words(row.value)}: {error}")
        return
    if row.control.kind == "region":
        tuning.set_parameter(state, row.name, tuple(map(round, numbers)))
        return
    value: Any = nearest(row.control, numbers[0])
    tuning.set_parameter(state, row.name, value)
    if value != numbers[0] and tuning.tuned(state).params.values()[row.name] == value:
        bounds = f"{row.control.bounds} {row.control.unit}".rstrip()
        state.warn(f"{row.label} {in_words(value)}, not {typed.texts[0].strip()}: {bounds}")


def _parsed(text: str) -> float:
    """Parse a number. Raises ``ValueError`` if the text is no number or the number too large."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"{text.strip()!r} is not a number")
    if abs(number) > LARGEST:
        raise ValueError(f"{text.strip()} is too large")
    return number


NUMBER = 4.2  # width of a number's field, in heights of a letter


def draw_widget(row: ParameterRow) -> Any:
    """Draw the widget of a parameter; return its new value or its ``Typed`` texts.

    Without a change, returns the old value or None.
    """
    control = row.control
    if row.is_switch:
        return imgui.checkbox("##switch", row.value)[1]
    if control.kind == "choice":
        imgui.set_next_item_width(-1)
        return draw_combo("##choice", row.value, row.control.choices, in_words)
    return _region(row) if control.kind == "region" else _number(row)


def _region(row: ParameterRow) -> Typed | None:
    """Draw the fields of a region's numbers side by side; return their texts if any changed."""
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
    """Draw a slider and a text field for a number; return a new value or typed text, else None."""
    control, reach = row.control, reached(row)
    field = imgui.get_font_size() * NUMBER
    gap = imgui.get_style().item_inner_spacing.x
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - field - gap, field))
    flags = imgui.SliderFlags_.no_input
    if notches(reach) > LINEAR:
        flags |= imgui.SliderFlags_.logarithmic
    shown, low, high = row.value, reach.low, reach.high
    moved, value = (
        imgui.slider_int("##slider", shown, int(low), int(high), "", flags)
        if control.kind == "int"
        else imgui.slider_float("##slider", shown, low, high, "", flags)
    )
    imgui.same_line(0, gap)
    imgui.set_next_item_width(-1)
    text = f"{row.value:.4g}" if isinstance(row.value, float) else str(row.value)
    typed = draw_text_field("##field", text)
    if typed is not None:
        return Typed((typed,))
    return snapped(control, value) if moved else None
