"""What the options of ``view`` and ``render`` say, as the uppermost layer of a recipe."""

import argparse
import math
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from gpu import Unavailable
from gpu.parameters import controls, defaults
from viewer.choices.presets import with_preset
from viewer.choices.slot import Slot, default_slot
from viewer.choices.state import ViewerState
from viewer.choices.table import VIEW, Choice, choices
from viewer.options import parameter_value
from viewer.picture.range_choice import choose_range
from viewer.settings.chosen import plain, set_choices
from viewer.settings.layers import Machine, merged
from viewer.settings.recipe import Recipe, section_of_b


def option_layer(options: argparse.Namespace, below: Recipe, machine: Machine) -> Recipe:
    """Write down what options say of what is shown, as far as they say something.

    Args:
        below: the layers below, merged; options may be relative to it, as a preset is.

    Raises:
        ValueError: there is no such preset, variant, view or parameter, or a value is impossible.
        Unavailable: a variant needs a device that is absent.
    """
    layer: Recipe = {}
    for part in (_first, _second, _choices, _single_choices, _range):
        state = machine.state(merged(below, layer))
        layer = merged(layer, part(state, options))
    return layer


def _first(state: ViewerState, options: argparse.Namespace) -> Recipe:
    """Preset, parameters, variant and view of A."""
    slot = with_preset(state, state.slot, options.preset) if options.preset else state.slot
    layer: Recipe = {"params": slot.params.changed(**options.params).values(), "view": {}}
    if options.variant:
        variant = slot.pipeline.variant(options.variant)
        if why := state.absent[variant.device]:
            raise Unavailable(f"variant {options.variant} needs a GPU: {why}")
        layer["view"]["variant"] = variant.name
    if options.view:
        layer["view"]["view"] = options.view
    return layer


def _second(state: ViewerState, options: argparse.Namespace) -> Recipe:
    """Pipeline, parameters, variant and view of B."""
    slot, linked, view = state.slot_b, state.linked, ""
    if options.b_pipeline or options.b_preset or options.b_set:
        slot, linked = _slot_b(state, options), False
    if options.b_variant:
        variant = slot.pipeline.variant(options.b_variant)
        if why := state.absent.get(variant.device, ""):
            raise Unavailable(f"B's variant {variant.name} needs a GPU: {why}")
        slot = replace(slot, variant=variant.name)
    if options.b_view:
        view = slot.pipeline.view(options.b_view).name
    chosen = options.b_pipeline or options.b_preset or options.b_set or options.b_variant
    if not chosen and slot.pipeline == state.slot.pipeline:
        return {"view": {"view": view}} if view else {}
    if not chosen and not view:
        return {}
    second = replace(state, b=slot, linked=linked)
    return {"b": section_of_b(second) | ({"view": view} if view else {})}


def _slot_b(state: ViewerState, options: argparse.Namespace) -> Slot:
    slot = state.slot_b
    if options.b_pipeline and options.b_pipeline != slot.pipeline.name:
        slot = default_slot(options.b_pipeline, state.absent)
    if options.b_preset:
        slot = with_preset(state, slot, options.b_preset)
    known = controls(slot.pipeline.params)
    changes: dict[str, Any] = {}
    for name, text in options.b_set or ():
        if name not in known:
            raise ValueError(
                f"{slot.pipeline.name} has no parameter {name!r}; it has {', '.join(known)}"
            )
        default = defaults(slot.pipeline.params)[name]
        changes[name] = parameter_value(known[name], default, name, text)
    return replace(slot, params=slot.params.changed(**changes))


def _choices(state: ViewerState, options: argparse.Namespace) -> Recipe:
    """The choices of the viewer's own that have an option."""
    layer: Recipe = {}
    for choice in choices():
        said = getattr(options, choice.traits.option.replace("-", "_"), None)
        if choice is not VIEW and choice.traits.option and said is not None:
            _check(state, choice, said)
            flags = choice.traits.flag_values
            value = flags[said] if flags else said
            layer = merged(layer, _section(choice, dict(_entailed(state, choice, value))))
            choice.put(state, value)
    return layer


def _check(state: ViewerState, choice: Choice, said: Any) -> None:
    """Raise ``ValueError`` if an option says what is impossible here."""
    option, flags = choice.traits.option, choice.traits.flag_values
    numbers = said if isinstance(said, tuple) else (said,)
    if any(isinstance(n, float) and not math.isfinite(n) for n in numbers):
        many = "two finite numbers" if len(numbers) == 2 else "a finite number"
        raise ValueError(f"--{option} must be {many} (got {said})")
    why_not = choice.traits.why_not
    if reason := why_not and why_not(state, flags[said] if flags else said):
        raise ValueError(f"no {option.replace('-', ' ')}: {reason}")


def _entailed(state: ViewerState, choice: Choice, value: Any) -> Iterator[tuple[str, Any]]:
    """Every field of the choice's group that a value changes, and the choice itself."""
    choice.control.check(choice.name, value)
    if choice.group:
        before = getattr(state, choice.group)
        after = before.chosen(choice.name, value)
        for field in fields(after):
            if getattr(after, field.name) != getattr(before, field.name):
                yield field.name, plain(getattr(after, field.name))
    yield choice.name, plain(value)


def _section(choice: Choice, said: dict[str, Any]) -> Recipe:
    """Put values where a recipe keeps those of a choice's group."""
    if not choice.group:
        return {"view": said}
    return {"compare": said} if choice.group == "mixing" else {"chosen": {choice.group: said}}


def _single_choices(state: ViewerState, options: argparse.Namespace) -> Recipe:
    """What ``--set`` says."""
    layer: Recipe = {}
    set_choices(state, options.set or ())
    for group, name, _ in options.set or ():
        value = plain(getattr(getattr(state, group), name))
        layer = merged(layer, {"chosen": {group: {name: value}}})
    return layer


def _range(state: ViewerState, options: argparse.Namespace) -> Recipe:
    """What ``--range`` says of what A's view shows."""
    if not options.range:
        return {}
    choose_range(state, options.range)
    return {"chosen": {"look": {"ranges": plain(state.look.ranges)}}}
