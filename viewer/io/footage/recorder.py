"""Recording in the background: a thread writes the items of a bounded queue."""

import threading
import time
from collections import deque
from pathlib import Path
from typing import Any, Protocol

from wheatstone.viewer.io.reading.plain_text import one_line

MOST_BYTES = 256 * 2**20
"""Maximum bytes that wait to be written; further items are dropped."""


class Writer(Protocol):
    """The protocol of writers of one recording; the recorder calls them in its thread."""

    @property
    def size(self) -> int:
        """Count the bytes of the recording written so far."""

    def add(self, item: Any, seconds: float) -> None:
        """Write an item that was recorded ``seconds`` after the beginning.

        Raises:
            OSError, ValueError: the item cannot be written.
        """

    def close(self) -> None:
        """Complete the recording; raise an error if it cannot be written."""


class Recorder:
    """A recorder: a bounded queue of items that a thread passes to a writer.

    Args:
        path: the file or folder that the writer writes, for messages.
        most: maximum bytes that may wait.

    Attributes:
        written: items that were written.
        dropped: items that were dropped because too much waited.
        error: why writing ended; empty while it continues.
        failed: whether it ended because of an error in writing.
    """

    def __init__(self, writer: Writer, path: Path, most: int = MOST_BYTES) -> None:
        self._writer, self.path, self._most = writer, path, most
        self.written = self.dropped = 0
        self.error, self.failed = "", False
        self._began = time.monotonic()
        self._ended: float | None = None
        self._waiting: deque[tuple[Any, float, int]] = deque()
        self._bytes, self._stopping = 0, False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="recording", daemon=True)
        self._thread.start()

    @property
    def seconds(self) -> float:
        """Compute the duration of the recording so far."""
        return (self._ended or time.monotonic()) - self._began

    @property
    def size(self) -> int:
        """Count the bytes of the recording written so far."""
        return self._writer.size

    @property
    def running(self) -> bool:
        """Return whether the recording still accepts items."""
        return not (self._stopping or self.error)

    def put(self, item: Any, nbytes: int, seconds: float | None = None) -> bool:
        """Queue an item without waiting for the disk; return whether it was accepted.

        Args:
            nbytes: bytes of memory that the item holds.
            seconds: since the beginning; None: now.
        """
        with self._changed:
            if not self.running:
                return False
            if self._waiting and self._bytes + nbytes > self._most:
                self.dropped += 1
                return False
            at = self.seconds if seconds is None else seconds
            self._waiting.append((item, at, nbytes))
            self._bytes += nbytes
            self._changed.notify_all()
            return True

    def fail(self, error: object) -> None:
        """End the recording because of an error; items that are already written remain.

        Args:
            error: the exception, or the reason as text.
        """
        with self._changed:
            self.failed |= isinstance(error, Exception)
            reason = error.strerror if isinstance(error, OSError) else None
            self.error = self.error or one_line(reason or str(error))
            self._ended = self._ended or time.monotonic()
            self._waiting.clear()
            self._changed.notify_all()

    def stop(self) -> None:
        """End the recording: write the waiting items, and complete the file."""
        with self._changed:
            self._stopping = True
            self._ended = self._ended or time.monotonic()
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        """Write items until the recording ends or an item cannot be written."""
        try:
            while job := self._next():
                item, seconds, nbytes = job
                self._writer.add(item, seconds)
                with self._changed:
                    self._bytes -= nbytes
                    self.written += 1
        except Exception as error:  # FFmpeg has its own kinds; whatever it is, it ends here
            self.fail(error)
        try:
            self._writer.close()
        except Exception as error:
            self.fail(error)

    def _next(self) -> tuple[Any, float, int] | None:
        """Wait for an item and remove it from the queue; None at the end of the recording."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping or self.error)
            return self._waiting.popleft() if self._waiting else None


def duration(seconds: float) -> str:
    """Format a time as minutes and seconds, with hours if needed."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size_words(count: int) -> str:
    """Format a number of bytes in GB, MB, kB or bytes."""
    for unit, step in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= step:
            return f"{count / step:.1f} {unit}"
    return f"{count} bytes"
