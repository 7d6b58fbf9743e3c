"""Name the folder of compiled code, one for each state of the sources that it is compiled from."""

import hashlib
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree

from platformdirs import user_cache_path

SOURCES = Path(__file__).resolve().parent
UNUSED = 30 * 24 * 3600
"""Seconds after whose passing a folder of another state of the sources is removed."""


def code_folder(parent: Path | None = None) -> Path | None:
    """Make the folder of the code compiled from these sources; remove those long unused.

    A function's machine code holds the functions and the constants of other files: each state of
    the sources has a folder of its own, so that no code of an earlier state is ever run.

    Args:
        parent: where such folders lie; None: in the user's folder for what can be made again,
            such as ``~/.cache/wheatstone/compiled``.

    Returns:
        None where nothing can be written there: code is then compiled at each start.
    """
    parent = parent or user_cache_path("wheatstone") / "compiled"
    folder = parent / sources_key()
    try:
        new = not folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # in use
        if new:
            _remove_unused(parent)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def sources_key() -> str:
    """Name the state of the sources, with the versions of what compiles them."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(f"{path.relative_to(SOURCES)}\0".encode() + path.read_bytes() + b"\0")
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"python{python}-numba{version('numba')}-{digest.hexdigest()[:16]}"


def _remove_unused(parent: Path) -> None:
    for folder in parent.iterdir():
        if time.time() - folder.stat().st_mtime > UNUSED:
            rmtree(folder, ignore_errors=True)
