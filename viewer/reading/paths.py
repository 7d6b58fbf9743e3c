"""Conversion of paths given by a user, without errors for paths that do not exist."""

import os
from pathlib import Path


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
