"""Say on standard error that code is compiled, which a first start spends its time on."""

from collections.abc import Iterator
from contextlib import contextmanager

from wheatstone.gpu.compilations import telling
from wheatstone.viewer.files.streams import say


@contextmanager
def said_compilations() -> Iterator[None]:
    """Say what is compiled within the block, once for the first function and all that follow."""
    said = False

    def tell(function: str) -> None:
        nonlocal said
        if not said:
            say(f"compiling {function} and what comes after it, for this and later starts ...")
        said = True

    with telling(tell, everywhere=True):
        yield
