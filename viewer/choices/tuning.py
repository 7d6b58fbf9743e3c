"""Presets, and functions that change the run being tuned, A or B: parameters, variant, pipeline.

The parameter panel and the palette change the slot tuned; keys always change A.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from wheatstone.gpu.parameters import Params, controls, defaults, did_you_mean
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words, spoken

Settings = Mapping[str, Any]  # parameters and their values


def presets_of(state: ViewerState, pipeline: Pipeline) -> dict[str, Settings]:
    """List a pipeline's presets by name: the declared ones, then the user's."""
    return {**pipeline.presets, **state.presets.get(pipeline.name, {})}


def with_preset(state: ViewerState, slot: Run, name: str) -> Run:
    """Copy a run with a preset applied; parameters that the preset omits are unchanged.

    Raises:
        ValueError: there is no such preset, or it does not fit this version.
    """
    known = presets_of(state, slot.pipeline)
    if name not in known:
        there_is = f"it has {', '.join(known)}" if known else "it has none"
        like = did_you_mean(name, known)
        raise ValueError(f"{slot.pipeline.name} has no preset {name!r}{like}; {there_is}")
    return replace(slot, params=applied(slot.params, known[name], name))


def applied(params: Params, settings: Settings, name: str) -> Params:
    """Copy parameters with a preset's values; raise ``ValueError`` if the preset does not fit."""
    if strangers := set(settings) - set(controls(type(params))):
        raise ValueError(f"preset {name} sets unknown parameters: {', '.join(strangers)}")
    try:
        return params.changed(**settings)
    except (TypeError, ValueError) as error:
        raise ValueError(f"preset {name}: {error}") from error


@dataclass(frozen=True)
class Likeness:
    """The preset closest to a run's parameters, and the parameters that differ from it."""

    preset: str
    changed: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.preset}*" if self.changed else self.preset or "none"


def likeness(state: ViewerState, slot: Run) -> Likeness:
    """Return the preset that differs from a run in the fewest parameters; the first if equal."""
    values, known = slot.params.values(), controls(slot.pipeline.params)
    nearest = Likeness("", ())
    for name, settings in presets_of(state, slot.pipeline).items():
        if set(settings) - set(known):
            continue  # written for another version
        asked = {key: known[key].converted(value) for key, value in settings.items()}
        changed = tuple(key for key, value in asked.items() if value != values[key])
        if not nearest.preset or len(changed) < len(nearest.changed):
            nearest = Likeness(name, changed)
    return nearest


def tunes_b(state: ViewerState) -> bool:
    """Return whether the parameter panel changes run B alone, not linked to the parameters of A."""
    return state.tuned == "b" and state.b is not None and not state.linked


def tune(state: ViewerState, slot: str) -> None:
    """Select the run that the parameter panel changes, ``a`` or ``b``.

    B is unlinked from A then, and computes with A's variant unless another one was chosen for it.
    """
    if slot == "b" and not (state.b and not state.linked):
        state.b, state.linked = state.slot_b if state.b else state.slot, False
        state.hint("B keeps its parameters")
    state.tuned = slot


def tuned(state: ViewerState) -> Run:
    """Return the run, A or B, that the parameter panel changes."""
    return state.slot_b if tunes_b(state) else state.slot


def _put(state: ViewerState, slot: Run) -> None:
    if tunes_b(state):
        state.b = slot
    else:
        state.slot = slot


def set_parameter(state: ViewerState, name: str, value: Any) -> None:
    """Set a parameter of the tuned run (A or B); report an error if it is out of bounds.

    A parameter that must not be smaller or larger than this one moves along, as ``p2`` with ``p1``.
    """
    slot = tuned(state)
    control = controls(type(slot.params))[name]
    try:
        params = slot.params.adjusted(name, control.converted(value))
    except ValueError as error:
        state.report_error(str(error))
        return
    _put(state, replace(slot, params=params))
    state.hint(f"{spoken(name)} {in_words(getattr(params, name))} {control.unit}".rstrip())


def reset_parameter(state: ViewerState, name: str) -> None:
    """Set a parameter of the tuned run (A or B) to its default, with a message."""
    set_parameter(state, name, defaults(tuned(state).pipeline.params)[name])


def reset_parameters(state: ViewerState, names: Collection[str], group: str) -> None:
    """Set a group of parameters of the tuned run (A or B) to their defaults, with a message."""
    slot = tuned(state)
    usual = defaults(slot.pipeline.params)
    params = slot.params.changed(**{name: usual[name] for name in names})
    _put(state, replace(slot, params=params))
    state.hint(f"{group.lower()}: defaults")


def set_preset(state: ViewerState, name: str) -> None:
    """Apply a preset to the tuned run (A or B); report an error if it does not fit."""
    try:
        _put(state, with_preset(state, tuned(state), name))
        state.hint(f"preset {name}")
    except ValueError as error:
        state.report_error(str(error))


def set_variant(state: ViewerState, name: str) -> None:
    """Switch the tuned run (A or B) to a variant; report an error if it cannot run here."""
    (state.choose_variant_b if tunes_b(state) else state.choose_variant)(name)


def set_pipeline(state: ViewerState, name: str) -> None:
    """Switch the tuned run (A or B) to a pipeline, with its last parameters."""
    if tunes_b(state):
        state.b = state.slot_of(name)
        state.hint(f"B: {state.b.pipeline.title}")
    else:
        state.choose_pipeline(name)
