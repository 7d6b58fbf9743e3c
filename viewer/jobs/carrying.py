"""Choose who does the jobs, as the command line says, and do them."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from viewer.jobs.done import Done, Job, Result
from viewer.jobs.inline import by_threads
from viewer.jobs.processes import by_processes


@dataclass(frozen=True)
class Workforce:
    """Who does the jobs: this process, unless something else is said.

    Attributes:
        processes: of this machine; 1: this one.
        threads: jobs on their way at a time in this process, or in a worker begun here.
        gpus: numbers of the GPUs of this machine that get a worker each.
        cluster: address of the scheduler of a cluster of Dask.
        device: kind of device that computes, ``cpu`` or ``cuda``.
    """

    processes: int = 1
    threads: int = 1
    gpus: tuple[str, ...] = ()
    cluster: str = ""
    device: str = "cpu"

    @property
    def by_dask(self) -> bool:
        """Tell whether workers of Dask do the jobs, whose rows name them."""
        return bool(self.gpus or self.cluster)


@dataclass(frozen=True)
class Shared:
    """The files that workers must reach before the first job begins.

    Attributes:
        read: files that they must find as they are here.
        out: the folder that they write to; None: they write nothing.
    """

    read: tuple[Path, ...] = ()
    out: Path | None = None


NOTHING_SHARED = Shared()


def carried_out(
    jobs: Sequence[Job],
    work: Callable[[Job], Result],
    force: Workforce,
    shared: Shared = NOTHING_SHARED,
) -> Generator[Done[Job, Result], None, None]:
    """Do jobs, and yield what came of each as soon as it is done, in any order.

    Args:
        work: a function of a module, for other processes find it by its name.

    Raises:
        Unavailable: no cluster is there, or its workers cannot do what is wanted.
    """
    if not jobs:
        return
    if force.by_dask:
        from viewer.jobs.cluster import by_dask

        yield from by_dask(jobs, work, force, shared)
    elif force.processes > 1:
        yield from by_processes(jobs, work, min(force.processes, len(jobs)))
    elif force.threads > 1:
        yield from by_threads(jobs, work, force.threads)
    else:
        yield from (Done(job, work(job)) for job in jobs)
