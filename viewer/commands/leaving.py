"""End the process although a thread still computes: compiled code cannot be interrupted."""

import atexit
import os
import sys
import threading
from contextlib import suppress

BUSY = ("worker", "scene", "fetching", "opening", "closing", "frames")
"""Names of threads that may be in compiled code, or wait for what reads, when the user quits."""
_codes: list[int] = []  # that the process ends with, if threads are left behind


def may_leave_threads() -> None:
    """Have ``leave_threads`` obeyed at the end of the process; call this before any thread begins.

    What others do at the end comes before, for the last to be named is the first to be asked.
    """
    atexit.register(_leave)


def leave_threads(code: int) -> None:
    """Let the process end with an exit code, whatever its threads do then.

    Without a thread that goes on, the process ends as usual.
    """
    if any(thread.name in BUSY for thread in threading.enumerate()):
        _codes.append(code)


def _leave() -> None:
    """End the process without taking Python apart, which threads in compiled code still use."""
    if _codes:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(_codes[-1])
