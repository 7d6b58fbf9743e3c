"""The state file of an evaluation: finished pairs, so that a run resumes where it stopped.

A finished pair counts again only with the same settings, files and program.
"""

from dataclasses import asdict
from pathlib import Path

from viewer import VERSION
from viewer.commands.evaluate.judge import Job, PairOutcome
from viewer.files.journal import Journal, digest, program, stamp

SCHEMA, SCHEMA_VERSION = "wheatstone-evaluate-state", 1
KIND = "state file of wheatstone evaluate (--state)"


class State:
    """The finished pairs of an evaluation, on disk.

    Attributes:
        note: what to tell the user about a file that could not be read; empty if it could.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._journal = Journal(path, SCHEMA, SCHEMA_VERSION, KIND)
        self.note = self._journal.note

    def finished(self, job: Job) -> PairOutcome | None:
        """Look up what came of a pair in an earlier run; None if the pair was not finished."""
        found = self._journal.find(key(job))
        return PairOutcome(**found) if found else None

    def add(self, job: Job, outcome: PairOutcome) -> None:
        """Append a finished pair to the file."""
        self._journal.add(key(job), asdict(outcome))


def key(job: Job) -> str:
    """Digest all that decides a pair's figures, sizes and times of its files included."""
    facts = {**vars(job), "params": job.params.values(), "program": program(), "version": VERSION}
    facts["entry"] = {
        name: stamp(value) if isinstance(value, Path) else value
        for name, value in vars(job.entry).items()
    }
    return digest(facts)
