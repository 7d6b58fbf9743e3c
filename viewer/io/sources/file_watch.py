"""Watching of a source's files on disk: detects changes that are completely written."""

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.source_spec import SourceSpec

EVERY = 0.5  # seconds between two looks; a file that stays so long the same is written
OWN = "wheatstone-"  # begins the names of files that the program itself writes
MOST = 10_000  # files of a folder that are looked at

Stamp = tuple[int, int]  # when a file was written, in nanoseconds, and how long it is, in bytes
Stamps = Mapping[str, Stamp]  # by path


def stamps_of(paths: tuple[str, ...]) -> Stamps:
    """Return the size and time stamps of files, and of the files in folders; skip missing ones."""
    stamps: dict[str, Stamp] = {}
    for path in paths:
        try:
            if os.path.isdir(path):
                stamps |= _in_folder(path)
            else:
                stamps[path] = _stamp(os.stat(path))
        except OSError:
            continue
    return stamps


def _in_folder(path: str) -> Stamps:
    """Return the size and time stamps of a folder's files, of the first ``MOST`` entries only."""
    with os.scandir(path) as entries:
        some = [entry for entry, _ in zip(entries, range(MOST), strict=False)]
        files = [entry for entry in some if entry.is_file() and not entry.name.startswith(OWN)]
        return {entry.path: _stamp(entry.stat()) for entry in files}


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_size


class FileWatch:
    """A thread that watches the files of a source for changes.

    Args:
        spec: of the source; one that names no files, or is live, is not watched.
        every: seconds between two checks.

    Attributes:
        spec: of the source whose files are watched.
    """

    def __init__(self, spec: SourceSpec, every: float = EVERY) -> None:
        self.spec = spec
        self._paths = tuple(path for path in spec.files if not is_live(path))
        self._known: Stamps | None = None
        self._seen: Stamps = {}
        self._changed: tuple[str, ...] = ()
        self._lock = threading.Lock()  # of what has changed
        self._closing, self._every = threading.Event(), every

    def start(self) -> Self:
        """Start to watch the files of a source, until ``close`` is called."""
        if self._paths:
            threading.Thread(target=self._look, name="watching", daemon=True).start()
        return self

    def changed(self) -> str:
        """Return the names of files changed since the last call, as text; empty without any."""
        with self._lock:
            names, self._changed = self._changed, ()
        first = label(Path(names[0]).name) if names else ""
        return f"{first} and {len(names) - 1} more" if len(names) > 1 else first

    def _look(self) -> None:
        self.look()
        while not self._closing.wait(self._every):
            self.look()

    def look(self) -> None:
        """Check the files once; a change counts when two checks in a row see the same stamps.

        Later checks are compared with the first. A file that is gone does not count: it may be
        about to be replaced.
        """
        now = stamps_of(self._paths)
        settled, self._seen = now == self._seen, now
        if self._known is None:
            self._known = now
        different = [path for path, stamp in now.items() if self._known.get(path) != stamp]
        if settled and different:
            self._known = now
            with self._lock:
                self._changed = tuple(dict.fromkeys((*self._changed, *different)))

    def close(self) -> None:
        """Stop watching the files of the source."""
        self._closing.set()
