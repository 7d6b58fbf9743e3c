"""Paths as a user writes them, whatever they name: nothing here raises for what is not there."""

import os
from pathlib import Path


def expanded(text: str | Path) -> Path:
    """Write a path with a home folder in place of a tilde; the tilde stays before an unknown user.

    ``Path.expanduser`` raises ``RuntimeError`` there, which is no error of a file.
    """
    return Path(os.path.expanduser(text))


def resolved(path: str | Path) -> Path:
    """Write a path whole, links followed as far as they lead somewhere.

    ``Path.resolve`` raises ``RuntimeError`` where links form a loop.
    """
    return Path(os.path.realpath(path))
