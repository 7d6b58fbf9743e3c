"""A mailbox of one slot: who puts never waits, and who takes has the newest."""

import threading
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """Hands things from one thread to another, the newest alone.

    Attributes:
        replaced: how many things were put and never taken, for a newer one came.
    """

    def __init__(self) -> None:
        self.replaced = 0
        self._slot: T | None = None
        self._changed = threading.Condition()

    @property
    def full(self) -> bool:
        """Tell whether something is there to be taken."""
        return self._slot is not None

    def put(self, thing: T) -> None:
        """Put a thing in, in place of what nobody took."""
        with self._changed:
            self.replaced += self._slot is not None
            self._slot = thing
            self._changed.notify()

    def take(self, timeout: float = 0.0) -> T | None:
        """Take what is there, or wait so many seconds for it; None if nothing came."""
        with self._changed:
            self._changed.wait_for(lambda: self._slot is not None, timeout)
            thing, self._slot = self._slot, None
            return thing
