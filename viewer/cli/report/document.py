"""The document of a report: its whole content as JSON, written after every part."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from wheatstone.gpu.pipeline import Variant
from wheatstone.viewer.cli.report.document_types import ReportDict, complaint_of
from wheatstone.viewer.io.files.documents import WrittenForm
from wheatstone.viewer.io.files.journal import program
from wheatstone.viewer.io.files.output import beginning, set_aside
from wheatstone.viewer.io.reading.regular_files import MIB
from wheatstone.viewer.run.measuring.result_files import write_json
from wheatstone.viewer.run.measuring.results import RowStore, environment
from wheatstone.viewer.run.measuring.row_types import RowDict
from wheatstone.viewer.run.measuring.rows import MeasuredRow, from_json
from wheatstone.viewer.run.measuring.sweep import Configuration

SCHEMA, SCHEMA_VERSION = "wheatstone-report", 1
LARGEST = 4 * MIB  # bytes: eight times a whole report; pages of more are slow to make and to show
FORM = WrittenForm(SCHEMA, SCHEMA_VERSION, "wheatstone report", "make it again", LARGEST)
BEGINNING = re.compile(rb'\s*\{\s*"schema"\s*:\s*"wheatstone-report"')
NAME = "report.json"
PARTS = ("rows", "transfers", "quality", "pictures")

Part = dict[str, Any]


def now() -> str:
    """Return the current time in ISO 8601 format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Document:
    """The document of a report in progress, which reuses parts, such as rows, of an earlier one.

    A part is reused if machine, versions, program and command line are the same. Until the
    report is complete, parts of the earlier report that were not needed yet stay in the file.

    Args:
        path: the file of the document.
        command: the command line that makes the report.
        renew: whether to make every part again.

    Attributes:
        content: the document as JSON holds it.
        reused: how many parts were reused.
        other_machine: whether the earlier report is of another machine or program.

    Raises:
        OSError: the existing file cannot be read.
        ValueError: the existing file is not a report.
    """

    def __init__(self, path: Path, command: str, *, renew: bool = False) -> None:
        self._path, self.reused, self.other_machine, self.note = path, 0, False, ""
        self.content: dict[str, Any] = {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "complete": False,
            "date": now(),
            "command": command,
            "program": program(),
            "environment": environment(),
            "copy_gb_per_s": {},
            "experiments": [],
            "transfers": [],
            "quality": [],
            "pictures": [],
        }
        earlier = self._read_earlier(renew)
        if earlier and (earlier["environment"], earlier["program"]) != (
            self.content["environment"],
            self.content["program"],
        ):
            self.other_machine, earlier = True, None
        self._earlier = {name: _by_command(earlier, name) for name in PARTS}

    def _read_earlier(self, renew: bool) -> ReportDict | None:
        """Read the existing report, renamed if damaged; raise ``ValueError`` for other files."""
        if not os.path.lexists(self._path):
            return None
        ours = is_report(self._path)
        if ours and renew:
            return None
        try:
            return read(self._path)
        except ValueError as error:
            if not ours:
                raise
            aside = set_aside(self._path)
            self.note = f"{error}: it is kept as {aside}, and everything is measured again"
            return None

    def find(self, kind: str, command: str) -> Part | None:
        """Return the earlier report's part, of a kind in ``PARTS``, for a command line, or None."""
        part: Part | None = self._earlier[kind].pop(command, None)
        self.reused += part is not None
        return part

    def save(self) -> None:
        """Write the document with all parts made so far: measurements, evaluations and pictures."""
        if not self.content["complete"]:
            self.content["kept"] = {n: list(parts.values()) for n, parts in self._earlier.items()}
        write_json(self._path, self.content)

    def finish(self) -> None:
        """Mark the document as complete, and write it."""
        self.content.pop("kept", None)
        self.content["complete"] = True
        self.save()


def is_report(path: Path) -> bool:
    """Return whether a file begins like the document of a report."""
    return BEGINNING.match(beginning(path, 1000)) is not None


def _by_command(earlier: ReportDict | None, kind: str) -> dict[str, Part]:
    if not earlier:
        return {}
    every: Part = dict(earlier)
    parts = list(every.get("kept", {}).get(kind, ()))
    if kind == "rows":
        parts += [row for one in every["experiments"] for row in one["rows"]]
        parts = [row for row in parts if "device_ms" in row]
    else:
        parts += every[kind]
    return {part["command"]: part for part in parts}


def read(path: Path) -> ReportDict:
    """Read the document of a report, complete or unfinished.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is of another kind or of a version that this program does not know, or
            holds invalid values.
    """
    document = FORM.read(path, ReportDict)
    if complaint := complaint_of(document):
        raise ValueError(f"{path}: {complaint}")
    return document


class KeptRows(RowStore):
    """The measurements of an earlier report, as a store from which ``bench`` reuses them.

    Attributes:
        dates: when each row was measured, by command line.
        reused: the command lines of the rows that were reused.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self.dates: dict[str, str] = {}
        self.reused = set[str]()

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """Return the earlier measurement of a command line; None without one."""
        row = self._document.find("rows", command)
        if not row:
            return None
        self.dates[command] = row["date"]
        self.reused.add(command)
        return from_json(cast(RowDict, row), one, variant)

    def add(self, row: MeasuredRow) -> None:
        """Record the present time as the date of a new measurement."""
        self.dates[row.command] = now()
