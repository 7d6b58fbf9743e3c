"""Functions that record, undo and redo the user's choices in a viewer state.

Every choice can be undone unless its declaration says ``undone=False``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from operator import attrgetter, is_
from typing import Any

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.history import Values
from wheatstone.viewer.choices.slot import fitted
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import VIEW, Choice, choice, choices, of_one_source
from wheatstone.viewer.choices.tuning import likeness
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words, spoken

NAMED = 2  # changes that a line names one by one


def described(state: ViewerState, before: Values, after: Values) -> str:
    """Describe in one line how two sets of choices differ; values are given by choice path."""
    both_ways = (after, before), (before, after)  # of a step done, and of one undone
    if any(one.get("b") and one["b"] == two.get("slot") for one, two in both_ways):
        return "A and B exchanged"
    parts = list(_parts(state, before, after))
    more = len(parts) - NAMED
    return ", ".join(parts[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _parts(state: ViewerState, before: Values, after: Values) -> Iterator[str]:
    for path, value in after.items():
        was = before[path]
        if value == was or path == "shelf":
            continue
        if path == "slot":
            yield from _of_slot(state, was, value)
        elif path == "b":
            by_name = [value.name if value else "by default"]
            texts = _of_slot(state, was, value) if was and value else by_name
            yield from (f"B: {text}" for text in texts)
        elif path == "linked":
            yield "B uses A's parameters" if value else "B keeps its parameters"
        elif path == "views":
            yield from _of_views(was, value)
        elif isinstance(value, Mapping):
            yield from _of_table(path, was, value)
        else:
            shown = [_shown(path, each) for each in (was, value)]
            yield f"{choice(path).title} {' -> '.join(shown)}"


def _shown(path: str, value: Any) -> str:
    """Format a value of a choice for people to read."""
    if value is None:
        return "none"
    text = choice(path).traits.shown_as.get(value, "") if choice(path).traits.shown_as else ""
    return text or in_words(value) or "none"


def _of_slot(state: ViewerState, was: Run, slot: Run) -> Iterator[str]:
    """Yield descriptions of the changes to a run: pipeline, variant, parameters or preset."""
    if was.pipeline.name != slot.pipeline.name:
        yield f"{was.name} -> {slot.name}"
        return
    if was.variant != slot.variant:
        yield f"variant {was.variant} -> {slot.variant}"
    old, new = was.params.values(), slot.params.values()
    names = [name for name in controls(type(slot.params)) if old[name] != new[name]]
    if len(names) > NAMED:
        yield f"preset {likeness(state, was)} -> {likeness(state, slot)}"
        return
    for name in names:
        yield f"{spoken(name)} {in_words(old[name])} -> {in_words(new[name])}"


def _of_views(was: Mapping[str, str], views: Mapping[str, str]) -> Iterator[str]:
    """Yield descriptions of the changed display views, one for each pipeline."""
    for name in dict.fromkeys((*was, *views)):
        known = PIPELINES.get(name)
        first = known.views[0].name if known else "the first"
        shown = [each.get(name, first) for each in (was, views)]
        if shown[0] != shown[1]:
            yield f"view {' -> '.join(shown)}"


def _of_table(path: str, was: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[str]:
    """Yield descriptions of the changes in a table of values by name, such as display ranges."""
    for name in dict.fromkeys((*was, *table)):
        if was.get(name) != table.get(name):
            shown = [in_words(each[name]) if name in each else "default" for each in (was, table)]
            yield f"{choice(path).title}: {name} {' -> '.join(shown)}"


SLOTS = ("slot", "b", "linked", "views", "shelf")
"""Fields of the state that are undone, in addition to the choices declared."""
FRAME = "frame"
"""The choice that playing a sequence changes in every frame."""


@cache
def undoable() -> Mapping[str, Choice]:
    """Return the user's choices that can be undone, by path.

    The view is not one of them: the field ``views``, one of ``SLOTS``, restores it.
    """
    return {c.path: c for c in choices() if c.traits.undone and c is not VIEW}


def values_of(state: ViewerState) -> Values:
    """Return all undoable values of a viewer state, by path."""
    values = {name: _copied(getattr(state, name)) for name in SLOTS}
    values["shelf"].pop(state.slot.pipeline.name, None)  # of the pipeline shown nobody asks
    return values | {path: choice.get(state) for path, choice in undoable().items()}


def _copied(value: Any) -> Any:
    """Return a copy of a value if it is a dictionary, else the value itself."""
    return dict(value) if isinstance(value, dict) else value


def put_values(state: ViewerState, values: Values) -> None:
    """Restore values in a viewer state exactly, without changing dependent choices."""
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
    """Update the undo history after changes by the program itself, which cannot be undone."""
    state.history.follow(_values_now(state))


def _values_now(state: ViewerState) -> Values:
    """Return all undoable values, from the last check if the viewer state is unchanged.

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
    """Return functions that read the fields with undoable values, except tables and the frame."""
    held = dict.fromkeys(path.partition(".")[0] for path in undoable())
    return attrgetter("slot", "b", "linked"), attrgetter(*(each for each in held if each != FRAME))


def forget_source(state: ViewerState) -> None:
    """Remove the steps from the undo history that were valid only for the previous source."""
    state.history.forget(of_one_source())
    follow(state)


def undo(state: ViewerState) -> None:
    """Undo the user's last step, with a message."""
    history = state.history
    if not history.done:
        state.hint("nothing to undo")
        return
    step = history.steps[history.done - 1]
    go_to(state, history.done - 1)
    state.hint(f"undone: {described(state, step.after, step.before)}")


def redo(state: ViewerState) -> None:
    """Redo the step that was undone last, with a message."""
    history = state.history
    if history.done == len(history.steps):
        state.hint("nothing to redo")
        return
    step = history.steps[history.done]
    go_to(state, history.done + 1)
    state.hint(f"redone: {described(state, step.before, step.after)}")


def go_to(state: ViewerState, number: int) -> None:
    """Restore the choices of a numbered state of the undo history, with a message.

    Args:
        number: of the state; 0 is the one before the first step.

    Raises:
        ValueError: there is no such state.
    """
    put_values(state, state.history.changes_to(number))
    state.history.moved_to(number, values_of(state))
    state.hint(f"back to: {in_short(state, number)}")


def in_short(state: ViewerState, number: int) -> str:
    """Describe the user's step that led to a state of the undo history."""
    if not number:
        return "initial state"
    step = state.history.steps[number - 1]
    return described(state, step.before, step.after)


def slot_at(state: ViewerState, number: int) -> Run:
    """Return run A as it was in a state of the undo history; raise ``ValueError`` if unknown."""
    slot: Run = state.history.changes_to(number).get("slot", state.slot)
    return fitted(slot, state.ahead, state.scale)


def put_in_slot(state: ViewerState, number: int, letter: str) -> None:
    """Copy run A as it was in a state of the undo history to run ``a`` or ``b``; unlink B."""
    slot = slot_at(state, number)
    if letter == "a":
        if state.linked:
            state.b, state.linked = state.slot_b, False
        state.slot = slot
    else:
        state.b, state.linked = slot, False
    state.hint(f"{letter.upper()} is {slot.name} after: {in_short(state, number)}")
