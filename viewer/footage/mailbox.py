"""A mailbox of one slot between threads: putting never waits, taking returns the newest item."""

import threading
from typing import Generic, TypeVar

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
            self._changed.notify()

    def take(self, timeout: float = 0.0) -> T | None:
        """Take the item, or wait up to ``timeout`` seconds for one; None if there is still none."""
        with self._changed:
            self._changed.wait_for(lambda: self._slot is not None, timeout)
            thing, self._slot = self._slot, None
            return thing
