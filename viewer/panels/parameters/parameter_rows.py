"""The rows of the parameter panel as data: value, default, explanation and state of each."""

from dataclasses import dataclass
from typing import Any

from wheatstone.gpu.parameters import Control, controls, defaults
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.choices.words import in_words, spoken
from wheatstone.viewer.run.run import Run

LINEAR = 256
"""The most steps that a linear slider can resolve; with more, it is logarithmic."""


@dataclass(frozen=True)
class ParameterRow:
    """One parameter of a slot.

    Attributes:
        idle: why the parameter has no effect now; empty if it has one.
    """

    name: str
    control: Control
    value: Any
    default: Any
    idle: str = ""

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
        """Return the tooltip: help, allowed values, default, and why it has no effect."""
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
    """List a slot's parameters in the order of their declaration."""
    values, usual = slot.params.values(), defaults(slot.pipeline.params)
    return tuple(
        ParameterRow(name, control, values[name], usual[name], idle(slot, name))
        for name, control in controls(slot.pipeline.params).items()
    )


def idle(slot: Run, name: str) -> str:
    """Return why a parameter has no effect: the variant ignores it, or its stages do not run."""
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
    """Return the parameters that decide which stages run and how large images are."""
    codes = [stage.when.__code__ for stage in pipeline.stages]
    codes += [stage.each.__code__ for stage in pipeline.stages if stage.each]
    named = {name for code in codes for name in code.co_names}
    dims = {str(dim) for image in pipeline.images for dim in image.dims}
    return frozenset(controls(pipeline.params)) & (named | dims)


def notches(control: Control) -> int:
    """Count the steps between a slider's ends."""
    return round((control.high - control.low) / control.step)


def snapped(control: Control, value: float) -> Any:
    """Round a slider's position to the nearest multiple of the step, within the limits."""
    steps = round((value - control.low) / control.step)
    near = min(max(control.low + steps * control.step, control.low), control.high)
    return int(near) if control.kind == "int" else float(round(near, 9))


def nearest(control: Control, value: float) -> Any:
    """Return the allowed value nearest to a typed one."""
    inside = min(max(value, control.low), control.high)
    if control.kind == "float":
        return float(inside)
    return int(control.low + round((inside - control.low) / control.stride) * control.stride)
