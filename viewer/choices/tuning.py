"""Change the slot that panel and palette are about: parameters, preset, variant, pipeline."""

from dataclasses import replace
from typing import Any

from gpu.parameters import controls, defaults
from viewer.choices.presets import with_preset
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.choices.words import in_words, spoken


def tunes_b(state: ViewerState) -> bool:
    """Whether it is B that is changed; only while B keeps its own parameters."""
    return state.tuned == "b" and state.b is not None and not state.linked


def tuned(state: ViewerState) -> Slot:
    """The slot that is changed."""
    return state.slot_b if tunes_b(state) else state.slot


def _put(state: ViewerState, slot: Slot) -> None:
    if tunes_b(state):
        state.b = slot
    else:
        state.slot = slot


def set_parameter(state: ViewerState, name: str, value: Any) -> None:
    """Set a parameter; one that is ordered against it moves along. Out of bounds: say so."""
    slot = tuned(state)
    control = controls(type(slot.params))[name]
    try:
        params = slot.params.adjusted(name, control.converted(value))
    except ValueError as error:
        state.message = str(error)
        return
    _put(state, replace(slot, params=params))
    state.message = f"{spoken(name)} {in_words(getattr(params, name))} {control.unit}".rstrip()


def reset_parameter(state: ViewerState, name: str) -> None:
    """Set a parameter to its default."""
    set_parameter(state, name, defaults(tuned(state).pipeline.params)[name])


def set_preset(state: ViewerState, name: str) -> None:
    """Set the parameters of a preset; those it leaves out stay. What does not fit is said."""
    try:
        _put(state, with_preset(state, tuned(state), name))
        state.message = f"preset {name}"
    except ValueError as error:
        state.message = str(error)


def set_variant(state: ViewerState, name: str) -> None:
    """Switch to a variant that this machine can run; else say why not."""
    (state.choose_variant_b if tunes_b(state) else state.choose_variant)(name)


def set_pipeline(state: ViewerState, name: str) -> None:
    """Switch to a pipeline, as it was left last."""
    if tunes_b(state):
        state.b = state.slot_of(name)
        state.message = f"B: {state.b.pipeline.title}"
    else:
        state.choose_pipeline(name)
