"""Announcement of compilations, which take most of the first start, on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from wheatstone.gpu.compilations import telling
from wheatstone.viewer.io.files.streams import say


@contextmanager
def announced_compilations() -> Iterator[None]:
    """Print one line when the first compilation within the ``with`` block starts."""
    announced = False

    def tell(function: str) -> None:
        nonlocal announced
        if not announced:
            say("compiling code for this machine; later starts reuse it ...")
        announced = True

    with telling(tell, everywhere=True):
        yield
