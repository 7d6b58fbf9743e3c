"""Journals: which parts a long run has finished, so that it resumes where it stopped.

Every part is a line of JSON, written as soon as the part is finished. A line that a killed run left
incomplete is dropped.
"""

import hashlib
import io
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import gpu
from viewer.files.output import named_errors

SOURCES = (".py", ".cu", ".cuh")  # suffixes of files whose change may change results


class Journal:
    """The parts of a run finished so far, on disk, each under a key.

    Args:
        schema, version: what the lines are, written into each.
        kind: what the file is, in words, for messages.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is something else.
    """

    def __init__(self, path: Path, schema: str, version: int, kind: str) -> None:
        self.path, self._kind = path, kind
        self._head = {"schema": schema, "schema_version": version}
        if path.exists() and not path.is_file():
            raise FileExistsError(f"{path} is no regular file; choose another name")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
        content = path.read_bytes() if path.is_file() else b""
        *lines, rest = content.split(b"\n")
        self._finished = dict(self._parsed(number, line) for number, line in enumerate(lines, 1))
        beginning = b'{"schema": "'  # of every line
        if not rest.startswith(beginning[: len(rest)]):
            raise ValueError(f"{path}: not a {kind}; choose another")
        self._incomplete = len(rest)

    def _parsed(self, number: int, line: bytes) -> tuple[str, Any]:
        """Read key and outcome from a line; raise ``ValueError`` if it is of something else."""
        try:
            found = json.loads(line)
            if any(found[name] != value for name, value in self._head.items()):
                raise ValueError("of another kind or version")
            return found["key"], found["outcome"]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{self.path}: line {number} is not of a {self._kind} ({error}); choose another"
            ) from None

    def find(self, key: str) -> Any | None:
        """Look up the outcome of a finished part; None if it was not finished."""
        return self._finished.get(key)

    def add(self, key: str, outcome: Any) -> None:
        """Append a finished part and its outcome, on disk before this returns.

        Raises:
            OSError: the file cannot be written; it is as it was, or gone where there was none.
        """
        encoded = (json.dumps({**self._head, "key": key, "outcome": outcome}) + "\n").encode()
        with named_errors(self.path), self.path.open("ab", buffering=0) as file:
            whole = os.fstat(file.fileno()).st_size - self._incomplete
            file.truncate(whole)
            self._incomplete = 0
            try:
                _append(file, encoded)
            except OSError:
                file.truncate(whole)
                if not whole:
                    self.path.unlink()
                raise
        self._finished[key] = outcome


def _append(file: io.FileIO, encoded: bytes) -> None:
    """Append bytes to a file, on disk before this returns."""
    while encoded:
        encoded = encoded[file.write(encoded) :]
    os.fsync(file.fileno())


def digest(facts: Any) -> str:
    """Make a journal's key of all that decides an outcome, given as anything that JSON holds."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def stamp(path: Path) -> list[Any]:
    """List a file's path, size and time of change, which differ once the file was changed."""
    try:
        found = path.stat()
    except OSError:
        return [str(path.resolve())]
    return [str(path.resolve()), found.st_size, found.st_mtime_ns]


@cache
def program() -> str:
    """Make a digest of all sources in ``gpu``, which differs once what computes was changed."""
    sources = hashlib.sha256()
    for path in sorted(Path(str(gpu.__file__)).parent.rglob("*")):
        if path.suffix in SOURCES:
            sources.update(path.read_bytes())
    return sources.hexdigest()
