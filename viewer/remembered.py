"""What was made out once, kept as long as all that it was made of stays the same."""

from collections.abc import Callable
from operator import is_
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """One result, and the objects that it was made of.

    It is made anew as soon as one of them is another object, equal or not: that costs a look at
    each. So nothing may be among them that changes in place, as a list or a table does.
    """

    def __init__(self) -> None:
        self._of: tuple[Any, ...] | None = None
        self._result: T

    def of(self, things: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return what was made of these very objects, or make it of them now."""
        known = self._of
        if known is None or len(known) != len(things) or not all(map(is_, known, things)):
            self._of = None  # what cannot be made is not remembered
            self._result = make()
            self._of = things
        return self._result
