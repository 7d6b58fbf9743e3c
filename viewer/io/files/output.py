"""Writing of files completely or not at all; checks of output paths; damaged files of our own."""

import errno
import os
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wheatstone.viewer.io.files.locks import HAS_LOCKS, hold
from wheatstone.viewer.io.reading.inputs import INPUTS, add_inputs, refuse_input
from wheatstone.viewer.io.reading.regular_files import UNIX_FLAGS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNFINISHED = ".wheatstone-unfinished-"
"""Prefix of the names of temporary files. Those of a killed run are deleted by the next run that
continues it."""
NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | UNIX_FLAGS
REMEDIES = {
    errno.ENOSPC: "free some space, or choose another folder",
    errno.EDQUOT: "free some space, or choose another folder",
    errno.EFBIG: "choose another folder, or a smaller file",
    errno.EROFS: "choose another folder",
}


@contextmanager
def whole_file(path: Path, *, own: bool = False) -> Iterator[Path]:
    """Yield a temporary path for writing; rename it to ``path`` if the ``with`` block succeeds.

    Args:
        own: whether the program reads and replaces this file without being asked, such as the
            settings of the last session; all other files that were read are inputs.

    Raises:
        OSError: the folder is missing or cannot be written to, the disk is full, or ``path`` is a
            folder or device; the message names ``path``.
        ValueError: the file is an input of the command.
    """
    with _unfinished_file(path, own) as (_, name):
        yield Path(name)


def write_whole(path: Path, parts: Iterable[Any]) -> None:
    """Write bytes-like objects as one file, completely or not at all."""
    with _unfinished_file(path, own=False) as (handle, _):
        for part in parts:
            rest = memoryview(part).cast("B")
            while rest:
                rest = rest[os.write(handle, rest) :]


@contextmanager
def _unfinished_file(path: Path, own: bool) -> Iterator[tuple[int, str]]:
    """Yield an open temporary file and its path; rename it to ``path`` after the ``with`` block."""
    with named_errors(path):
        if os.path.lexists(path):
            if not own:
                refuse_input(path)
            check_file(path)
        handle, name = _new_file(path)
    try:
        with named_errors(path):
            try:
                hold(handle)  # as long as it is open
                yield handle, name
                if HAS_LOCKS:  # else the system cannot rename an open file
                    os.replace(name, path)
            finally:
                os.close(handle)
            if not HAS_LOCKS:
                os.replace(name, path)
            INPUTS.add_output(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _new_file(path: Path) -> tuple[int, str]:
    """Create a temporary file with an unused name in the folder of a file; return it open."""
    folder, file = os.path.split(path)
    suffix = os.path.splitext(file)[1]
    while True:
        name = os.path.join(folder, f"{UNFINISHED}{random.getrandbits(48):012x}{suffix}")
        try:
            return os.open(name, NEW_FILE, 0o666), name
        except FileExistsError:
            continue
        except OSError:
            check_file(path)
            raise


def remove_unfinished(folders: Iterable[Path]) -> None:
    """Delete the temporary files of killed runs in folders, but not in their subfolders."""
    for path in (path for folder in folders for path in folder.glob(f"{UNFINISHED}*")):
        with suppress(OSError), path.open("rb+") as file:
            if hold(file):
                path.unlink()


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Make write errors in the ``with`` block name the final file, not the temporary one.

    Errors that name another file, or are a message already, are not changed.
    """
    try:
        yield
    except OSError as error:
        known = os.fsdecode(error.filename) if error.filename else str(path)
        of_another = known != str(path) and UNFINISHED not in known
        if error.errno is None or of_another:
            raise
        if error.errno == errno.ENOENT and not path.parent.is_dir():
            removed = f"{path.parent}: the folder was removed during the run"
            raise FileNotFoundError(removed) from error
        remedy = REMEDIES.get(error.errno, "choose another name or folder")
        message = f"{path}: cannot be written ({error.strerror}); {remedy}"
        raise OSError(message) from error


def check_file(path: Path) -> None:
    """Raise ``OSError`` if a file cannot be written because of its folder or an existing object."""
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is no regular file; choose another name")
    if not path.parent.is_dir():
        folder = path.parent
        raise FileNotFoundError(f"{path}: the folder {folder} does not exist; create it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"{path}: the folder {path.parent} cannot be written to")


def check_outputs(paths: Iterable[Path | None]) -> None:
    """Raise an error, before long work, if files cannot be written or would replace an input.

    Call it after all sources are open, because their input files are known then.

    Args:
        paths: every file that will be written; None: an output that is not requested.

    Raises:
        OSError: as ``check_file``.
        ValueError: as ``claim_outputs``.
    """
    named = [path for path in paths if path]
    for path in named:
        check_file(path)
    claim_outputs(named)


def claim_outputs(paths: Sequence[Path], inputs: Iterable[Path] = ()) -> None:
    """Register files as outputs; raise an error if they would replace an input or each other.

    Args:
        inputs: files that are read later; listed only if an output exists already.

    Raises:
        ValueError: a file is an input of the command, or two paths lead to the same file.
    """
    _refuse_twice(paths)
    if any(os.path.lexists(path) for path in paths):
        add_inputs(inputs)
        for path in paths:
            refuse_input(path)
    for path in paths:
        INPUTS.add_output(path)


def _refuse_twice(paths: Sequence[Path]) -> None:
    """Raise ``ValueError`` if two paths lead to the same file or differ only in case."""
    folders = {folder: os.path.realpath(folder) for folder in {path.parent for path in paths}}
    known: dict[tuple[str, str] | tuple[int, int], Path] = {}
    for path in paths:
        other = known.setdefault((folders[path.parent], path.name.casefold()), path)
        if path.is_file():
            status = path.stat()
            other = known.setdefault((status.st_dev, status.st_ino), other)
        if other is not path:
            both = f"{other} and {path} are one file" if other != path else f"{path}: named twice"
            raise ValueError(f"{both}; outputs must name different files")


_PLACE = re.compile(r"%(?:0([1-9]))?d")
_LIKE_A_PLACE = re.compile(r"%[-+ #\d.*]*[diu]")


def is_numbered(path: Path) -> bool:
    """Return whether a file's name has a placeholder for a number, such as ``%03d``.

    Raises:
        ValueError: it has several placeholders, or one in another format.
    """
    places = _LIKE_A_PLACE.findall(path.name)
    if len(places) > 1 or any(not _PLACE.fullmatch(place) for place in places):
        raise ValueError(f"{path}: a number's place is one %d, or %03d for three digits")
    return bool(places)


def numbered(path: Path, number: int) -> Path:
    """Replace the placeholder (such as ``%03d``) in the name of a path by a number."""
    return path.with_name(_PLACE.sub(lambda place: f"{number:0{place[1] or 1}d}", path.name))


def unused_stem(folder: Path, suffixes: Sequence[str], kind: str = "") -> Path:
    """Return the first of ``wheatstone-001``, ``wheatstone-002``, ... that no file uses.

    Args:
        suffixes: of the files that are written.
        kind: of their contents, which the name contains; empty: it is clear from the suffixes.
    """
    begin = f"wheatstone-{kind}-" if kind else "wheatstone-"
    paths = (folder / f"{begin}{number:03}" for number in range(1, 100_000))
    return next(p for p in paths if not any(p.with_suffix(s).exists() for s in suffixes))


def write_png(path: Path, pixels: "NDArray[np.uint8]") -> None:
    """Write a picture, (H, W) or (H, W, 3), as a PNG, completely or not at all."""
    from PIL import Image

    with whole_file(path) as temporary:
        Image.fromarray(pixels).save(temporary, "PNG")


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
