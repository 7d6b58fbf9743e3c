"""Decide whether saved settings may open files outside their folder without asking.

A recipe names the files that it shows. Its author may name any file, so a recipe from somebody
else has to ask. A user's own recipe has a seal: a digest of its section ``source``, made with a
key that only this user has. It does not cover the rest of the recipe, which can do no harm.
"""

import hmac
import json
import os
import secrets
from hashlib import sha256
from pathlib import Path

from platformdirs import user_config_path

from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.regular_files import read_regular
from wheatstone.viewer.io.sources.source_spec import SourceSpec

KEY_BYTES = 32


def settings_folder() -> Path:
    """Return the path of the settings folder, such as ``~/.config/wheatstone``.

    The folder need not exist.
    """
    return user_config_path("wheatstone")


def seal_of(spec: SourceSpec) -> str:
    """Compute the seal (a keyed hash) of a source; empty if no key can be stored."""
    key = _key()
    text = json.dumps(spec.to_dict(), sort_keys=True).encode()
    return hmac.new(key, text, sha256).hexdigest() if key else ""


def is_own(spec: SourceSpec, seal: object) -> bool:
    """Return whether the seal of a source was created with this user's key."""
    expected = seal_of(spec)
    if not isinstance(seal, str) or not expected:
        return False
    return hmac.compare_digest(seal.encode("utf-8", "replace"), expected.encode())


def foreign_files(file: Path, spec: SourceSpec, seal: object = "") -> tuple[str, ...]:
    """List the files that the source in saved settings would open outside their folder.

    Cameras and streams lie outside of every folder. Empty if this user's own program wrote the
    recipe.

    Args:
        file: the settings or the screenshot that holds the recipe.
    """
    folder = resolved(file).parent
    outside = tuple(
        name for name in spec.files if is_live(name) or not resolved(name).is_relative_to(folder)
    )
    return outside if outside and not is_own(spec, seal) else ()


def question_about(file: Path, files: tuple[str, ...], spec: SourceSpec) -> Question:
    """Return the question that asks whether the source in saved settings may be opened."""
    return Question(
        f"{file.name} refers to sources in other places:",
        files,
        "You did not write it on this machine. Sources that it opens are only shown, never sent.",
        ("open source", spec.to_toml()),
    )


def _key() -> bytes:
    """Return this user's secret key, created at first use; empty if it cannot be stored."""
    path = settings_folder() / "seal.key"
    try:
        if not path.exists():
            _make(path)
        key = read_regular(path, KEY_BYTES)
    except (OSError, ValueError):
        return b""
    return key if len(key) == KEY_BYTES else b""


def _make(path: Path) -> None:
    """Create a key file that only this user may read, unless another process just created it."""
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
