"""A lock that allows one run of the program at a time to write to a folder or file.

The lock is released if the run is killed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from wheatstone.viewer.io.files.locks import hold
from wheatstone.viewer.io.files.output import named_errors
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.regular_files import UNIX_FLAGS

LOCK = ".wheatstone-lock"
"""The file that a run locks while it writes to a folder; for a file, the end of its name."""
FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | UNIX_FLAGS


@contextmanager
def sole_writer(place: Path, option: str = "--out") -> Iterator[None]:
    """Lock a folder or file for the ``with`` block, so that no other run of the program writes it.

    If the system, or the file system of the place, has no locks, a message says that other runs are
    not prevented.

    Args:
        option: the option by which the user names another place.

    Raises:
        OSError: another run writes to it, or the folder cannot be written to.
    """
    lock = place / LOCK if place.is_dir() else place.with_name(place.name + LOCK)
    file = _locked(lock, place, option)
    try:
        yield
    finally:
        with suppress(OSError):
            if _is_at(file, lock):
                lock.unlink()
        file.close()


def _locked(path: Path, place: Path, option: str) -> IO[bytes]:
    """Open and lock a lock file; raise ``FileExistsError`` if another run holds the lock."""
    while True:
        with named_errors(path):
            file = open(os.open(path, FLAGS, 0o666), "rb+", buffering=0)
            held = hold(file)
        if held is False:
            file.seek(0)
            who = file.read(20).decode("ascii", "replace").strip()
            file.close()
            raise FileExistsError(
                f"{place}: another run is writing to it (process {who or 'unknown'}); "
                f"wait until it ends, or choose another {option}"
            )
        if os.fstat(file.fileno()).st_nlink > 1:
            file.close()
            raise FileExistsError(f"{path}: a link is in the way of a lock; remove it")
        if _is_at(file, path):
            break
        file.close()  # the run that held it has ended, and removed it
    if held is None:
        say(f"{place}: files cannot be locked there; let no other run write to it")
    with named_errors(path):
        file.truncate(0)
        file.write(f"{os.getpid()}\n".encode())
    return file


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except OSError:
        return False
