"""File locks that end with the program, so that files of killed programs can be recognised."""

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO

HELD = (errno.EWOULDBLOCK, errno.EACCES)
OFTEN = 0.01  # seconds between two attempts to lock a file
HAS_LOCKS = find_spec("fcntl") is not None


def hold(file: IO[bytes] | int) -> bool:
    """Lock an open file until it is closed; return False if another program holds the lock.

    On Windows, which has no such locks, it always returns False.
    """
    return _lock(file) == 0


def is_held_elsewhere(file: IO[bytes] | int) -> bool:
    """Lock an open file if possible; return whether another program holds the lock."""
    return _lock(file) in HELD


def _lock(file: IO[bytes] | int) -> int:
    """Lock an open file for this program; return the error number, or 0 for success."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        return errno.ENOSYS
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError as error:
        return error.errno or errno.ENOSYS
    return 0


@contextmanager
def locked(path: Path, seconds: float = 10.0) -> Iterator[None]:
    """Lock a file for the ``with`` block, so that only one program at a time executes the block.

    On systems without such locks, the block runs immediately.

    Raises:
        OSError: another program has held the file for too long, or it cannot be made.
    """
    with path.open("ab") as file:
        ends = time.monotonic() + seconds
        while HAS_LOCKS and not hold(file):
            if time.monotonic() > ends:
                raise TimeoutError(f"{path}: another program has held it for {seconds:g} s")
            time.sleep(OFTEN)
        yield
