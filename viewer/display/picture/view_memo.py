"""The images that A and B are asked to show, cached until a choice that decides them changes."""

from typing import Any

from wheatstone.viewer.choices.mixing import DIFFERENCES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.picture.shown import Shown, chosen, chosen_b
from wheatstone.viewer.memo import Memo
from wheatstone.viewer.run.run import Run


class WantedImages:
    """Cache the views that a state asks A and B to show, as ``chosen`` and ``chosen_b`` return.

    Usually only the frame's index changes, and many properties of a view are cached with it.
    """

    def __init__(self, state: ViewerState) -> None:
        self._state = state
        self._a, self._b = Memo[Shown](), Memo[Shown]()
        self._slot_b = Memo[Run]()

    @property
    def a(self) -> Shown:
        """Return the view that A shall show."""
        state = self._state
        return self._a.of(self._choices(state.slot), lambda: chosen(state)).at(state.frame)

    @property
    def b(self) -> Shown:
        """Return the view that B shall show."""
        state, slot, frozen = self._state, self.slot_b, self._state.mixing.frozen
        choices = (*self._choices(slot), frozen is None)
        shown = self._b.of(choices, lambda: chosen_b(state, slot))
        return shown.at(state.frame if frozen is None else frozen)

    @property
    def slot_b(self) -> Run:
        """Return the run that B computes."""
        state = self._state
        decide = (state.slot, state.b, state.linked, state.absent)
        return self._slot_b.of(decide, lambda: state.slot_b)

    def _choices(self, slot: Run) -> tuple[Any, ...]:
        state = self._state
        view, differs = state.views.get(slot.pipeline.name), state.mixing.mode in DIFFERENCES
        return slot, view, state.temporal, state.truth, state.cloud, differs
