"""A lock that limits a folder to one run at a time, and is released if the run is killed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from wheatstone.viewer.io.files.locks import is_held_elsewhere
from wheatstone.viewer.io.files.output import named_errors

LOCK = ".wheatstone-lock"
"""The file that a run locks while it writes to a folder."""
FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Prevent other runs from writing to a folder during the block.

    If the system, or the file system of the folder, has no locks, other runs are not prevented.

    Raises:
        OSError: another run writes to it, or the folder cannot be written to.
    """
    file = _locked(folder)
    try:
        yield
    finally:
        with suppress(OSError):
            if _is_at(file, folder / LOCK):
                (folder / LOCK).unlink()
        file.close()


def _locked(folder: Path) -> IO[bytes]:
    """Open and lock the lock file of a folder."""
    path = folder / LOCK
    while True:
        with named_errors(path):
            file = open(os.open(path, FLAGS, 0o666), "rb+", buffering=0)
        if is_held_elsewhere(file):
            file.seek(0)
            who = file.read(20).decode("ascii", "replace").strip()
            file.close()
            raise FileExistsError(
                f"{folder}: another run is writing to this folder (process {who or 'unknown'}); "
                "wait until it ends, or choose another --out"
            )
        if os.fstat(file.fileno()).st_nlink > 1:
            file.close()
            raise FileExistsError(f"{path}: a link is in the way of a lock; remove it")
        if _is_at(file, path):
            break
        file.close()  # the run that held it has ended, and removed it
    with named_errors(path):
        file.truncate(0)
        file.write(f"{os.getpid()}\n".encode())
    return file


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Return whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except OSError:
        return False
