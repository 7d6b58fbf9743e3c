"""Change the slot being tuned, A or B: its parameters, preset, variant and pipeline.

The parameter panel and the palette change the slot tuned; keys always change A.
"""

from dataclasses import replace
from typing import Any

from wheatstone.gpu.parameters import controls, defaults
from wheatstone.viewer.choices.presets import with_preset
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.words import in_words, spoken
from wheatstone.viewer.run.run import Run


def tunes_b(state: ViewerState) -> bool:
    """Return whether B is the slot tuned, which it is only while it keeps its own parameters."""
    return state.tuned == "b" and state.b is not None and not state.linked


def tuned(state: ViewerState) -> Run:
    """Return the slot tuned."""
    return state.slot_b if tunes_b(state) else state.slot


def _put(state: ViewerState, slot: Run) -> None:
    if tunes_b(state):
        state.b = slot
    else:
        state.slot = slot


def set_parameter(state: ViewerState, name: str, value: Any) -> None:
    """Set a parameter of the slot tuned, with a message; report why not, if it is out of bounds.

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
    """Set a parameter of the slot tuned to its default, with a message."""
    set_parameter(state, name, defaults(tuned(state).pipeline.params)[name])


def set_preset(state: ViewerState, name: str) -> None:
    """Apply a preset to the slot tuned, with a message; report why not, if it does not fit."""
    try:
        _put(state, with_preset(state, tuned(state), name))
        state.hint(f"preset {name}")
    except ValueError as error:
        state.report_error(str(error))


def set_variant(state: ViewerState, name: str) -> None:
    """Switch the slot tuned to a variant; report why not, if this machine cannot run it."""
    (state.choose_variant_b if tunes_b(state) else state.choose_variant)(name)


def set_pipeline(state: ViewerState, name: str) -> None:
    """Switch the slot tuned to a pipeline, with its last settings."""
    if tunes_b(state):
        state.b = state.slot_of(name)
        state.hint(f"B: {state.b.pipeline.title}")
    else:
        state.choose_pipeline(name)
