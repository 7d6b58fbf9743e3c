"""Functions and classes named by their place, ``module:name``, and imported when they are needed.

Tables name so what a start should not pay for.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def found(place: str) -> Any:
    """Import what is at a place.

    Args:
        place: ``module:name``, such as ``viewer.commands.view:view``.

    Raises:
        ImportError: there is no such module, or nothing of that name in it.
    """
    module, _, name = place.partition(":")
    imported = import_module(module)
    if not hasattr(imported, name):
        raise ImportError(f"{module} has no {name}")
    return getattr(imported, name)


def later(place: str) -> Callable[..., Any]:
    """Make a function of the one at a place, which is imported when it is called first."""

    def call(*words: Any) -> Any:
        return found(place)(*words)

    return call
