"""The results of a ``bench`` run: document, comparison with a baseline, and journal."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from wheatstone.gpu.analysis.environment import describe, versions
from wheatstone.gpu.device import open_device, why_unavailable
from wheatstone.gpu.pipeline import Variant
from wheatstone.viewer import VERSION
from wheatstone.viewer.io.files.documents import WrittenForm
from wheatstone.viewer.io.files.journal import Journal, digest, program
from wheatstone.viewer.run.measuring.options import FileOptions
from wheatstone.viewer.run.measuring.row_types import (
    BaselineDict,
    MeasuredRowDict,
    RowDict,
    TimesDict,
)
from wheatstone.viewer.run.measuring.rows import MeasuredRow, from_json, key, to_json
from wheatstone.viewer.run.measuring.sweep import Configuration

SCHEMA, SCHEMA_VERSION = "wheatstone-bench", 1
LEAST = 0.05  # smaller changes count as noise
RULE = (
    "slower: the median grew by more than 5 % and by more than the spread (p95 - p5) of either run"
)
Outcome = Literal["slower", "faster", "same", "too few frames", "not in the baseline"]
ROWS_SCHEMA, ROWS_VERSION = "wheatstone-bench-rows", 1
KIND = "file of rows of an interrupted wheatstone bench"


def environment() -> dict[str, Any]:
    """Describe this machine: its devices, and the versions of the program and its packages."""
    kinds = [kind for kind in ("cpu", "cuda") if not why_unavailable(kind)]
    return {
        "wheatstone": VERSION,
        "python": platform.python_version(),
        "system": platform.platform(),
        "devices": {kind: describe(open_device(kind)) for kind in kinds},
        "packages": versions(),
    }


@dataclass
class Results:
    """The results of one run of ``bench``.

    ``copies`` holds the rate of a plain copy in GB/s, by kind of device.
    """

    command: str
    rows: list[MeasuredRow] = field(default_factory=list)
    copies: dict[str, float] = field(default_factory=dict)
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    environment: dict[str, Any] = field(default_factory=environment)

    def to_json(self) -> dict[str, Any]:
        """Build the document that ``--json`` writes and ``--baseline`` reads."""
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "date": self.date,
            "command": self.command,
            "environment": self.environment,
            "copy_gb_per_s": self.copies,
            "rows": [to_json(row) for row in self.rows],
        }


@dataclass(frozen=True)
class BaselineVerdict:
    """The verdict on a measurement: its median time against the median of the baseline.

    Attributes:
        before, now: medians in milliseconds; ``before`` is None for a row that the baseline lacks.
        bound: relative change that counts as noise; None where it cannot be computed.
    """

    row: MeasuredRow
    before: float | None
    now: float
    bound: float | None
    outcome: Outcome

    @property
    def failed(self) -> bool:
        """Return whether the measured time is slower than the baseline's, which is a failure."""
        return self.outcome == "slower"


def read_baseline(path: Path) -> BaselineDict:
    """Read and check a results file that ``bench --json`` wrote.

    It is read before anything is measured, so that an invalid file costs no time.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is of another kind or of a version that this program does not know, or
            holds invalid values; the message names file and line.
    """
    writer, remedy = "wheatstone bench --json", "write it again with --json"
    form = WrittenForm(SCHEMA, SCHEMA_VERSION, writer, remedy)
    return form.read(path, BaselineDict)


def judge(document: BaselineDict, rows: Sequence[MeasuredRow]) -> list[BaselineVerdict]:
    """Compare every measurement with the baseline's of the same variant and configuration."""
    earlier = {key(row): row["device_ms"] for row in document["rows"] if "device_ms" in row}
    return [_judged(row, earlier.get(key(to_json(row)))) for row in rows if row.measurement]


def check_matched(verdicts: Sequence[BaselineVerdict]) -> None:
    """Raise ``ValueError`` if there are measurements, but the baseline contains none of them."""
    if verdicts and all(verdict.before is None for verdict in verdicts):
        raise ValueError("the baseline has no row of a configuration measured now")


def _judged(row: MeasuredRow, before: TimesDict | None) -> BaselineVerdict:
    assert row.measurement
    now = row.measurement.device
    if before is None:
        return BaselineVerdict(row, None, now.median, None, "not in the baseline")
    if now.spread is None or before["spread"] is None:
        return BaselineVerdict(row, before["median"], now.median, None, "too few frames")
    bound = max(LEAST, now.spread, before["spread"])
    outcome = verdict(before["median"], now.median, bound)
    return BaselineVerdict(row, before["median"], now.median, bound, outcome)


def verdict(before: float, now: float, bound: float) -> Outcome:
    """Classify a time as slower, faster or the same, with a relative bound for noise."""
    if now > before * (1 + bound):
        return "slower"
    return "faster" if before > now * (1 + bound) else "same"


def absent(document: BaselineDict, rows: Sequence[MeasuredRow]) -> list[RowDict]:
    """List the baseline's measurements that are missing in this run."""
    now = {key(to_json(row)) for row in rows if row.measurement}
    return [row for row in document["rows"] if "device_ms" in row and key(row) not in now]


class RowStore:
    """A store of measured rows that keeps nothing; ``RowJournal`` keeps them on disk."""

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """Return an earlier run's measurement of the same command line; None if it has none."""
        return None

    def add(self, row: MeasuredRow) -> None:
        """Accept a measured row, which this base class discards."""


class RowJournal(RowStore):
    """A journal on disk that stores measurements until the run is complete.

    A row counts again only for the same command line, files, program and machine.

    Args:
        facts: a description of the machine and the inputs, of any values that JSON holds.
        restart: whether to discard the rows that an earlier run measured.

    Attributes:
        reused: how many rows were looked up successfully.
        note: a message to the user if the journal could not be read; else empty.
    """

    def __init__(self, path: Path, facts: Any, *, restart: bool = False) -> None:
        self.path, self.reused = path, 0
        self._journal = Journal(
            path, ROWS_SCHEMA, ROWS_VERSION, KIND, MeasuredRowDict, restart=restart
        )
        self.note = self._journal.note
        self._facts = [facts, program(), VERSION]

    def find(self, one: Configuration, variant: Variant, command: str) -> MeasuredRow | None:
        """Return a command line's measurement from before an interruption, else None."""
        row = self._journal.find(self._key(command))
        self.reused += row is not None
        return from_json(row, one, variant) if row else None

    def add(self, row: MeasuredRow) -> None:
        """Append a measured row to the journal file."""
        self._journal.add(self._key(row.command), to_json(row))

    def _key(self, command: str) -> str:
        return digest([command, self._facts])

    def forget(self) -> None:
        """Delete the journal, because the run is complete."""
        self.path.unlink(missing_ok=True)


def journal_path(options: FileOptions) -> Path | None:
    """Return the path of the journal, next to the ``--json`` file; None without that option."""
    return options.json.with_name(f"{options.json.name}.part") if options.json else None


def open_journal(options: FileOptions, facts: Any) -> RowJournal | None:
    """Open the journal next to the ``--json`` file; None without that option.

    Raises:
        OSError, ValueError: the journal cannot be read, or is another kind of file.
    """
    path = journal_path(options)
    if not path:
        return None
    return RowJournal(path, facts, restart=options.restart)
