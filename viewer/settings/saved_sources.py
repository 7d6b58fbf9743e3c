"""The list of open sources in saved settings."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from wheatstone.viewer.choices.open_sources import MOST_OPEN, OpenSource, OpenSources
from wheatstone.viewer.io.reading.plain_text import encodable, label
from wheatstone.viewer.io.reading.typed_values import section, typed
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.recipe import with_names, with_uris


@dataclass(frozen=True)
class SavedSource:
    """An open source in saved settings.

    Attributes:
        source: what opens it, as the section ``source``.
        frame: the one shown last.
        shown: whether A showed it.
    """

    title: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    frame: int = 0
    shown: bool = False


def to_sources(sources: OpenSources) -> dict[str, Any]:
    """Return the settings section of open sources that can be reopened; empty if fewer than two."""
    listed = [
        {
            "title": encodable(each.title),
            "frame": each.frame,
            "shown": each.number == sources.shown,
            **with_uris({"source": each.spec.to_dict()}),
        }
        for each in sources.listed
        if each.spec
    ]
    return {"sources": listed} if listed[1:] else {}


def sources_of(recipe: Mapping[str, Any]) -> OpenSources:
    """Read the open sources from settings; invalid entries are skipped."""
    sources = list(_understood(recipe.get("sources", ())))
    shown = (source.number for source, is_shown in sources if is_shown)
    return OpenSources(tuple(source for source, _ in sources), next(shown, 0))


def _understood(listed: Any) -> Iterator[tuple[OpenSource, bool]]:
    """Yield the valid sources of a saved list, each with whether A showed it."""
    for table in listed[:MOST_OPEN] if isinstance(listed, Sequence) else ():
        with suppress(ValueError):
            saved = section(SavedSource, typed(Mapping[str, Any], table, "sources"), "sources")
            spec = SourceSpec.from_dict(with_names({"source": dict(saved.source)})["source"])
            if spec:
                yield OpenSource(label(saved.title), spec, frame=saved.frame), saved.shown
