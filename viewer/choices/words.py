"""Names and values of parameters as people read them."""

from typing import Any


def spoken(name: str) -> str:
    """Write a declared name as people read it, with spaces for underscores."""
    return name.replace("_", " ")


def in_words(value: Any) -> str:
    """Write a parameter's value as people read it: ``on``, ``1,2``, ``0.25``."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
