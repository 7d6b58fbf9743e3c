"""Hold files until the program ends, however it does: what nobody holds was left behind."""

import errno
from typing import IO

HELD = (errno.EWOULDBLOCK, errno.EACCES)


def hold(file: IO[bytes] | int) -> bool:
    """Lock an open file for as long as it is open; False if another program has it.

    Where the system has no such locks, which is Windows, nobody holds anything.
    """
    return _lock(file) == 0


def is_held_elsewhere(file: IO[bytes] | int) -> bool:
    """Lock an open file if that is possible; tell whether another program has it."""
    return _lock(file) in HELD


def _lock(file: IO[bytes] | int) -> int:
    """Lock an open file; return the number of the error that prevents it, 0 if none does."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        return errno.ENOSYS
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError as error:
        return error.errno or errno.ENOSYS
    return 0
