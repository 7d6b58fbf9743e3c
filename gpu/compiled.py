"""Compile functions of plain Python to machine code, and count how often that happens."""

from collections.abc import Callable

from numba import njit
from numba.core import event

compiled = njit(cache=True, nogil=True)
"""Compiled when first called, kept for the next start; releases Python's lock while it runs, so
that other threads, such as a window's, go on."""


class _Count(event.Listener):  # type: ignore[misc]
    """Count compilations; those found on disk are none."""

    def __init__(self) -> None:
        self.begun = 0
        self.told: list[Callable[[str], None]] = []

    def on_start(self, event: event.Event) -> None:
        self.begun += 1
        module = event.data["dispatcher"].__module__
        for tell in self.told:
            tell(module.rpartition(".")[2].replace("_", " "))

    def on_end(self, event: event.Event) -> None:
        pass


_count = _Count()
event.register("numba:compile", _count)


def compilations() -> int:
    """Count the functions compiled so far: a time during which this grows tells nothing."""
    return _count.begun


def tell_of_compilations(tell: Callable[[str], None]) -> Callable[[], None]:
    """Call ``tell`` before each function that Python calls is compiled, which takes seconds.

    Args:
        tell: takes the name of the function's module, such as "median filter"; it is called in the
            thread that compiles.

    Returns:
        What ends the telling.
    """
    _count.told.append(tell)
    return lambda: _count.told.remove(tell)
