"""Announce compilations on standard error, because they take most of the first start."""

from collections.abc import Iterator
from contextlib import contextmanager

from wheatstone.gpu.compilations import telling
from wheatstone.viewer.io.files.streams import say


@contextmanager
def announced_compilations() -> Iterator[None]:
    """Print one line for all compilations within the block, when the first one starts."""
    announced = False

    def tell(function: str) -> None:
        nonlocal announced
        if not announced:
            say(f"compiling {function} and what comes after it, for this and later starts ...")
        announced = True

    with telling(tell, everywhere=True):
        yield
