"""Quarantine of the program's own damaged files, which are renamed instead of deleted."""

import os
from pathlib import Path


def set_aside(path: Path) -> Path:
    """Rename a damaged file to an unused name, and return the new path.

    Raises:
        OSError: the file cannot be renamed.
    """
    names = (path.with_name(f"{path.name}.damaged{n}") for n in ("", *range(2, 1000)))
    free = next((name for name in names if not os.path.lexists(name)), None)
    if free is None:
        raise FileExistsError(f"{path}: damaged, as many before it; remove {path.name}.damaged*")
    path.rename(free)
    return free


def beginning(path: Path, count: int) -> bytes:
    """Read the first bytes of a file; empty if it is missing or no regular file."""
    if not path.is_file():
        return b""
    with open(path, "rb") as file:
        return file.read(count)
