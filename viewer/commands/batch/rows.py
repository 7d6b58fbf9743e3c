"""The rows of a batch: one a pair, kept in a journal so that a run resumes where it stopped."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from wheatstone.viewer import VERSION
from wheatstone.viewer.commands.batch.row import Row
from wheatstone.viewer.commands.batch.work import BatchJob
from wheatstone.viewer.files.journal import Journal, digest, program
from wheatstone.viewer.files.run_folder import outside
from wheatstone.viewer.reading.plain_text import visible

JOURNAL = "batch.jsonl"
SCHEMA, SCHEMA_VERSION = "wheatstone-batch-state", 1
KIND = "record of wheatstone batch"


class BatchState:
    """The pairs finished so far, in the folder that is written to.

    A pair counts again only with the same settings, pictures and program, and while its files are
    those that were written then: no other run, and nobody's hand, changed them since.

    Attributes:
        note: what to tell the user about a record that could not be read; empty if it could.
        rows: the latest of every pair, by its name, which the sources may have no longer.

    Raises:
        OSError: the record cannot be read.
        ValueError: the record is something else.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._journal = Journal(out / JOURNAL, SCHEMA, SCHEMA_VERSION, KIND, Row)
        self.note = self._journal.note
        rows: Iterable[Row] = self._journal.outcomes()
        self.rows = {row["pair"]: row for row in rows if _is_plain(row)}

    def finished(self, job: BatchJob) -> Row | None:
        """Look up the row of a pair of an earlier run; None if it has to be computed."""
        row = self.rows.get(job.name)
        if not row or row["files"].keys() != set(job.setting.outputs.names(job.name)):
            return None
        if self.changed_files(row) or self._journal.find(key(job, job.fingerprints)) is not row:
            return None
        return row

    def changed_files(self, row: Row) -> list[str]:
        """Name the files of a pair that are missing, or that somebody has changed."""
        noted = {n: (size, row["changed"].get(n)) for n, size in row["files"].items()}
        return [name for name, state in noted.items() if _state(self._out / name) != state]

    def add(self, job: BatchJob, row: Row, fingerprints: Sequence[str]) -> None:
        """Append the row of a pair, on disk before this returns.

        Args:
            fingerprints: of the files that the pair was computed from.
        """
        self._journal.add(key(job, fingerprints), row)
        self.rows[job.name] = row


def _is_plain(row: Row) -> bool:
    """Tell whether a row names files in the folder alone, and its words can be printed."""
    words = (row["pair"], row["warnings"], row["worker"], row["device"], *row["files"])
    return all(word == visible(word) for word in words) and not any(map(outside, row["files"]))


def _state(path: Path) -> tuple[int, int] | None:
    """Tell how long a file is, and when it was last changed; None if there is none."""
    try:
        if not path.exists():
            os.listdir(path.parent)  # lets a network file system look again
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def key(job: BatchJob, fingerprints: Sequence[str]) -> str:
    """Digest all that decides what a pair's files hold, and its row."""
    setting = job.setting
    facts = {
        "pair": {name: str(value) for name, value in vars(job.pair).items()},
        "inputs": list(fingerprints),
        "run": job.run.digest(),
        "said": repr(setting.said),
        "outputs": repr(setting.outputs),
        "measures": repr(setting.measures),
        "program": program(),
        "version": VERSION,
    }
    return digest(facts)
