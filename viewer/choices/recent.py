"""A source shown before, as an entry of the window's list: plain data."""

from dataclasses import dataclass
from pathlib import Path

from wheatstone.viewer.sources.source_spec import SourceSpec


@dataclass(frozen=True)
class Recent:
    """A source that was shown before.

    Attributes:
        title: names the source for the user, on one line.
        spec: opens the source again.
        thumbnail: a small PNG of its left view; None if it has none.
        seal: shows that this user's program wrote the entry; see ``viewer.settings.trust``.
    """

    title: str
    spec: SourceSpec
    thumbnail: Path | None
    seal: str = ""
