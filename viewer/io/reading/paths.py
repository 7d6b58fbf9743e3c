"""Conversion of paths given by a user, without errors for paths that do not exist."""

import os
import shlex
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from wheatstone.viewer.io.reading.plain_text import encodable

SCHEME = "file://"
"""Begins the URIs that stand for names that are not UTF-8, which TOML cannot hold.

Other names in settings are absolute, so none is read as a URI by mistake.
"""


def expanded(text: str | Path) -> Path:
    """Replace a tilde in a path by the home folder; keep it for an unknown user.

    ``Path.expanduser`` raises ``RuntimeError`` for an unknown user, which is no file error.
    """
    return Path(os.path.expanduser(text))


def resolved(path: str | Path) -> Path:
    """Make a path absolute, following links as far as they exist.

    ``Path.resolve`` raises ``RuntimeError`` if links form a loop.
    """
    return Path(os.path.realpath(path))


def resolved_file(path: str | Path) -> Path:
    """Make a file's path absolute like ``resolved``, but faster: resolved folders are cached."""
    whole = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
    folder, name = os.path.split(whole)
    whole = os.path.join(_resolved_folder(folder), name)
    unlike = name in ("", os.curdir, os.pardir) or os.path.islink(whole)
    return resolved(whole) if unlike else Path(whole)


_resolved_folder = lru_cache(maxsize=256)(os.path.realpath)


def with_uri(name: Any) -> Any:
    """Convert a file's name to a URI if UTF-8 cannot encode the name; return other values as is."""
    if not isinstance(name, str) or encodable(name) == name:
        return name
    try:
        return Path(name).absolute().as_uri()
    except UnicodeEncodeError:  # no name that a file can have
        return name


def without_uri(name: Any) -> Any:
    """Convert a URI back to the name of a file; keep other values."""
    if not isinstance(name, str) or not name.startswith(f"{SCHEME}/"):
        return name
    return os.fsdecode(unquote_to_bytes(name.removeprefix(SCHEME)))


def paths_in(text: str) -> tuple[str, ...]:
    """Split a typed or pasted text into paths: one, or several that a shell would separate.

    URIs of files, as file managers copy them, become paths. A path that exists is never split.
    """
    whole = without_uri(text.strip())
    try:
        parts = tuple(map(without_uri, shlex.split(text)))
    except ValueError:  # a quote that is not closed
        return (whole,)
    split = not os.path.lexists(expanded(whole)) and all(map(os.path.lexists, map(expanded, parts)))
    return parts if parts and split else (whole,)
