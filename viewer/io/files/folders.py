"""Creation of output folders, and checks of files below them, where links are not followed."""

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.io.files.output import claim_outputs


def own_folder(path: Path, *, links: bool = False) -> Path:
    """Make a folder if it does not exist, and return its path.

    Args:
        links: whether it may be a link to a folder. Inside a folder from an unknown origin it must
            not be: files would be written to another place.

    Raises:
        OSError: a link or a file is in the way, or the folder cannot be made.
    """
    _refuse_in_the_way(path, links=links)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        if not os.path.exists(path.parent):
            raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist") from None
        raise OSError(f"{path}: the folder cannot be made ({error.strerror})") from None
    return path


def folder_below(top: Path, path: Path) -> Path:
    """Make the folders from ``top``, which must exist, down to ``path`` below it.

    Raises:
        OSError: the folder was removed, or as ``own_folder``.
    """
    for folder in _between(top, path):
        with suppress(OSError):
            if stat.S_ISDIR(os.lstat(folder).st_mode):
                continue
        if not top.is_dir():
            raise FileNotFoundError(f"{top}: the folder was removed during the run")
        own_folder(folder)
    return path


def check_below(top: Path, names: Sequence[str], inputs: Iterable[Path] = ()) -> None:
    """Raise an error if files below a folder cannot be written, or would replace an input.

    A link in place of a file is allowed: ``whole_file`` replaces it and does not follow it.

    Args:
        names: every file that will be written, relative to the folder, which may be missing.
        inputs: as for ``claim_outputs``.

    Raises:
        OSError: a link is in place of a folder, or something else is in the way.
        ValueError: as ``claim_outputs``.
    """
    paths = [top / name for name in names]
    for parent in dict.fromkeys(path.parent for path in paths):
        for folder in _between(top, parent):
            _refuse_in_the_way(folder)
    for path in paths:
        if path.is_dir():
            raise FileExistsError(f"{path}: a folder is in the way of a file; move it")
    claim_outputs(paths, inputs)


@lru_cache(maxsize=64)  # asked for each file of each pair
def _between(top: Path, path: Path) -> list[Path]:
    """List the folders from below ``top`` down to ``path``."""
    return [folder for folder in reversed((path, *path.parents)) if top in folder.parents]


def _refuse_in_the_way(path: Path, *, links: bool = False) -> None:
    """Raise ``OSError`` if a link or a file is in the place of a folder to be made."""
    if path.is_symlink() and not links:
        raise FileExistsError(f"{path}: a link is in the way of a folder; remove it")
    if path.exists() and not path.is_dir():
        raise FileExistsError(f"{path}: a file is in the way of a folder; move it")
