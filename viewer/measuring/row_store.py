"""Keep the rows of an interrupted run of ``bench`` in a journal next to its output file."""

from pathlib import Path
from typing import Any, Protocol

from wheatstone.gpu.pipeline import Variant
from wheatstone.viewer import VERSION
from wheatstone.viewer.files.journal import Journal, digest, program
from wheatstone.viewer.measuring.options import FileOptions
from wheatstone.viewer.measuring.row_types import MeasuredRowDict
from wheatstone.viewer.measuring.rows import MeasuredRow, from_json, to_json
from wheatstone.viewer.measuring.sweep import Configuration

SCHEMA, SCHEMA_VERSION = "wheatstone-bench-rows", 1
KIND = "file of rows of an interrupted wheatstone bench"


class RowStore(Protocol):
    """A store in which rows are looked up before they are measured, and kept afterwards."""

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """Return the row that a command line measured before; None if it measured none."""

    def add(self, row: MeasuredRow) -> None:
        """Keep a measured row."""


class NoStore:
    """A store that keeps nothing, for results that only go to the screen."""

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """Return None, because nothing is kept."""
        return None

    def add(self, row: MeasuredRow) -> None:
        """Discard the row."""


class RowJournal:
    """A journal on disk that keeps rows until the run is complete.

    A row counts again only for the same command line, files, program and machine.

    Args:
        facts: a description of the machine and the inputs, of any values that JSON holds.

        restart: whether to discard the rows that an earlier run measured.

    Attributes:
        found: how many rows were looked up successfully.
        note: a message to the user if the journal could not be read; else empty.
    """

    def __init__(self, path: Path, facts: Any, *, restart: bool = False) -> None:
        self.path, self.found = path, 0
        self._journal = Journal(
            path, SCHEMA, SCHEMA_VERSION, KIND, MeasuredRowDict, restart=restart
        )
        self.note = self._journal.note
        self._facts = [facts, program(), VERSION]

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """Look up a row that was measured before the interruption."""
        found = self._journal.find(self._key(command))
        self.found += found is not None
        return from_json(found, one, variant) if found else None

    def add(self, row: MeasuredRow) -> None:
        """Append a measured row to the journal."""
        self._journal.add(self._key(row.command), to_json(row))

    def _key(self, command: str) -> str:
        return digest([command, self._facts])

    def forget(self) -> None:
        """Delete the journal, because the run is complete."""
        self.path.unlink(missing_ok=True)


def journal_path(options: FileOptions) -> Path | None:
    """Return the path of the journal, next to the file of ``--json``; None without that option."""
    return options.json.with_name(f"{options.json.name}.part") if options.json else None


def open_journal(options: FileOptions, facts: Any) -> RowJournal | None:
    """Open the journal next to the file of ``--json``; None without that option.

    Raises:
        OSError, ValueError: the journal cannot be read, or is another kind of file.
    """
    path = journal_path(options)
    if not path:
        return None
    return RowJournal(path, facts, restart=options.restart)
