"""Names and values of parameters as people read them."""

from typing import Any


def spoken(name: str) -> str:
    """A declared name as people read it."""
    return name.replace("_", " ")


def in_words(value: Any) -> str:
    """A parameter's value as people read it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
