"""The rows of the history's panel as plain data."""

from dataclasses import dataclass

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.undoing import in_short, slot_at


@dataclass(frozen=True)
class HistoryRow:
    """One state of the history.

    Attributes:
        number: of the state; 0 is the one before the first step.
        said: describes the step that led to it.
        current: whether it is the present state.
        undone: whether it was undone; it is lost with the next step.
        slots: which of A and B now has the run that A had then: ``a``, ``b``, both or neither.
    """

    number: int
    said: str
    current: bool
    undone: bool
    slots: str


def rows(state: ViewerState) -> tuple[HistoryRow, ...]:
    """List the states of the history, the first one first."""
    history = state.history
    return tuple(
        HistoryRow(
            number,
            in_short(state, number),
            number == history.done,
            number > history.done,
            _slots(state, number),
        )
        for number in range(len(history.steps) + 1)
    )


def _slots(state: ViewerState, number: int) -> str:
    """Return which of A and B now has the run that A had in a state of the history."""
    slot = slot_at(state, number)
    same_b = state.b is not None and not state.linked and slot == state.slot_b
    return "a" * (slot == state.slot) + "b" * same_b
