"""Listing of a folder's images and subfolders in natural order (frame 2 before frame 10)."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

SUFFIXES = (
    *(".png", ".pgm", ".ppm", ".pnm", ".jpg", ".jpeg", ".tif", ".tiff", ".jps", ".pns"),
    *(".mpo", ".heic", ".heif", ".hif", ".avif"),
)


def images_in(folder: Path) -> list[Path]:
    """List the image files of a folder in natural order, with the errors of ``files_in``."""
    return files_in(folder, SUFFIXES)


def files_in(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """List the files of a folder that have one of the suffixes, in natural order.

    Raises:
        OSError: the folder cannot be listed; one line for the user that names it.
    """
    return [
        path
        for path in _listed(folder)
        if path.suffix.lower() in suffixes and os.path.isfile(path)  # False where links form a loop
    ]


def folders_in(folder: Path) -> list[Path]:
    """List the subfolders of a folder in natural order.

    Raises:
        OSError: as ``files_in``.
    """
    return [path for path in _listed(folder) if os.path.isdir(path)]


def _listed(folder: Path) -> list[Path]:
    try:
        names = os.listdir(folder)
    except PermissionError:
        raise PermissionError(
            f"{folder}: not allowed to list it; change its permissions (chmod +rx)"
        ) from None
    except OSError as error:
        raise OSError(f"{folder}: cannot be listed ({error.strerror}); check the path") from None
    return [folder / name for name in sorted(names, key=natural_order)]


def natural_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key for natural order: frame 2 before frame 10."""
    parts = re.split(r"(\d+)", name)
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts)
