"""Run several jobs at a time in this process: one reads or writes files while another computes.

The work itself lets one job compute at a time; see ``viewer.run.engine``.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from wheatstone.viewer.jobs.done import Done, Job, Result


def by_threads(
    jobs: Sequence[Job], work: Callable[[Job], Result], threads: int
) -> Iterator[Done[Job, Result]]:
    """Run jobs in a number of threads; an error that the work raises ends them all.

    New jobs begin only as others end, so that the use of memory does not grow with their number.
    """
    with ThreadPoolExecutor(threads, "jobs") as pool:
        running: dict[Future[Result], Job] = {}
        try:
            for job in jobs:
                running[pool.submit(work, job)] = job
                if len(running) > threads:
                    yield from _finished(running)
            while running:
                yield from _finished(running)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _finished(running: dict[Future[Result], Job]) -> Iterator[Done[Job, Result]]:
    """Wait until a job ends; remove and yield all jobs that have ended."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        job = running.pop(future)
        yield Done(job, future.result())
