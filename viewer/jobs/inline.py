"""Do jobs in this process: several at a time, so that one is read and written while one computes.

The work itself lets one job compute at a time; see ``viewer.run.engine``.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from wheatstone.viewer.jobs.done import Done, Job, Result


def by_threads(
    jobs: Sequence[Job], work: Callable[[Job], Result], threads: int
) -> Iterator[Done[Job, Result]]:
    """Do jobs by threads, as many at a time; what the work raises ends all.

    No more jobs begin than are waited for, so that memory stays as it is however many there are.
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
    """Wait for a job, and take out those that are done."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        job = running.pop(future)
        yield Done(job, future.result())
