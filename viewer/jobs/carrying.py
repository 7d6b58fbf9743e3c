"""Choose who does the jobs, as the command line says, and do them."""

from collections.abc import Callable, Generator, Sequence

from wheatstone.viewer.jobs.done import Done, Job, Result
from wheatstone.viewer.jobs.force import NOTHING_SHARED, Shared, Workforce
from wheatstone.viewer.jobs.inline import by_threads
from wheatstone.viewer.jobs.processes import by_processes


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
        from wheatstone.viewer.jobs.cluster import by_dask

        yield from by_dask(jobs, work, force, shared)
    elif force.processes > 1:
        yield from by_processes(jobs, work, min(force.processes, len(jobs)))
    elif force.threads > 1:
        yield from by_threads(jobs, work, force.threads)
    else:
        yield from (Done(job, work(job)) for job in jobs)
