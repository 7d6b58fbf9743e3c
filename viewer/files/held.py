"""Hold files until the program ends, however it does: what nobody holds was left behind."""

from typing import IO


def hold(file: IO[bytes] | int) -> bool:
    """Lock an open file for as long as it is open; False if another program has it.

    Where the system has no such locks, which is Windows, nobody holds anything.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        return False
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True
