"""The recently shown sources, the newest first, each with a small picture.

They are kept in a document in the folder for settings; the pictures lie in a folder next to it.
"""

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.dialogs import Recent as Recent
from wheatstone.viewer.files.aside import set_aside
from wheatstone.viewer.files.documents import WrittenForm
from wheatstone.viewer.files.held import locked
from wheatstone.viewer.files.output import whole_file
from wheatstone.viewer.files.streams import say
from wheatstone.viewer.reading.plain_text import encodable, label
from wheatstone.viewer.reading.regular_files import MIB
from wheatstone.viewer.settings.file_names import with_names, with_uris
from wheatstone.viewer.settings.folders import settings_folder
from wheatstone.viewer.settings.seal import seal_of
from wheatstone.viewer.settings.sections import saved_source
from wheatstone.viewer.sources.frame import Source

MOST = 12
WIDTH, TALLEST = 96, 96  # of a thumbnail, in pixels
FORM = WrittenForm(
    "wheatstone-recent", 1, "wheatstone view", "it is written anew when a source is opened", MIB
)


@dataclass(frozen=True)
class KeptSource:
    """An entry of the document of recent sources.

    Attributes:
        source: the section of a recipe that reopens the source.
        seal: shows that this user's program wrote the entry; see ``viewer.settings.seal``.
    """

    title: str
    source: Mapping[str, Any]
    seal: str = ""


@dataclass(frozen=True)
class KeptSources:
    """The document of recent sources, the newest first."""

    schema: str
    schema_version: int
    sources: tuple[KeptSource, ...]


def recent_file() -> Path:
    """Return the file that lists recent sources, which need not exist."""
    return settings_folder() / "recent.json"


def recent_sources() -> tuple[Recent, ...]:
    """List the sources shown before, the newest first; leave out entries that cannot be opened.

    A damaged list is moved out of the way, with a message on standard error.
    """
    return tuple(_shown(kept) for kept in _kept())


def seal_kept(recent: Recent) -> str:
    """Return the seal of a recent source's entry; empty without one."""
    return next((k.seal for k in _kept() if k.source == recent.recipe), "")


def note_source(source: Source, left_picture: NDArray[np.uint8]) -> tuple[Recent, ...]:
    """Add a source to the recent ones, with a small picture of its left view.

    Built-in scenes, and sources that cannot be reopened, are not added.

    Args:
        left_picture: (H, W) grey levels or (H, W, 3) RGB.

    Returns:
        The new result of ``recent_sources``.

    Raises:
        OSError: the list or the picture cannot be written.
    """
    recipe = dict(source.recipe)
    if "left" not in recipe:
        return recent_sources()
    noted = KeptSource(label(source.name), recipe, seal_of(recipe))
    folder = settings_folder() / "recent"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(settings_folder() / ".recent.lock"):  # other windows add to the list, too
        before = _kept()
        kept = (noted, *(one for one in before if one.source != recipe))[:MOST]
        _write_thumbnail(_thumbnail(recipe), left_picture)
        _write(kept)
        _forget(before, kept)
    return tuple(_shown(one) for one in kept)


def _kept() -> tuple[KeptSource, ...]:
    """Read the entries that can be opened; none if there is no list, or a damaged one."""
    path = recent_file()
    if not os.path.lexists(path):
        return ()
    try:
        found = FORM.read(path, KeptSources).sources[:MOST]
    except OSError as error:
        say(f"recent sources are left out: {error}")
        return ()
    except Exception as error:  # whatever the list holds, it stops no start
        said = str(error)
        with suppress(OSError):
            said = f"{said}; kept as {set_aside(path)}"
        say(f"recent sources are left out: {said}")
        return ()
    return tuple(_openable(found))


def _openable(found: Iterable[KeptSource]) -> Iterable[KeptSource]:
    """Yield the entries with a valid source, with its URIs converted to file names."""
    for kept in found:
        with suppress(ValueError):
            named = with_names({"source": dict(kept.source)})
            recipe = saved_source(named)
            for name in recipe.values():
                os.fsencode(str(name))  # raises for what can be no file's name
            if "left" in recipe:
                yield KeptSource(label(kept.title), recipe, kept.seal)


def _shown(kept: KeptSource) -> Recent:
    picture = _thumbnail(kept.source)
    return Recent(kept.title, kept.source, picture if picture.is_file() else None)


def _thumbnail(recipe: Mapping[str, Any]) -> Path:
    """Return the file of a source's picture, named by a digest of its recipe."""
    said = json.dumps(dict(recipe), sort_keys=True)
    return settings_folder() / "recent" / f"{sha256(said.encode()).hexdigest()[:24]}.png"


def _write_thumbnail(path: Path, picture: NDArray[np.uint8]) -> None:
    from PIL import Image

    small = Image.fromarray(picture)
    small.thumbnail((WIDTH, TALLEST), Image.Resampling.BOX)
    with whole_file(path, own=True) as temporary:
        small.save(temporary, "PNG")


def _write(kept: Iterable[KeptSource]) -> None:
    entries = [
        {
            "title": encodable(one.title),
            **with_uris({"source": one.source}),
            "seal": one.seal,
        }
        for one in kept
    ]
    document = {"schema": FORM.schema, "schema_version": FORM.version, "sources": entries}
    with whole_file(recent_file(), own=True) as temporary:
        temporary.write_text(json.dumps(document, indent=1), encoding="utf-8")


def _forget(before: Iterable[KeptSource], kept: Iterable[KeptSource]) -> None:
    """Delete the pictures of the removed entries."""
    stay = {_thumbnail(one.source) for one in kept}
    for one in before:
        if (path := _thumbnail(one.source)) not in stay:
            with suppress(OSError):
                path.unlink()
