"""The document: all that a report holds, as JSON on disk, written whole after every part."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpu.pipeline import Variant
from viewer.files.documents import read_document
from viewer.files.journal import program
from viewer.measuring.result_files import write
from viewer.measuring.results import environment
from viewer.measuring.rows import MeasuredRow, from_json
from viewer.measuring.sweep import Configuration

SCHEMA, SCHEMA_VERSION = "wheatstone-report", 1
NAME = "report.json"
PARTS = ("rows", "transfers", "quality", "pictures")

Part = dict[str, Any]


def now() -> str:
    """The time, for people and machines."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Document:
    """A report in the making: parts that an earlier run made are taken over, not made again.

    They are if machine, versions, program and command line are the same. Until the report is
    complete, those of the earlier one that were not needed yet stay in it.

    Args:
        path: where it is kept.
        command: the command line that makes it.
        renew: whether to make every part again.

    Raises:
        OSError: what is there cannot be read.
        ValueError: it is something else.
    """

    def __init__(self, path: Path, command: str, *, renew: bool = False) -> None:
        self._path, self.reused, self.other_machine = path, 0, False
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
        earlier = read(path) if path.exists() and not renew else None
        if earlier and any(earlier[n] != self.content[n] for n in ("environment", "program")):
            self.other_machine, earlier = True, None
        self._earlier = {name: _by_command(earlier, name) for name in PARTS}

    def find(self, kind: str, command: str) -> Part | None:
        """A part that an earlier run made by a command line."""
        found: Part | None = self._earlier[kind].pop(command, None)
        self.reused += found is not None
        return found

    def save(self) -> None:
        """Write all there is."""
        if not self.content["complete"]:
            self.content["kept"] = {n: list(parts.values()) for n, parts in self._earlier.items()}
        write(self._path, json.dumps(self.content, indent=1, ensure_ascii=False) + "\n")

    def finish(self) -> None:
        """Nothing is missing."""
        self.content.pop("kept", None)
        self.content["complete"] = True
        self.save()


def _by_command(earlier: Mapping[str, Any] | None, kind: str) -> dict[str, Part]:
    if not earlier:
        return {}
    parts = list(earlier.get("kept", {}).get(kind, ()))
    if kind == "rows":
        parts += [row for one in earlier["experiments"] for row in one["rows"]]
        parts = [row for row in parts if "device_ms" in row]
    else:
        parts += earlier[kind]
    return {part["command"]: part for part in parts}


def read(path: Path) -> dict[str, Any]:
    """A document that a report wrote.

    Raises:
        OSError: it cannot be read.
        ValueError: it is something else, or of a version that this program does not know.
    """
    return read_document(path, SCHEMA, SCHEMA_VERSION, "wheatstone report", "make it again")


class KeptRows:
    """The rows of an earlier report, as ``bench`` looks them up."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.dates: dict[str, str] = {}

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """A row that was measured before."""
        found = self._document.find("rows", command)
        if not found:
            return None
        self.dates[command] = found["date"]
        return from_json(found, one, variant)

    def add(self, row: MeasuredRow) -> None:
        """Note when a row was measured."""
        self.dates[row.command] = now()
