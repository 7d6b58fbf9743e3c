"""End the process even if a thread still computes, as compiled code cannot be interrupted."""

import atexit
import os
import sys
import threading
from contextlib import suppress

BUSY = ("worker", "scene", "fetching", "opening", "closing", "frames")
"""Names of threads that may be in compiled code, or wait for reading, when the user quits."""
_codes: list[int] = []  # that the process ends with, if threads are left behind


def may_leave_threads() -> None:
    """Register the effect of ``leave_threads`` at exit; call this before any thread starts.

    Other exit functions run before, because the last one registered is the first to be called.
    """
    atexit.register(_leave)


def leave_threads(code: int) -> None:
    """Let the process end with an exit code without waiting for its busy threads.

    Without such threads, the process ends as usual.
    """
    if any(thread.name in BUSY for thread in threading.enumerate()):
        _codes.append(code)


def _leave() -> None:
    """End the process without finalizing Python, which threads in compiled code still use."""
    if _codes:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(_codes[-1])
