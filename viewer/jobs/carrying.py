"""Run jobs on the workers that the command line asks for: threads, processes or Dask."""

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
    """Run jobs, and yield each outcome as soon as the job is done, in any order.

    Args:
        work: a function of a module, because other processes import it by its name.

    Raises:
        Unavailable: the cluster is not available, or its workers cannot run the jobs.
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
