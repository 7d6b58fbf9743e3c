"""Declare how times are told: by marks, which a device sets when it gets there."""

from collections.abc import Callable, Sequence
from typing import Protocol

UNSETTLED = 4
"""First calls of recorded work, whose times are too long: two of each of a clock's two graphs."""


class Clock(Protocol):
    """Set marks between steps, and tell the time from each to the next, without stalling."""

    def mark(self, index: int) -> None:
        """Set mark ``index`` of the current frame; mark 0 begins it."""
        ...

    def record(self, work: Callable[[], None]) -> Callable[[], None]:
        """Make a call that does what ``Device.record`` makes of ``work``, between two marks.

        They are part of what is recorded, where that can be: then no launch is between them.
        """
        ...

    def milliseconds(self, *, wait: bool = False) -> Sequence[float]:
        """List the milliseconds from mark to mark of the newest finished frame; empty before it."""
        ...


def between_marks(clock: Clock, work: Callable[[], None]) -> Callable[[], None]:
    """Make a call of ``work`` between the two marks of a clock."""

    def call() -> None:
        clock.mark(0)
        work()
        clock.mark(1)

    return call
