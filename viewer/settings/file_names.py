"""Names of files in recipes: names that are not UTF-8, which TOML cannot hold, become URIs.

A name of a source in a recipe is absolute, so none is read as a URI by mistake.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from wheatstone.viewer.reading.plain_text import encodable

SCHEME = "file://"


def with_uris(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a recipe's names and texts so that TOML can hold them all."""
    source = {name: _uri(said) for name, said in recipe.get("source", {}).items()}
    named = {**recipe, "source": source} if source else recipe
    return {name: _encodable(said) for name, said in named.items()}


def _uri(said: Any) -> Any:
    """Convert a file's name to a URI if UTF-8 cannot hold the name."""
    if not isinstance(said, str) or encodable(said) == said:
        return said
    try:
        return Path(said).absolute().as_uri()
    except UnicodeEncodeError:  # no name that a file can have
        return said


def _encodable(said: Any) -> Any:
    if isinstance(said, Mapping):
        return {encodable(name): _encodable(inner) for name, inner in said.items()}
    if isinstance(said, list | tuple):
        return [_encodable(inner) for inner in said]
    return encodable(said) if isinstance(said, str) else said


def with_names(recipe: dict[str, Any]) -> dict[str, Any]:
    """Convert the URIs in a recipe that was read back to names of files."""
    source = recipe.get("source")
    if not isinstance(source, dict):
        return recipe
    return {**recipe, "source": {name: _name(said) for name, said in source.items()}}


def _name(said: Any) -> Any:
    if not isinstance(said, str) or not said.startswith(f"{SCHEME}/"):
        return said
    return os.fsdecode(unquote_to_bytes(said.removeprefix(SCHEME)))
