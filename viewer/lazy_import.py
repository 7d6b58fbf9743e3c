"""Lazy import of modules, and of functions and classes by names such as ``module:name``.

For code that should not slow down the start of the program.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def import_object(place: str) -> Any:
    """Import the object named ``module:name``.

    Args:
        place: ``module:name``, such as ``viewer.cli.view:view``.

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


class LazyModule:
    """A module that is imported at the first access to one of its attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # asked for by tools that look at any object
            raise AttributeError(attribute)
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)  # drawing makes thousands of calls a second
        return value
