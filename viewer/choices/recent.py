"""A source that was shown before, as the window lists it: plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recent:
    """A source that was shown before.

    Attributes:
        title: names the source for the user, on one line.
        recipe: what reopens the source, as its section ``source`` in settings.
        thumbnail: a small PNG of its left view; None where there is none.
    """

    title: str
    recipe: Mapping[str, str | int]
    thumbnail: Path | None
