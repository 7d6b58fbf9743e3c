"""Journals that list the finished parts of a long run, and digests of the files it reads.

With a journal, a run can be resumed after a stop.

Every part is a line of JSON, written as soon as the part is finished, or with others shortly after.
An incomplete last line of a killed run is dropped.
"""

import hashlib
import io
import json
import math
import os
import sys
import time
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypedDict

from wheatstone import gpu, viewer
from wheatstone.viewer.io.files.output import beginning, check_file, named_errors, set_aside
from wheatstone.viewer.io.reading.documents import LARGEST_RECORD, parsed
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.regular_files import (
    MIB,
    State,
    content_of,
    file_state,
    keep_content,
    open_descriptor,
    read_regular,
)
from wheatstone.viewer.io.reading.typed_values import typed

try:  # it takes a twentieth of the time
    from xxhash import xxh3_128 as digest_of
except ImportError:
    from hashlib import blake2b as digest_of  # type: ignore[assignment]

BEGINNING = b'{"schema": "'  # of every line
SOURCES = (".py", ".cu", ".cuh")  # suffixes of files whose change may change results
LARGEST_WHOLE = 64 * MIB  # bytes of a file of which every byte counts
BLOCKS, BLOCK = 64, MIB // 4  # of larger files, evenly spread from the first to the last byte


class JournalLine(TypedDict):
    """A line of a journal: key and outcome of one finished part of a long run, such as a pair."""

    schema: str
    schema_version: int
    key: str
    outcome: Any


class Journal:
    """A file that records the finished parts of a long run, so that the run can be resumed.

    A journal that is damaged, or of another version, is renamed, and a new one begun: it holds only
    results that can be computed again. A file that is not such a journal is not changed, and raises
    an error.

    Args:
        schema, version: the format of the lines, written into each.
        kind: a description of the file for messages.
        outcome: the declared type of a part's outcome, for ``viewer.io.reading.typed_values``.
        restart: whether to delete an existing journal.
        every: seconds from one writing to the next; lines in between wait, and a killed run loses
            them. 0: each is written at once.

    Attributes:
        note: a message for the user about a journal that was renamed; empty if there was none.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not such a journal.
    """

    def __init__(
        self,
        path: Path,
        schema: str,
        version: int,
        kind: str,
        outcome: Any = Any,
        *,
        restart: bool = False,
        every: float = 0.0,
    ) -> None:
        self.path, self.note, self._outcome = path, "", outcome
        self._every, self._waiting, self._written = every, list[str](), -math.inf
        self._head = {"schema": schema, "schema_version": version}
        self._finished: dict[str, Any] = {}
        self._incomplete = self._read_bytes = 0
        check_file(path)
        if path.is_file() and path.stat().st_size:
            self._check_kind(kind)
            if restart:
                path.unlink()
            else:
                self._read()

    def _check_kind(self, kind: str) -> None:
        """Raise ``ValueError`` if the file does not begin as a journal of this schema."""
        expected = BEGINNING + f'{self._head["schema"]}", "schema_version": '.encode()
        if not expected.startswith(beginning(self.path, len(expected))):
            raise ValueError(f"{self.path}: line 1 is not of a {kind}; choose another")

    def _read(self) -> None:
        """Read the finished parts of the run, or rename the journal if a line cannot be read."""
        try:
            *lines, rest = read_regular(self.path, LARGEST_RECORD).split(b"\n")
            entries = dict[str, Any]()
            for number, line in enumerate(lines, 1):
                key, outcome = self._parsed(number, line)
                entries.pop(key, None)  # so that the latest line of a key comes last
                entries[key] = outcome
            if not rest.startswith(BEGINNING[: len(rest)]):
                raise ValueError(f"{self.path}: line {len(lines) + 1} is damaged")
        except ValueError as error:
            aside = set_aside(self.path)
            self.note = f"{error}: it is kept as {aside}, and a new one begun"
        else:
            self._finished, self._incomplete = entries, len(rest)
            self._read_bytes = sum(len(line) + 1 for line in lines) + len(rest)

    def _parsed(self, number: int, line: bytes) -> tuple[str, Any]:
        """Parse a line to its key and outcome; raise ``ValueError`` if the line is damaged."""
        try:
            entry = typed(JournalLine, parsed(line.decode(), "JSON"), "")
            if any(entry[name] != value for name, value in self._head.items()):
                raise ValueError("of another version")
            return entry["key"], typed(self._outcome, entry["outcome"], "outcome")
        except ValueError as error:
            raise ValueError(f"{self.path}: line {number} is damaged ({error})") from None

    def find(self, key: str) -> Any | None:
        """Return the outcome of a part of the run; None if that part was not finished."""
        return self._finished.get(key)

    def outcomes(self) -> Iterable[Any]:
        """Return the outcomes of all finished parts of the run, in the order of finishing."""
        return self._finished.values()

    def add(self, key: str, outcome: Any) -> None:
        """Record a finished part of the run with its outcome; flush the lines at regular intervals.

        Raises:
            OSError: as ``flush``.
        """
        self._waiting.append(json.dumps({**self._head, "key": key, "outcome": outcome}) + "\n")
        if time.monotonic() - self._written >= self._every:
            self.flush()
        self._finished.pop(key, None)
        self._finished[key] = outcome

    def flush(self) -> None:
        """Write all lines that wait in memory to the disk before returning.

        Raises:
            OSError: the file cannot be written; it is unchanged, or deleted if it was new.
        """
        encoded = "".join(self._waiting).encode()
        self._waiting.clear()
        if not encoded:
            return
        with named_errors(self.path), self.path.open("ab", buffering=0) as file:
            whole = os.fstat(file.fileno()).st_size
            if self._incomplete and whole == self._read_bytes:  # else another run completed it
                whole -= self._incomplete
                file.truncate(whole)
            self._incomplete = 0
            try:
                _append(file, encoded)
            except OSError:
                file.truncate(whole)
                if not whole:
                    self.path.unlink()
                raise
        self._written = time.monotonic()


def _append(file: io.FileIO, encoded: bytes) -> None:
    """Append bytes to a file, and write them to the disk before returning."""
    while encoded:
        encoded = encoded[file.write(encoded) :]
    os.fsync(file.fileno())


def digest(facts: Any) -> str:
    """Compute the key of a part of a run from all facts (JSON) that determine its outcome."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def stamp(path: Path) -> list[Any]:
    """List a file's path, size and modification time, by which a changed file is recognised."""
    try:
        status = path.stat()
    except OSError:
        return [str(resolved(path))]
    return [str(resolved(path)), status.st_size, status.st_mtime_ns]


def program() -> str:
    """Compute a digest of all sources in ``gpu``, which changes whenever computing code changes."""
    return _digest_of(gpu)


def whole_program() -> str:
    """Compute a digest of all sources in ``gpu`` and ``viewer``, which changes with any code."""
    return _digest_of(gpu) + _digest_of(viewer)


@cache
def _digest_of(package: ModuleType) -> str:
    sources = hashlib.sha256()
    for path in sorted(Path(str(package.__file__)).parent.rglob("*")):
        if path.suffix in SOURCES:
            sources.update(path.read_bytes())
    return sources.hexdigest()


def fingerprint(path: str | Path) -> str:
    """Compute a digest of a file's content; empty if it cannot be read.

    For a file larger than ``LARGEST_WHOLE``, such as a long video, the digest is of its size, its
    modification time and ``BLOCKS`` blocks.
    """
    try:
        return _fingerprint(path, file_state(os.stat(path)))
    except OSError:
        return ""


@lru_cache(maxsize=64)  # the frames of a video are all read from one file
def _fingerprint(path: str | Path, state: State) -> str:
    with open_descriptor(path) as (file, status):
        size = status.st_size
        if size <= LARGEST_WHOLE:
            content = content_of(file, status, sys.maxsize)
            keep_content(file_state(status), content)
            return digest_of(content).hexdigest()
        digest = digest_of(f"{size} {state[3]}".encode())
        for number in range(BLOCKS):
            os.lseek(file, (size - BLOCK) * number // (BLOCKS - 1), os.SEEK_SET)
            digest.update(os.read(file, BLOCK))
        return digest.hexdigest()
