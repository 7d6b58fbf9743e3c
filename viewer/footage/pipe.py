"""Reading of named pipes and standard input, which can be closed while a read waits."""

import os
import select
import stat
import sys
import threading

TURN = 0.1  # seconds between two looks at whether the pipe is closed


def is_fifo(path: str) -> bool:
    """Return whether a path is that of a named pipe."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


class Pipe:
    """A pipe as a file that FFmpeg can read, until it ends or is closed.

    Args:
        path: of a named pipe, whose writer may start later; None: standard input.
        closing: set to stop reading.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: str | None, closing: threading.Event) -> None:
        self.name = path or "standard input"
        self._closing = closing
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        self._file = os.open(path, flags) if path else os.dup(sys.__stdin__.fileno())  # type: ignore[union-attr]

    def read(self, size: int) -> bytes:
        """Read up to ``size`` available bytes, or wait for them; empty at the end."""
        poll = select.poll()
        poll.register(self._file, select.POLLIN)
        while not self._closing.is_set():
            if poll.poll(TURN * 1e3):
                return os.read(self._file, size)
        return b""

    def close(self) -> None:
        """Close the file; it may be called repeatedly."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)
