"""The rows of a batch: one a pair, kept in a journal so that a run resumes where it stopped."""

from pathlib import Path

from wheatstone.viewer import VERSION
from wheatstone.viewer.cameras.calibration_files import places_beside
from wheatstone.viewer.commands.batch.row import Row
from wheatstone.viewer.commands.batch.work import BatchJob
from wheatstone.viewer.files.journal import Journal, digest, program, stamp
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

    Raises:
        OSError: the record cannot be read.
        ValueError: the record is something else.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._journal = Journal(out / JOURNAL, SCHEMA, SCHEMA_VERSION, KIND, Row)
        self.note = self._journal.note
        self._names = {row["pair"] for row in self._journal.outcomes()}

    def finished(self, job: BatchJob) -> Row | None:
        """Look up the row of a pair of an earlier run; None if it has to be computed."""
        row: Row | None = self._journal.find(key(job))
        if row is None or row["pair"] != job.name:
            return None
        names = job.setting.outputs.names(job.name)
        words = (row["warnings"], row["worker"], row["device"])
        noted = {n: (size, row["changed"].get(n)) for n, size in row["files"].items()}
        whole = noted == {name: _state(self._out / name) for name in names}
        return row if whole and all(said == visible(said) for said in words) else None

    def known(self, job: BatchJob) -> bool:
        """Tell whether an earlier run did a pair of this name, in whatever way."""
        return job.name in self._names

    def add(self, job: BatchJob, row: Row) -> None:
        """Append the row of a pair, on disk before this returns."""
        self._journal.add(key(job), row)


def _state(path: Path) -> tuple[int, int] | None:
    """Tell how long a file is, and when it was last changed; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def key(job: BatchJob) -> str:
    """Digest all that decides what a pair's files hold, and its row."""
    pair, setting = vars(job.pair), job.setting
    facts = {
        "pair": {name: stamp(v) if isinstance(v, Path) else str(v) for name, v in pair.items()},
        "params": job.params.values(),
        "pipeline": setting.pipeline,
        "variant": setting.variant,
        "said": repr(setting.said),
        "calibration": [stamp(Path(file)) for file in setting.said.calibration.files],
        "beside": [stamp(path) for path in places_beside(job.pair.left)],
        "outputs": repr(setting.outputs),
        "measures": repr(setting.measures),
        "program": program(),
        "version": VERSION,
    }
    return digest(facts)
