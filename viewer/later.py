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
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def later(place: str) -> Callable[..., Any]:
    """Make a function of the one at a place, which is imported when it is called first."""

    def call(*words: Any) -> Any:
        return found(place)(*words)

    return call
