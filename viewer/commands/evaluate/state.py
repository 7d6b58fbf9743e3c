"""The state file: finished pairs, so that a run resumes where it stopped.

A line counts again only for the same pair with the same settings, files and program.
"""

from dataclasses import asdict
from pathlib import Path

from viewer import VERSION
from viewer.commands.evaluate.judge import Job, PairOutcome
from viewer.files.journal import Journal, digest, program, stamp

SCHEMA, SCHEMA_VERSION = "wheatstone-evaluate-state", 1
KIND = "state file of wheatstone evaluate (--state)"


class State:
    """Finished pairs on disk.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._journal = Journal(path, SCHEMA, SCHEMA_VERSION, KIND)

    def finished(self, job: Job) -> PairOutcome | None:
        """What came of a pair before."""
        found = self._journal.find(key(job))
        return PairOutcome(**found) if found else None

    def add(self, job: Job, outcome: PairOutcome) -> None:
        """Append a finished pair."""
        self._journal.add(key(job), asdict(outcome))


def key(job: Job) -> str:
    """A digest of all that decides a pair's figures; another one for a file that was changed."""
    facts = {**vars(job), "params": job.params.values(), "program": program(), "version": VERSION}
    facts["entry"] = {
        name: stamp(value) if isinstance(value, Path) else value
        for name, value in vars(job.entry).items()
    }
    return digest(facts)
