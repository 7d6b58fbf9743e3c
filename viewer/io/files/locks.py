"""File locks that end with the program, so that files of killed programs can be recognised."""

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO

HELD = (errno.EWOULDBLOCK, errno.EACCES)
"""The errors of a file that another program holds."""
LACKING = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)
"""The errors of file systems without locks."""
OFTEN = 0.01  # seconds between two attempts to lock a file
HAS_LOCKS = find_spec("fcntl") is not None


def hold(file: IO[bytes] | int) -> bool | None:
    """Lock an open file until it is closed.

    Returns:
        True: this program holds the lock now; False: another program holds it; None: the system, or
        the file system, has no locks.

    Raises:
        OSError: the file system failed.
    """
    if not HAS_LOCKS:
        return None
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError as error:
        if error.errno in LACKING:
            return None
        if error.errno not in HELD:
            raise
        return False
    return True


@contextmanager
def locked(path: Path, seconds: float = 10.0) -> Iterator[None]:
    """Lock a file for the ``with`` block, so that only one program at a time executes the block.

    Where the system or the file system has no locks, the block runs immediately.

    Raises:
        OSError: another program has held the file for too long, or it cannot be made.
    """
    with path.open("ab") as file:
        ends = time.monotonic() + seconds
        while hold(file) is False:
            if time.monotonic() > ends:
                raise TimeoutError(f"{path}: another program has held it for {seconds:g} s")
            time.sleep(OFTEN)
        yield
