"""Shots: decoded frames of live sources, and the shots of one or two devices at one time."""

import threading
from dataclasses import dataclass
from typing import Generic, TypeVar

from wheatstone.viewer.io.footage.planes import AnyView


@dataclass(frozen=True, eq=False)
class Shot:
    """One frame of a live source.

    Attributes:
        view: pixels or decoded planes.
        time: seconds of ``time.monotonic`` at which it was taken, estimated from time stamps.
        period: seconds from one frame to the next; 0 while it is not known.
    """

    view: AnyView
    time: float
    period: float = 0.0


@dataclass(frozen=True, eq=False)
class ShotPictures:
    """The shots of one or two devices at one time.

    Attributes:
        shots: a single one, or the left and the right one.
        skew: milliseconds from the left one to the right one; None for a single one.
    """

    shots: tuple[Shot, ...]
    skew: float | None = None

    @property
    def left(self) -> AnyView:
        """Return the picture of the left device, or of the single one."""
        return self.shots[0].view

    @property
    def right(self) -> AnyView | None:
        """Return the picture of the right device; None for a single device."""
        return self.shots[1].view if len(self.shots) > 1 else None


T = TypeVar("T")


class Mailbox(Generic[T]):
    """Passes items from one thread to another, only the newest.

    Attributes:
        replaced: number of items that were never taken, because a newer one was put.
    """

    def __init__(self) -> None:
        self.replaced = 0
        self._slot: T | None = None
        self._changed = threading.Condition()

    @property
    def full(self) -> bool:
        """Return whether there is an item to take."""
        return self._slot is not None

    def put(self, thing: T) -> None:
        """Put an item in; replace one that was not taken."""
        with self._changed:
            self.replaced += self._slot is not None
            self._slot = thing
            self._changed.notify_all()

    def take(self, timeout: float = 0.0) -> T | None:
        """Take the item, or wait up to ``timeout`` seconds for one; None if there is still none."""
        with self._changed:
            self._changed.wait_for(lambda: self._slot is not None, timeout)
            thing, self._slot = self._slot, None
            return thing
