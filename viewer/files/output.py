"""Write files so that they appear whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wheatstone.viewer.files.held import hold
from wheatstone.viewer.reading.inputs import INPUTS, add_inputs, refuse_input

UNFINISHED = ".wheatstone-unfinished-"
"""How the names of temporary files begin. A run that was killed leaves its own behind, and the next
one that goes on from there deletes them."""
REMEDIES = {
    errno.ENOSPC: "free some space, or choose another folder",
    errno.EDQUOT: "free some space, or choose another folder",
    errno.EFBIG: "choose another folder, or a smaller file",
    errno.EROFS: "choose another folder",
}


@contextmanager
def whole_file(path: Path, *, own: bool = False) -> Iterator[Path]:
    """Yield a temporary path to write to, which becomes ``path`` unless the block raises.

    Args:
        own: whether the program reads and replaces this file on its own account, such as the
            settings of the last session; all other files that were read are inputs.

    Raises:
        OSError: the folder is missing or cannot be written to, the disk is full, or ``path`` is a
            folder or device; the message names ``path``.
        ValueError: the file is an input of the command.
    """
    if not own:
        refuse_input(path)
    with named_errors(path):
        check_file(path)
        handle, name = tempfile.mkstemp(prefix=UNFINISHED, suffix=path.suffix, dir=path.parent)
    held = hold(handle)
    if not held:
        os.close(handle)
    try:
        with named_errors(path):
            yield Path(name)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
            INPUTS.add_output(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        if held:
            os.close(handle)


def remove_unfinished(folders: Iterable[Path]) -> None:
    """Delete the temporary files that killed runs left in folders, not in those within them."""
    for path in (path for folder in folders for path in folder.glob(f"{UNFINISHED}*")):
        with suppress(OSError), path.open("rb+") as file:
            if hold(file):
                path.unlink()


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Name a file in errors of writing to it, which know no name, or that of the temporary file.

    Errors that name another file, or are a message already, pass as they are.
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
        said = f"{path}: cannot be written ({error.strerror}); {remedy}"
        raise OSError(said) from error


def check_file(path: Path) -> None:
    """Raise ``OSError`` if a file cannot be written because of where it would lie."""
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is no regular file; choose another name")
    if not path.parent.is_dir():
        folder = path.parent
        raise FileNotFoundError(f"{path}: the folder {folder} does not exist; create it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"{path}: the folder {path.parent} cannot be written to")


def check_outputs(paths: Iterable[Path | None]) -> None:
    """Refuse files that cannot be written or would replace an input, before long work.

    To be called once all sources are open, because what they read is known then.

    Args:
        paths: every file that will be written; None: an output that is not asked for.

    Raises:
        OSError: as ``check_file``.
        ValueError: as ``claim_outputs``.
    """
    named = [path for path in paths if path]
    for path in named:
        check_file(path)
    claim_outputs(named)


def claim_outputs(paths: Sequence[Path], inputs: Iterable[Path] = ()) -> None:
    """Refuse outputs that would replace an input or each other; note all as the command's own.

    Args:
        inputs: files that are read later; listed only if an output exists already.

    Raises:
        ValueError: a file is an input of the command, or two of the files are one.
    """
    _refuse_twice(paths)
    if any(os.path.lexists(path) for path in paths):
        add_inputs(inputs)
        for path in paths:
            refuse_input(path)
    for path in paths:
        INPUTS.add_output(path)


def _refuse_twice(paths: Sequence[Path]) -> None:
    """Raise ``ValueError`` if two paths are of one file, or would be where case does not count."""
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


def _umask() -> int:
    """Read the process's mask of permissions, which can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
