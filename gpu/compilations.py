"""Count compilations of functions and notify listeners of them, without importing Numba."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident

_begun: list[str] = []
_loaded: list[None] = []
_told: list[tuple[Callable[[str], None], int | None]] = []  # and the thread; None: any


def compilations() -> int:
    """Count the functions compiled so far; times measured while this grows are not valid."""
    return len(_begun)


def loadings() -> int:
    """Count how often functions were compiled, or loaded from disk, so far."""
    return len(_loaded)


def loading() -> None:
    """Note that a function is about to be compiled or loaded."""
    _loaded.append(None)


@contextmanager
def telling(tell: Callable[[str], None], *, everywhere: bool = False) -> Iterator[None]:
    """Call ``tell`` before each compilation, which takes seconds, of a function that Python calls.

    Args:
        tell: takes the name of the function's module in words, such as "median filter"; it is
            called in the thread that compiles; an exception that it raises ends the compilation.
        everywhere: report the compilations of all threads, not only those of this thread.
    """
    asked = tell, None if everywhere else get_ident()
    _told.append(asked)
    try:
        yield
    finally:
        _told.remove(asked)


def compiling(module: str, *, called_by_python: bool) -> None:
    """Note that a function of a module is about to be compiled."""
    _begun.append(module)
    if called_by_python:
        words = module.rpartition(".")[2].replace("_", " ")
        here = get_ident()
        for tell, thread in list(_told):
            if thread in (None, here):
                tell(words)
