"""The state file: finished pairs, a line of JSON each, so that a run resumes where it stopped.

A line is written at once when its pair is finished. One that a killed run left incomplete is
dropped. A line counts again only for the same pair with the same settings, files and program.
"""

import hashlib
import json
import os
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import gpu
from viewer import VERSION
from viewer.evaluate.judge import Job, Outcome

SCHEMA, SCHEMA_VERSION = "wheatstone-evaluate-state", 1
BEGINNING = b'{"schema": "'  # of every line
SOURCES = (".py", ".cu", ".cuh")


class State:
    """Finished pairs on disk.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not path.is_file():
            raise FileExistsError(f"{path} is no regular file; choose another name")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
        content = path.read_bytes() if path.is_file() else b""
        *lines, rest = content.split(b"\n")
        self._finished = dict(self._parsed(number, line) for number, line in enumerate(lines, 1))
        if not rest.startswith(BEGINNING[: len(rest)]):
            raise ValueError(f"{path}: not a state file of wheatstone evaluate; choose another")
        self._incomplete = len(rest)

    def _parsed(self, number: int, line: bytes) -> tuple[str, Outcome]:
        try:
            found = json.loads(line)
            if (found["schema"], found["schema_version"]) != (SCHEMA, SCHEMA_VERSION):
                raise ValueError("of another kind or version")
            return found["key"], Outcome(**found["outcome"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{self.path}: line {number} is not of a state file of wheatstone evaluate "
                f"({error}); choose another --state"
            ) from None

    def finished(self, job: Job) -> Outcome | None:
        """What came of a pair before."""
        return self._finished.get(key(job))

    def add(self, job: Job, outcome: Outcome) -> None:
        """Append a finished pair."""
        line = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "key": key(job)}
        encoded = (json.dumps(line | {"outcome": asdict(outcome)}) + "\n").encode()
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            if self._incomplete:
                os.ftruncate(file, os.fstat(file).st_size - self._incomplete)
                self._incomplete = 0
            os.write(file, encoded)
            os.fsync(file)
        finally:
            os.close(file)


def key(job: Job) -> str:
    """A digest of all that decides a pair's figures; another one for a file that was changed."""
    facts = {**vars(job), "params": job.params.values(), "program": program(), "version": VERSION}
    facts["entry"] = {
        name: _stamp(value) if isinstance(value, Path) else value
        for name, value in vars(job.entry).items()
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _stamp(path: Path) -> list[Any]:
    try:
        found = path.stat()
    except OSError:
        return [str(path.resolve())]
    return [str(path.resolve()), found.st_size, found.st_mtime_ns]


@cache
def program() -> str:
    """A digest of the sources that compute."""
    digest = hashlib.sha256()
    for path in sorted(Path(str(gpu.__file__)).parent.rglob("*")):
        if path.suffix in SOURCES:
            digest.update(path.read_bytes())
    return digest.hexdigest()
