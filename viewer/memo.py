"""A cache of one result, reused while it is requested for the same input objects."""

from collections.abc import Callable
from operator import is_
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Memo(Generic[T]):
    """A cache of one result, reused while the same input objects are given.

    The result is computed again as soon as an input is another object, equal or not: this needs
    only one check for each. So no input may change in place, as a list or a table does.
    """

    def __init__(self) -> None:
        self._of: tuple[Any, ...] | None = None
        self._result: T

    def of(self, things: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return the result for given inputs; compute it again if an input is another object."""
        known = self._of
        if known is None or len(known) != len(things) or not all(map(is_, known, things)):
            self._of = None  # what cannot be made is not remembered
            self._result = make()
            self._of = things
        return self._result
