"""Describe the steps of the history in words, such as "disparities 64 -> 128"."""

from collections.abc import Iterator, Mapping
from typing import Any

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.history import Values
from wheatstone.viewer.choices.presets import likeness
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choice
from wheatstone.viewer.choices.words import in_words, spoken
from wheatstone.viewer.run.run import Run

NAMED = 2  # changes that a line names one by one


def described(state: ViewerState, before: Values, after: Values) -> str:
    """Describe in one line how values differ.

    Args:
        before, after: the same choices, by path.
    """
    if any(one.get("b") and one["b"] == two.get("slot") for one, two in _both_ways(before, after)):
        return "A and B exchanged"
    found = list(_parts(state, before, after))
    more = len(found) - NAMED
    return ", ".join(found[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _both_ways(before: Values, after: Values) -> tuple[tuple[Values, Values], ...]:
    """Pair later values with earlier ones, both for a step done and for one undone."""
    return (after, before), (before, after)


def _parts(state: ViewerState, before: Values, after: Values) -> Iterator[str]:
    """Yield a description of each changed value."""
    for path, value in after.items():
        was = before[path]
        if value == was or path == "shelf":
            continue
        if path == "slot":
            yield from _of_slot(state, was, value)
        elif path == "b":
            yield from (f"B: {said}" for said in _of_b(state, was, value))
        elif path == "linked":
            yield "B takes A's parameters" if value else "B keeps its parameters"
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
    said = choice(path).traits.shown_as.get(value, "") if choice(path).traits.shown_as else ""
    return said or in_words(value) or "none"


def _of_b(state: ViewerState, was: Run | None, slot: Run | None) -> Iterator[str]:
    """Describe how B changed; None stands for B by default."""
    if was and slot:
        yield from _of_slot(state, was, slot)
    else:
        yield slot.name if slot else "by default"


def _of_slot(state: ViewerState, was: Run, slot: Run) -> Iterator[str]:
    """Describe how a slot changed: pipeline, variant, parameters or preset."""
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
    """Describe which pipelines are shown in another view."""
    for name in dict.fromkeys((*was, *views)):
        known = PIPELINES.get(name)
        first = known.views[0].name if known else "the first"
        shown = [each.get(name, first) for each in (was, views)]
        if shown[0] != shown[1]:
            yield f"view {' -> '.join(shown)}"


def _of_table(path: str, was: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[str]:
    """Describe how a table of values by name changed, such as the ranges shown."""
    for name in dict.fromkeys((*was, *table)):
        if was.get(name) != table.get(name):
            shown = [in_words(each[name]) if name in each else "default" for each in (was, table)]
            yield f"{choice(path).title}: {name} {' -> '.join(shown)}"
