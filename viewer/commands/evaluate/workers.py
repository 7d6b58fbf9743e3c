"""Judge pairs one after another, in several processes at once, or on Dask workers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from wheatstone.viewer.commands.evaluate.judge import Job, PairOutcome, judged
from wheatstone.viewer.jobs.carrying import carried_out
from wheatstone.viewer.jobs.force import Shared, Workforce


def outcomes(jobs: Sequence[Job], force: Workforce) -> Iterator[tuple[Job, PairOutcome]]:
    """Judge pairs, and yield each with its outcome as soon as it is done.

    Raises:
        Unavailable: the cluster does not exist, or its workers cannot judge the pairs.
    """
    for done in carried_out(jobs, judged, force, Shared(_ends(jobs))):
        outcome = done.result or PairOutcome(done.job.entry.name, why=done.why)
        where = {name: said for name, said in vars(done.place).items() if said}
        yield done.job, replace(outcome, where=where)


def _ends(jobs: Sequence[Job]) -> tuple[Path, ...]:
    """List the files of the first and the last pair."""
    ends = [value for job in (*jobs[:1], *jobs[-1:]) for value in vars(job.entry).values()]
    return tuple(dict.fromkeys(value for value in ends if isinstance(value, Path)))
