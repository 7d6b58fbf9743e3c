"""Checks on values for type annotations, as in ``Annotated[float, between(0, 1)]``."""

import re
from collections.abc import Collection

from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.io.reading.typed_values import Check, shown

"""The maximum size of pictures, for files of any format."""

LARGEST = 16384
"""The maximum height or width of a picture, in pixels: what OpenGL shows nearly everywhere."""
MOST_PIXELS = 2**27
"""The maximum number of pixels of a picture."""
LARGEST_VIDEO = 8192
"""The maximum height or width of a frame of a video or a camera, in pixels."""


def between(low: float, high: float) -> Check:
    """Return a check, for type annotations, that a number lies in [``low``, ``high``]."""

    def check(value: float) -> str:
        bounds = f"[{_written(low)}, {_written(high)}]"
        return "" if low <= value <= high else f"must be in {bounds} (got {_written(value)})"

    return check


def _written(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"


def at_most(count: int) -> Check:
    """Return a check that a text, list or table has at most ``count`` characters or items."""

    def check(value: Collection[object]) -> str:
        what = "characters" if isinstance(value, str) else "items"
        return "" if len(value) <= count else f"must have at most {count} {what} (got {len(value)})"

    return check


def known(names: Collection[str]) -> Check:
    """Return a check, for type annotations, that a text is one of the given names."""

    def check(value: str) -> str:
        got = shown(visible(value))
        return "" if value in names else f"must be one of {', '.join(names)} (got '{got}')"

    return check


def simple_name(value: str) -> str:
    """Check that a name has only small letters, digits and hyphens; return an error text or ""."""
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", value) and len(value) <= 80:
        return ""
    return f"must be a name of small letters, digits and hyphens (got '{shown(visible(value))}')"
