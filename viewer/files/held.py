"""Hold files until the program ends, however it does: what nobody holds was left behind."""

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


@contextmanager
def locked(path: Path, seconds: float = 10.0) -> Iterator[None]:
    """Hold a lock file during a block, which programs therefore run one after the other.

    Where the system has no such locks, the block runs at once.

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
