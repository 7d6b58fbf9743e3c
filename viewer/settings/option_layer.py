"""The uppermost layer of a recipe, from the options of ``view`` and ``render``."""

import math
from dataclasses import fields, replace
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import needs
from wheatstone.gpu.likeness import did_you_mean
from wheatstone.gpu.parameters import controls
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import VIEW, Choice, choices
from wheatstone.viewer.choices.tuning import with_preset
from wheatstone.viewer.options import parameter_value
from wheatstone.viewer.picture.range_choice import choose_range
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.chosen import plain, set_choices
from wheatstone.viewer.settings.layers import Machine, merged
from wheatstone.viewer.settings.recipe import Recipe, section_of_b
from wheatstone.viewer.settings.shown_options import ShownOptions, option_key


def option_layer(options: ShownOptions, below: Recipe, machine: Machine) -> Recipe:
    """Return the layer of the choices that options make, without those that they leave open.

    Options build on the present state: a preset changes only the parameters that it names, a range
    belongs to the view shown. So each part sees the state that the layers below and the parts
    before it make.

    Args:
        below: the layers below, merged.

    Raises:
        ValueError: there is no such preset, variant, view or parameter, or a value is not allowed.
        Unavailable: a variant needs a device that is absent.
    """
    layer: Recipe = {}
    for part in (_slot_a, _slot_b, _choices, _single_choices, _range):
        state = machine.state(merged(below, layer))
        layer = merged(layer, part(state, options))
    return layer


def _slot_a(state: ViewerState, options: ShownOptions) -> Recipe:
    """Return the layer of parameters, variant and view of A."""
    slot = with_preset(state, state.slot, options.preset) if options.preset else state.slot
    layer: Recipe = {"params": slot.params.changed(**options.params).values(), "view": {}}
    if options.variant:
        layer["view"]["variant"] = _runnable(state, slot, options.variant)
    if options.view:
        layer["view"]["view"] = options.view
    return layer


def _slot_b(state: ViewerState, options: ShownOptions) -> Recipe:
    """Return the layer of B's pipeline, parameters, variant and view; empty without options."""
    slot, linked, view = state.slot_b, state.linked, {}
    own_parameters = options.b_pipeline or options.b_preset or options.b_set
    if own_parameters:
        slot, linked = _with_own_parameters(state, options), False
    if options.b_variant:
        slot = replace(slot, variant=_runnable(state, slot, options.b_variant, "B's "))
    if options.b_view:
        view = {"view": slot.pipeline.view(options.b_view).name}
    if own_parameters or options.b_variant:
        return {"b": section_of_b(replace(state, b=slot, linked=linked)) | view}
    if not view:
        return {}
    if slot.pipeline == state.slot.pipeline:  # one view for both slots
        return {"view": view}
    return {"b": section_of_b(state) | view}


def _runnable(state: ViewerState, slot: Run, name: str, whose: str = "") -> str:
    """Return the name of a variant. Raises ``Unavailable`` if this machine cannot run it."""
    variant = slot.pipeline.variant(name)
    if why := state.absent.get(variant.device, ""):
        raise Unavailable(whose + needs(variant.name, variant.device, why))
    return variant.name


def _with_own_parameters(state: ViewerState, options: ShownOptions) -> Run:
    """Make the slot B whose pipeline or parameters options choose."""
    slot = state.slot_b
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


def _choices(state: ViewerState, options: ShownOptions) -> Recipe:
    """Return the layer of the viewer's own choices made by options of their own."""
    layer: Recipe = {}
    for choice in choices():
        given = options.choices.get(option_key(choice))
        if given is not None and choice is not VIEW:  # ``_slot_a`` writes the view down
            value = choice.traits.flag_values[given] if choice.traits.flag_values else given
            _check(state, choice, value)
            layer = merged(layer, _in_its_section(choice, _entailed(state, choice, value)))
            choice.put(state, value)  # for the choices that follow
    return layer


def _check(state: ViewerState, choice: Choice, value: Any) -> None:
    """Raise ``ValueError`` if an option chooses a value that is impossible here."""
    option = choice.traits.option
    numbers = value if isinstance(value, tuple) else (value,)
    if any(isinstance(n, float) and not math.isfinite(n) for n in numbers):
        many = "finite numbers" if len(numbers) > 1 else "a finite number"
        raise ValueError(f"--{option} must be {many} (got {value})")
    choice.control.check(f"--{option}", value)
    why_not = choice.traits.why_not
    if reason := why_not and why_not(state, value):
        raise ValueError(f"no {option.replace('-', ' ')}: {reason}")


def _entailed(state: ViewerState, choice: Choice, value: Any) -> dict[str, Any]:
    """Return the values that a choice changes in its group, by name, dependent ones included.

    A convention of judging, for example, also sets the region that it judges.
    """
    choice.control.check(choice.name, value)
    changed: dict[str, Any] = {}
    if choice.group:
        before = getattr(state, choice.group)
        after = before.chosen(choice.name, value)
        values = {field.name: getattr(after, field.name) for field in fields(after)}
        changed = {n: plain(v) for n, v in values.items() if v != getattr(before, n)}
    return changed | {choice.name: plain(value)}


def _in_its_section(choice: Choice, values: dict[str, Any]) -> Recipe:
    """Put values of a choice's group into their section of a recipe."""
    if not choice.group:
        return {"view": values}
    return {"compare": values} if choice.group == "mixing" else {"chosen": {choice.group: values}}


def _single_choices(state: ViewerState, options: ShownOptions) -> Recipe:
    """Return the layer of the choices that ``--set`` makes."""
    layer: Recipe = {}
    set_choices(state, options.set)
    for group, name, _ in options.set:
        value = plain(getattr(getattr(state, group), name))
        layer = merged(layer, {"chosen": {group: {name: value}}})
    return layer


def _range(state: ViewerState, options: ShownOptions) -> Recipe:
    """Return the layer of the range of values that ``--range`` gives to the view of A."""
    if not options.range:
        return {}
    choose_range(state, options.range)
    look = {"near": state.look.near, "far": state.look.far, "ranges": state.look.ranges}
    return {"chosen": {"look": plain(look)}}
