"""Rows that an interrupted run has measured: kept beside the file that it would have written."""

import argparse
from pathlib import Path
from typing import Any, Protocol

from gpu.pipeline import Variant
from viewer import VERSION
from viewer.files.journal import Journal, digest, program
from viewer.measuring.rows import MeasuredRow, from_json, to_json
from viewer.measuring.sweep import Configuration

SCHEMA, SCHEMA_VERSION = "wheatstone-bench-rows", 1
KIND = "file of rows of an interrupted wheatstone bench"


class Kept(Protocol):
    """Where rows are looked up before they are measured, and kept afterwards."""

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """A row that a command line has measured before."""

    def add(self, row: MeasuredRow) -> None:
        """Keep a row that was measured."""


class Nowhere:
    """Keeps nothing: what is measured ends on the screen."""

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """Nothing was measured before."""
        return None

    def add(self, row: MeasuredRow) -> None:
        """Forget it."""


class OnDisk:
    """Keeps rows in a journal until the run is complete.

    A row counts again only for the same command line, files, program and machine.

    Args:
        facts: what the machine and the inputs are; anything that JSON holds.
    """

    def __init__(self, path: Path, facts: Any) -> None:
        self.path, self.found = path, 0
        self._journal = Journal(path, SCHEMA, SCHEMA_VERSION, KIND)
        self._facts = [facts, program(), VERSION]

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """A row that was measured before the interruption."""
        found = self._journal.find(self._key(command))
        self.found += found is not None
        return from_json(found, one, variant) if found else None

    def add(self, row: MeasuredRow) -> None:
        """Append a row."""
        self._journal.add(self._key(row.command), to_json(row))

    def _key(self, command: str) -> str:
        return digest([command, self._facts])

    def forget(self) -> None:
        """The run is complete."""
        self.path.unlink(missing_ok=True)


def kept(options: argparse.Namespace, facts: Any) -> OnDisk | None:
    """The rows beside ``--json``; nothing without it.

    Raises:
        OSError, ValueError: the file beside it cannot be read, or is something else.
    """
    if not options.json:
        return None
    path = options.json.with_name(f"{options.json.name}.part")
    if options.restart:
        path.unlink(missing_ok=True)
    return OnDisk(path, facts)
