"""Undo and redo every choice, as its declaration allows.

Every choice can be undone unless its declaration says ``undone=False``.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from operator import attrgetter, is_
from typing import Any

from wheatstone.viewer.choices.history import Values
from wheatstone.viewer.choices.history_words import described
from wheatstone.viewer.choices.slot import fitted
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import VIEW, Choice, choices, of_one_source
from wheatstone.viewer.run.run import Run

SLOTS = ("slot", "b", "linked", "views", "shelf")
"""Fields of the state that are undone, in addition to the choices declared."""
FRAME = "frame"
"""The choice that playing a sequence changes in every frame."""


@cache
def undoable() -> Mapping[str, Choice]:
    """Return the choices that can be undone, by path; the view is one of the slots' fields."""
    return {c.path: c for c in choices() if c.traits.undone and c is not VIEW}


def values_of(state: ViewerState) -> Values:
    """Return all values of a state that can be undone, by path."""
    found = {name: _copied(getattr(state, name)) for name in SLOTS}
    found["shelf"].pop(state.slot.pipeline.name, None)  # of the pipeline shown nobody asks
    return found | {path: choice.get(state) for path, choice in undoable().items()}


def _copied(value: Any) -> Any:
    """Copy a value that can change in place."""
    return dict(value) if isinstance(value, dict) else value


def put_values(state: ViewerState, values: Values) -> None:
    """Restore values as they were, without applying the choices that depend on them again."""
    groups: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        group, _, name = path.rpartition(".")
        if group:
            groups.setdefault(group, {})[name] = value
        else:
            setattr(state, path, _copied(value))
    for group, changes in groups.items():
        setattr(state, group, replace(getattr(state, group), **changes))
    state.fit_slots(state.ahead, state.scale)


def note(state: ViewerState) -> None:
    """Record the user's changes since the last check as a step that can be undone."""
    now, history = _values_now(state), state.history
    if now is history.present:
        return
    if {n for n, v in history.present.items() if v != now[n]} <= {"shelf"}:
        history.follow(now)  # what is kept out of sight alone is nothing to go back to
    else:
        history.take(now)


def follow(state: ViewerState) -> None:
    """Follow changes made by the program itself since the last check."""
    state.history.follow(_values_now(state))


def _values_now(state: ViewerState) -> Values:
    """Return all values that can be undone; the last ones, if the state has not changed since.

    It has not changed if it holds the same objects. Another frame changes only its index, so
    only the index is read again.
    """
    history, (of_slots, of_others) = state.history, _watched()
    now = of_slots(state), of_others(state), state.views.copy(), state.shelf.copy(), state.frame
    before, history.seen = history.seen, now
    same = bool(before) and all(map(is_, now[0], before[0])) and all(map(is_, now[1], before[1]))
    if not same or now[2:4] != before[2:4]:
        return values_of(state)
    if now[4] is before[4]:
        return history.present
    return {**history.present, FRAME: state.frame}


@cache
def _watched() -> tuple[Callable[[ViewerState], tuple[Any, ...]], ...]:
    """Return getters of the fields that hold undoable values, except for tables and the frame."""
    held = dict.fromkeys(path.partition(".")[0] for path in undoable())
    return attrgetter("slot", "b", "linked"), attrgetter(*(each for each in held if each != FRAME))


def forget_source(state: ViewerState) -> None:
    """Remove the steps that made sense only with the previous source."""
    state.history.forget(of_one_source())
    follow(state)


def undo(state: ViewerState) -> None:
    """Undo the last step, with a message."""
    history = state.history
    if not history.done:
        state.hint("nothing to undo")
        return
    step = history.steps[history.done - 1]
    go_to(state, history.done - 1)
    state.hint(f"undone: {described(state, step.after, step.before)}")


def redo(state: ViewerState) -> None:
    """Redo the step undone last, with a message."""
    history = state.history
    if history.done == len(history.steps):
        state.hint("nothing to redo")
        return
    step = history.steps[history.done]
    go_to(state, history.done + 1)
    state.hint(f"redone: {described(state, step.before, step.after)}")


def go_to(state: ViewerState, number: int) -> None:
    """Restore the choices of a state of the history, with a message.

    Args:
        number: of the state; 0 is the one before the first step.

    Raises:
        ValueError: there is no such state.
    """
    put_values(state, state.history.changes_to(number))
    state.history.moved_to(number, values_of(state))
    state.hint(f"back to: {in_short(state, number)}")


def in_short(state: ViewerState, number: int) -> str:
    """Describe the step that led to a state of the history."""
    if not number:
        return "as it began"
    step = state.history.steps[number - 1]
    return described(state, step.before, step.after)


def slot_at(state: ViewerState, number: int) -> Run:
    """Return A in a state of the history. Raises ``ValueError`` if there is no such state."""
    slot: Run = state.history.changes_to(number).get("slot", state.slot)
    return fitted(slot, state.ahead, state.scale)


def put_in_slot(state: ViewerState, number: int, letter: str) -> None:
    """Copy A in a state of the history to A or B; B then keeps its own parameters.

    Args:
        letter: ``a`` or ``b``.
    """
    slot = slot_at(state, number)
    if letter == "a":
        if state.linked:
            state.b, state.linked = state.slot_b, False
        state.slot = slot
    else:
        state.b, state.linked = slot, False
    state.hint(f"{letter.upper()} is {slot.name} after: {in_short(state, number)}")
