"""Seals: distinguish recipes that the user's own program wrote from those of others.

A recipe names the files that it shows. Its author may name any file, so a recipe from somebody
else has to ask. A user's own recipe has a seal: a digest of its section ``source``, made with a
key that only this user has. It does not cover the rest of the recipe, which can do no harm.
"""

import hmac
import json
import os
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from wheatstone.viewer.reading.regular_files import read_regular
from wheatstone.viewer.settings.folders import settings_folder

KEY_BYTES = 32


def seal_of(source: Mapping[str, Any]) -> str:
    """Compute the seal of a recipe's section ``source``; empty if no key can be stored."""
    key = _key()
    said = json.dumps(dict(source), sort_keys=True).encode()
    return hmac.new(key, said, sha256).hexdigest() if key else ""


def is_own(recipe: Mapping[str, Any]) -> bool:
    """Return whether this user's program wrote the source that a recipe names."""
    said, expected = recipe.get("seal"), seal_of(recipe.get("source", {}))
    return (
        isinstance(said, str)
        and bool(expected)
        and hmac.compare_digest(said.encode("utf-8", "replace"), expected.encode())
    )


def _key() -> bytes:
    """Return this user's key, created when it is first needed; empty if it cannot be stored."""
    path = settings_folder() / "seal.key"
    try:
        if not path.exists():
            _make(path)
        key = read_regular(path, KEY_BYTES)
    except (OSError, ValueError):
        return b""
    return key if len(key) == KEY_BYTES else b""


def _make(path: Path) -> None:
    """Create a key file that nobody else may read, unless another process was faster."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(file, "wb") as opened:
            opened.write(secrets.token_bytes(KEY_BYTES))
        os.link(temporary, path)
    except FileExistsError:
        pass  # its key serves as well
    finally:
        temporary.unlink()
