"""The undo history as plain data: the user's steps, and which of them are undone.

``viewer.choices.undoing`` reads the values from a state and restores them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

LONGEST = 200  # steps kept; older ones are forgotten
Values = Mapping[str, Any]
"""The values that a state has chosen, by the path of the choice."""


@dataclass(frozen=True)
class HistoryStep:
    """One undoable step of the user: the changed values, before and after it."""

    before: Values
    after: Values
    gesture: int = 0  # number of the key press or the drag that made it

    @property
    def changes(self) -> bool:
        """Return whether the undoable step changes any value."""
        return any(self.before[name] != self.after[name] for name in self.before)

    def then(self, following: Self) -> "HistoryStep":
        """Join this undoable step and the following one into a single step."""
        before, after = {**following.before, **self.before}, {**self.after, **following.after}
        return HistoryStep(before, after, following.gesture)


class History:
    """The undo history: the user's steps so far, and how many of them are not undone.

    State 0 is before the first step. A step is a change by the user between two checks. Changes by
    the program itself, such as the frame while a sequence plays, are followed and are not steps.

    Attributes:
        steps: all that are done, then those that are undone and may be redone.
        done: how many are done, which is the number of the present state.
        present: the values at the last check; empty before the first.
        seen: the objects that held them then, compared first because that is fast.
    """

    def __init__(self) -> None:
        self.steps: list[HistoryStep] = []
        self.done = 0
        self.present: Values = {}
        self.seen: tuple[Any, ...] = ()
        self._gesture = 0
        self._moved = 0  # the last move: 1 a step was made or redone, -1 one was undone
        self._fresh = False  # a step was made and nothing has been followed since

    def begin_gesture(self) -> None:
        """Begin a gesture, such as a drag, whose changes of the same choices form one step."""
        self._gesture += 1

    def take(self, now: Values) -> None:
        """Record the user's changes since the last check as one step; drop the undone steps."""
        before, after = self._changes(now)
        self.present = now
        if not before:
            return
        step = HistoryStep(before, after, self._gesture)
        last = self.steps[self.done - 1] if self.done else None
        del self.steps[self.done :]
        if last and last.gesture == step.gesture and last.before.keys() == before.keys():
            step = self.steps.pop().then(step)
        self.steps += [step] if step.changes else []
        del self.steps[:-LONGEST]
        self.done, self._moved, self._fresh = len(self.steps), 1, True

    def follow(self, now: Values) -> None:
        """Update the recorded values after changes by the program, which are not undoable steps.

        If the program went back because a state cannot be shown here, that state is removed.
        """
        fresh, self._fresh = self._fresh, False
        if now is self.present:
            return
        _, after = self._changes(now)
        self.present = now
        if not after:
            return
        back = self.done + (0 if self._moved < 0 else -1)
        if self._moved and 0 <= back < len(self.steps) and self._went_back(self.steps[back], now):
            self._remove(self.done)
            self.done = back
            self._moved = 0
        elif fresh and self.steps and after.keys() <= self.steps[-1].after.keys():
            last = self.steps[-1]
            self.steps[-1] = HistoryStep(last.before, {**last.after, **after}, last.gesture)

    def _changes(self, now: Values) -> tuple[Values, Values]:
        """Return the values changed since the last check, as they were then and as they are now."""
        items = self.present.items()
        names = [name for name, value in items if value is not now[name] and value != now[name]]
        return {n: self.present[n] for n in names}, {n: now[n] for n in names}

    def _went_back(self, step: HistoryStep, now: Values) -> bool:
        """Return whether a step's values are those from before the last undo or redo."""
        was = step.after if self._moved < 0 else step.before
        return all(now[name] == value for name, value in was.items())

    def _remove(self, number: int) -> None:
        """Remove a state of the undo history, and join the steps before and after it."""
        pair = self.steps[max(number - 1, 0) : number + 1]
        joined = [pair[0].then(pair[1])] if len(pair) == 2 and number else []
        self.steps[max(number - 1, 0) : number + 1] = joined

    def changes_to(self, number: int) -> Values:
        """Return the values to set in order to move to another state of the undo history.

        Raises:
            ValueError: there is no such state.
        """
        if not 0 <= number <= len(self.steps):
            raise ValueError(f"there is no state {number}; there are 0 to {len(self.steps)}")
        values: dict[str, Any] = {}
        for step in self.steps[self.done : number]:
            values |= step.after
        for step in reversed(self.steps[number : self.done]):
            values |= step.before
        return values

    def moved_to(self, number: int, now: Values) -> None:
        """Record that another state of the undo history, given by its number, was restored."""
        self._moved = number - self.done if abs(number - self.done) == 1 else 0
        self.done, self.present, self._fresh = number, now, False

    def forget(self, names: frozenset[str]) -> None:
        """Remove choices from all undoable steps, and remove steps that changed nothing else."""
        kept = [
            HistoryStep(
                {n: v for n, v in step.before.items() if n not in names},
                {n: v for n, v in step.after.items() if n not in names},
                step.gesture,
            )
            for step in self.steps
        ]
        self.done = sum(bool(step.before) for step in kept[: self.done])
        self.steps = [step for step in kept if step.before]
        self._moved = 0
