"""A source shown before, as an entry of the window's list: plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recent:
    """A source that was shown before.

    Attributes:
        title: names the source for the user, on one line.
        recipe: the section ``source`` of the settings that reopens it.
        thumbnail: a small PNG of its left view; None if it has none.
    """

    title: str
    recipe: Mapping[str, str | int]
    thumbnail: Path | None
