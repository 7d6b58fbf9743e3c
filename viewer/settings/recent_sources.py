"""The list of recently shown sources, newest first, each with a thumbnail.

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
from wheatstone.viewer.io.files.documents import WrittenForm
from wheatstone.viewer.io.files.locks import locked
from wheatstone.viewer.io.files.output import set_aside, whole_file
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.plain_text import encodable, label
from wheatstone.viewer.io.reading.regular_files import MIB
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.recipe import with_names, with_uris
from wheatstone.viewer.settings.trust import seal_of, settings_folder

MOST = 12
WIDTH, TALLEST = 96, 96  # of a thumbnail, in pixels
FORM = WrittenForm(
    "wheatstone-recent", 1, "wheatstone view", "it is written again when a source is opened", MIB
)


@dataclass(frozen=True)
class KeptSource:
    """A stored source in the list of recently shown ones.

    Attributes:
        source: the source as a section of settings.
        seal: shows that this user's program wrote the entry; see ``viewer.settings.trust``.
    """

    title: str
    source: Mapping[str, Any]
    seal: str = ""


@dataclass(frozen=True)
class KeptSources:
    """The stored list of recent sources, newest first."""

    schema: str
    schema_version: int
    sources: tuple[KeptSource, ...]


def recent_file() -> Path:
    """Return the path of the list of recent sources, which need not exist."""
    return settings_folder() / "recent.json"


def recent_sources() -> tuple[Recent, ...]:
    """List the sources shown before, newest first; skip entries that cannot be opened.

    A damaged list is moved out of the way, with a message on standard error.
    """
    return tuple(_kept())


def note_source(source: Source, left_picture: NDArray[np.uint8]) -> tuple[Recent, ...]:
    """Add a source to the recent ones, with a thumbnail of its left view.

    Built-in scenes, and sources that cannot be reopened, are not added.

    Args:
        left_picture: (H, W) grey levels or (H, W, 3) RGB.

    Returns:
        The new result of ``recent_sources``.

    Raises:
        OSError: the list or the picture cannot be written.
    """
    spec = source.spec
    if not spec.left:
        return recent_sources()
    noted = _recent(label(source.name), spec, seal_of(spec))
    folder = settings_folder() / "recent"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(settings_folder() / ".recent.lock"):  # other windows also add to the list
        before = _kept()
        kept = (noted, *(one for one in before if one.spec != spec))[:MOST]
        _write_thumbnail(_thumbnail(spec), left_picture)
        _write(kept)
        _forget(before, kept)
    return tuple(_recent(one.title, one.spec, one.seal) for one in kept)


def _kept() -> tuple[Recent, ...]:
    """Read the recent sources that can be opened; none if the list is missing or damaged."""
    path = recent_file()
    if not os.path.lexists(path):
        return ()
    try:
        kept = FORM.read(path, KeptSources).sources[:MOST]
    except OSError as error:
        say(f"recent sources are ignored: {error}")
        return ()
    except Exception as error:  # whatever the list holds, it stops no start
        message = str(error)
        with suppress(OSError):
            message = f"{message}; kept as {set_aside(path)}"
        say(f"recent sources are ignored: {message}")
        return ()
    return tuple(_openable(kept))


def _openable(sources: Iterable[KeptSource]) -> Iterable[Recent]:
    """Yield the stored recent sources that are valid, with URIs converted to file names."""
    for kept in sources:
        with suppress(ValueError):
            spec = SourceSpec.from_dict(with_names({"source": dict(kept.source)})["source"])
            for name in spec.files:
                os.fsencode(name)  # raises for what can be no file's name
            if spec.left:
                yield _recent(label(kept.title), spec, kept.seal)


def _recent(title: str, spec: SourceSpec, seal: str) -> Recent:
    picture = _thumbnail(spec)
    return Recent(title, spec, picture if picture.is_file() else None, seal)


def _thumbnail(spec: SourceSpec) -> Path:
    """Return the path of a source's thumbnail, named by a digest of the source."""
    text = json.dumps(spec.to_dict(), sort_keys=True)
    return settings_folder() / "recent" / f"{sha256(text.encode()).hexdigest()[:24]}.png"


def _write_thumbnail(path: Path, picture: NDArray[np.uint8]) -> None:
    from PIL import Image

    small = Image.fromarray(picture)
    small.thumbnail((WIDTH, TALLEST), Image.Resampling.BOX)
    with whole_file(path, own=True) as temporary:
        small.save(temporary, "PNG")


def _write(kept: Iterable[Recent]) -> None:
    entries = [
        {
            "title": encodable(one.title),
            **with_uris({"source": one.spec.to_dict()}),
            "seal": one.seal,
        }
        for one in kept
    ]
    document = {"schema": FORM.schema, "schema_version": FORM.version, "sources": entries}
    with whole_file(recent_file(), own=True) as temporary:
        temporary.write_text(json.dumps(document, indent=1), encoding="utf-8")


def _forget(before: Iterable[Recent], kept: Iterable[Recent]) -> None:
    """Delete the thumbnails of sources removed from the list of recent ones."""
    stay = {_thumbnail(one.spec) for one in kept}
    for one in before:
        if (path := _thumbnail(one.spec)) not in stay:
            with suppress(OSError):
                path.unlink()
