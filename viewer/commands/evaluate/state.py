"""The state file of an evaluation: finished pairs, so that a run resumes where it stopped.

A finished pair counts again only with the same settings, files and program, and only as far as the
file holds what an evaluation writes: a line that does not fit is computed anew.
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
    """What the file holds of a pair: a ``PairOutcome`` with all figures, and no reason against."""

    name: str
    figures: Mapping[str, float | None]
    facts: PairFacts
    why: Literal[""] = ""
    where: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ``ValueError`` unless the figures are those that are measured."""
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
        note: what to tell the user about a file that could not be read; empty if it could.
        misfits: the names of the pairs asked for whose lines hold something else.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.misfits: list[str] = []
        self._journal = Journal(path, SCHEMA, SCHEMA_VERSION, KIND)
        self.note = self._journal.note

    def finished(self, job: Job) -> PairOutcome | None:
        """Look up what came of a pair in an earlier run; None if the pair was not finished."""
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
    """Digest all that decides a pair's figures, sizes and times of its files included."""
    facts = {**vars(job), "params": job.params.values(), "program": program(), "version": VERSION}
    facts["entry"] = {
        name: stamp(value) if isinstance(value, Path) else value
        for name, value in vars(job.entry).items()
    }
    return digest(facts)
