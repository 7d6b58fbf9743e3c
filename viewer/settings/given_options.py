"""Change a viewer state by those options of ``view`` and ``render`` that choose the view."""

import math
from dataclasses import replace
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import needs
from wheatstone.gpu.parameters import controls, did_you_mean
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import VIEW, Choice, choices
from wheatstone.viewer.choices.tuning import with_preset
from wheatstone.viewer.display.picture.range_choice import choose_range
from wheatstone.viewer.options import parameter_value
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.choice_options import ShownOptions, option_key
from wheatstone.viewer.settings.saved_choices import set_choices


def apply_options(state: ViewerState, options: ShownOptions) -> None:
    """Change a viewer state by the options that were given; all else stays unchanged.

    Options build on the state: a preset changes only the parameters that it names, a range belongs
    to the view shown.

    Raises:
        ValueError: there is no such preset, variant, view or parameter, or a value is not allowed.
        Unavailable: a variant needs a device that is absent.
    """
    slot = with_preset(state, state.slot, options.preset) if options.preset else state.slot
    state.slot = replace(slot, params=slot.params.changed(**options.params))
    if options.variant:
        state.choose_variant(_runnable(state, slot, options.variant))
    if options.view:
        state.set_view(slot.pipeline, options.view)
    _apply_slot_b(state, options)
    for choice in choices():
        value = options.choices.get(option_key(choice))
        if value is not None and choice is not VIEW:
            _apply_choice(state, choice, value)
    set_choices(state, options.set)
    if options.range:
        choose_range(state, options.range)


def _apply_slot_b(state: ViewerState, options: ShownOptions) -> None:
    slot, linked = state.slot_b, state.linked
    own_parameters = options.b_pipeline or options.b_preset or options.b_set
    if own_parameters:
        slot, linked = _with_own_parameters(state, options), False
    if options.b_variant:
        slot = replace(slot, variant=_runnable(state, slot, options.b_variant, "B's "))
    if options.b_view:
        state.set_view(slot.pipeline, options.b_view)
    own_view = options.b_view and slot.pipeline != state.slot.pipeline
    if own_parameters or options.b_variant or own_view:
        state.b, state.linked = slot, linked


def _runnable(state: ViewerState, slot: Run, name: str, whose: str = "") -> str:
    """Return a variant's name; raise ``Unavailable`` if this machine cannot compute it."""
    variant = slot.pipeline.variant(name)
    if why := state.absent.get(variant.device, ""):
        raise Unavailable(whose + needs(variant.name, variant.device, why))
    return variant.name


def _with_own_parameters(state: ViewerState, options: ShownOptions) -> Run:
    """Return run B, changed to the pipeline, preset and parameters of its options."""
    slot = state.slot_b if state.b or state.sources.other else state.slot
    if options.b_pipeline and options.b_pipeline != slot.pipeline.name:
        slot = default_slot(options.b_pipeline, state.absent)
    if options.b_preset:
        slot = with_preset(state, slot, options.b_preset)
    known = controls(slot.pipeline.params)
    changes: dict[str, Any] = {}
    for name, text in options.b_set:
        if name not in known:
            has_none = f"{slot.pipeline.name} has no parameter {name!r}{did_you_mean(name, known)}"
            raise ValueError(f"{has_none}; it has {', '.join(known)}")
        changes[name] = parameter_value(known[name], name, text)
    return replace(slot, params=slot.params.changed(**changes))


def _apply_choice(state: ViewerState, choice: Choice, given: Any) -> None:
    """Set one display choice, and the choices of its group that depend on it.

    Raises:
        ValueError: the value is impossible here.
    """
    option = choice.traits.option
    value = choice.traits.flag_values[given] if choice.traits.flag_values else given
    numbers = value if isinstance(value, tuple) else (value,)
    if any(isinstance(n, float) and not math.isfinite(n) for n in numbers):
        many = "finite numbers" if len(numbers) > 1 else "a finite number"
        raise ValueError(f"--{option} must be {many} (got {value})")
    choice.control.check(f"--{option}", value)
    why_not = choice.traits.why_not
    if reason := why_not and why_not(state, value):
        raise ValueError(f"no {option.replace('-', ' ')}: {reason}")
    if choice.group:  # not ``choice.put``, which resets the choices of other groups
        setattr(state, choice.group, getattr(state, choice.group).chosen(choice.name, value))
    else:
        choice.put(state, value)
