"""Keep the finished pairs of an evaluation in a file, so that a run resumes where it stopped.

A finished pair counts again only with the same settings, files and program, and only if its line
is as an evaluation writes it; otherwise the pair is computed again.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypedDict

from wheatstone.gpu.analysis.conventions import MEASURES
from wheatstone.viewer import VERSION
from wheatstone.viewer.commands.evaluate.judge import Job, PairOutcome
from wheatstone.viewer.files.journal import Journal, digest, program, stamp
from wheatstone.viewer.jobs.done import HERE
from wheatstone.viewer.reading.plain_text import label
from wheatstone.viewer.reading.typed_values import typed

SCHEMA, SCHEMA_VERSION = "wheatstone-evaluate-state", 1
KIND = "state file of wheatstone evaluate (--state)"
WHERE = tuple(vars(HERE))
LARGEST_FIGURE = 1e39  # more than any number of a truth of 32 bits


class PairFacts(TypedDict):
    """The facts of a pair that has figures."""

    width: int
    height: int
    min_disparity: int
    disparities: int
    judged: float
    occlusions: Literal["", "data set", "right truth", "left truth", "scene"]


@dataclass(frozen=True)
class FinishedPair:
    """A finished pair as stored in the file: a ``PairOutcome`` that has all its figures."""

    name: str
    figures: Mapping[str, float | None]
    facts: PairFacts
    why: Literal[""] = ""
    where: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ``ValueError`` unless the names of the figures and facts are the expected ones."""
        facts = PairFacts.__annotations__
        if self.figures.keys() != MEASURES.keys() or self.facts.keys() != facts.keys():
            raise ValueError("other figures or facts than an evaluation has")
        strange = [said for said in self.where.values() if said != label(said)]
        if strange or not self.where.keys() <= set(WHERE):
            raise ValueError("another place than a worker and its device")
        if any(abs(figure or 0) > LARGEST_FIGURE for figure in self.figures.values()):
            raise ValueError("figures that no disparities have")


class State:
    """The finished pairs of an evaluation, on disk.

    Attributes:
        note: a message to the user if the file could not be read; else empty.
        misfits: the names of the requested pairs whose lines are invalid.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is of another kind.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.misfits: list[str] = []
        self._journal = Journal(path, SCHEMA, SCHEMA_VERSION, KIND)
        self.note = self._journal.note

    def finished(self, job: Job) -> PairOutcome | None:
        """Return the outcome of a pair in an earlier run; None if the pair was not finished."""
        found = self._journal.find(key(job))
        if found is None:
            return None
        try:
            pair: FinishedPair = typed(FinishedPair, found, "outcome")
            if pair.name != job.entry.name:
                raise ValueError("another pair's outcome")
        except ValueError:
            self.misfits.append(job.entry.name)
            return None
        return PairOutcome(pair.name, pair.figures, pair.facts, where=pair.where)

    def add(self, job: Job, outcome: PairOutcome) -> None:
        """Append a finished pair to the file."""
        self._journal.add(key(job), asdict(outcome))


def key(job: Job) -> str:
    """Digest everything that determines a pair's figures, including size and time of its files."""
    facts = {**vars(job), "params": job.params.values(), "program": program(), "version": VERSION}
    facts["entry"] = {
        name: stamp(value) if isinstance(value, Path) else value
        for name, value in vars(job.entry).items()
    }
    return digest(facts)
