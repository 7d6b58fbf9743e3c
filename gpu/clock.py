"""Declare the interface of clocks, which measure time between marks that a device sets."""

from collections.abc import Callable, Sequence
from typing import Protocol

UNSETTLED = 4
"""First calls of recorded work, whose times are too long: two for each of a clock's two graphs."""


class Clock(Protocol):
    """Set marks between steps, and measure the time between marks without stalling the device."""

    def mark(self, index: int) -> None:
        """Set mark ``index`` of the current frame; mark 0 starts the frame."""
        ...

    def record(self, work: Callable[[], None]) -> Callable[[], None]:
        """Record ``work`` as ``Device.record`` does, with a mark before and one after it.

        The marks are part of the recording where possible: then no launch lies between them.
        """
        ...

    def milliseconds(self, *, wait: bool = False) -> Sequence[float]:
        """List the milliseconds between marks of the newest finished frame; empty without one."""
        ...


def between_marks(clock: Clock, work: Callable[[], None]) -> Callable[[], None]:
    """Return a function that calls ``work`` between the two marks of a clock."""

    def call() -> None:
        clock.mark(0)
        work()
        clock.mark(1)

    return call
