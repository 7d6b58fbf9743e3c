"""Lazy import of functions and classes that are named by ``module:name``.

Tables use such names for code that should not slow down the program's start.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def import_object(place: str) -> Any:
    """Import the object named ``module:name``.

    Args:
        place: ``module:name``, such as ``viewer.commands.view:view``.

    Raises:
        ImportError: there is no such module, or no object of that name in it.
    """
    module, _, name = place.partition(":")
    imported = import_module(module)
    if not hasattr(imported, name):
        raise ImportError(f"{module} has no {name}")
    return getattr(imported, name)


def lazy_function(place: str) -> Callable[..., Any]:
    """Return a function that imports and calls the function named ``module:name``."""

    def call(*words: Any) -> Any:
        return import_object(place)(*words)

    return call
