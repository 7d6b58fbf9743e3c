"""Write files so that they appear whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wheatstone.viewer.files.held import hold

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
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to, which becomes ``path`` unless the block raises.

    Raises:
        OSError: the folder is missing or cannot be written to, the disk is full, or ``path`` is a
            folder or device; the message names ``path``.
    """
    with named_errors(path):
        if path.exists() and not path.is_file():
            raise FileExistsError(f"{path} is no regular file; choose another name")
        if not path.parent.is_dir():
            folder = path.parent
            raise FileNotFoundError(f"{path}: the folder {folder} does not exist; create it first")
        try:
            handle, name = tempfile.mkstemp(prefix=UNFINISHED, suffix=path.suffix, dir=path.parent)
        except PermissionError as error:
            said = f"{path}: the folder {path.parent} cannot be written to"
            raise PermissionError(said) from error
    held = hold(handle)
    if not held:
        os.close(handle)
    try:
        with named_errors(path):
            yield Path(name)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
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
        remedy = REMEDIES.get(error.errno, "choose another name or folder")
        said = f"{path}: cannot be written ({error.strerror}); {remedy}"
        raise OSError(said) from error


def check_files(**paths: Path | None) -> None:
    """Refuse output files that cannot be written, to be called before long work.

    Args:
        paths: the files by the option that names each; None: not asked for.

    Raises:
        OSError: a folder is missing.
        ValueError: two of the files are one.
    """
    named = [path for path in paths.values() if path]
    for path in named:
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    if len(set(named)) < len(named):
        *options, last = (f"--{name}" for name in paths)
        raise ValueError(f"{', '.join(options)} and {last} must name different files")


def _umask() -> int:
    """Read the process's mask of permissions, which can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
