"""Keep the rows of a batch, one a pair, in a journal, so that a run resumes where it stopped."""

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
    """The pairs finished so far, in the output folder.

    A pair counts again only with the same settings, pictures and program, and while its files are
    those that were written then: no other run or person has changed them since.

    Attributes:
        note: a message to the user if the journal could not be read; else empty.
        rows: the latest row of every pair, by name; the sources may no longer have the pair.

    Raises:
        OSError: the journal cannot be read.
        ValueError: the journal is another kind of file.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._journal = Journal(out / JOURNAL, SCHEMA, SCHEMA_VERSION, KIND, Row)
        self.note = self._journal.note
        rows: Iterable[Row] = self._journal.outcomes()
        self.rows = {row["pair"]: row for row in rows if _is_plain(row)}

    def finished(self, job: BatchJob) -> Row | None:
        """Return the row of a pair from an earlier run; None if the pair has to be computed."""
        row = self.rows.get(job.name)
        if not row or row["files"].keys() != set(job.setting.outputs.names(job.name)):
            return None
        if self.changed_files(row) or self._journal.find(key(job, job.fingerprints)) is not row:
            return None
        return row

    def changed_files(self, row: Row) -> list[str]:
        """List the files of a pair that are missing or were changed."""
        noted = {n: (size, row["changed"].get(n)) for n, size in row["files"].items()}
        return [name for name, state in noted.items() if _state(self._out / name) != state]

    def add(self, job: BatchJob, row: Row, fingerprints: Sequence[str]) -> None:
        """Append the row of a pair, and return when it is on disk.

        Args:
            fingerprints: of the files that the pair was computed from.
        """
        self._journal.add(key(job, fingerprints), row)
        self.rows[job.name] = row


def _is_plain(row: Row) -> bool:
    """Return whether a row names only files inside the folder, and its texts are printable."""
    words = (row["pair"], row["warnings"], row["worker"], row["device"], *row["files"])
    return all(word == visible(word) for word in words) and not any(map(outside, row["files"]))


def _state(path: Path) -> tuple[int, int] | None:
    """Return the size of a file and the time of its last change; None if it does not exist."""
    try:
        if not path.exists():
            os.listdir(path.parent)  # lets a network file system look again
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def key(job: BatchJob, fingerprints: Sequence[str]) -> str:
    """Digest everything that determines a pair's output files and row."""
    setting = job.setting
    facts = {
        "pair": {name: str(value) for name, value in vars(job.pair).items()},
        "inputs": list(fingerprints),
        "run": job.run.digest(),
        "spec": setting.spec.to_dict(),
        "outputs": repr(setting.outputs),
        "measures": repr(setting.measures),
        "program": program(),
        "version": VERSION,
    }
    return digest(facts)
