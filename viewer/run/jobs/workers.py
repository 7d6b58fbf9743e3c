"""The workers that run jobs, and the outcome of a job; threads of this process as workers."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True)
class WorkerPool:
    """The workers that run the jobs: by default this process alone.

    Attributes:
        processes: number on this machine, 1: this one; or for each of its GPUs.
        threads: jobs in progress at a time in this process, or in a worker started here.
        gpus: numbers of the GPUs of this machine that get workers.
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
        """Return whether Dask workers run the jobs; rows of results then name the worker."""
        return bool(self.gpus or self.cluster)


@dataclass(frozen=True)
class SharedFiles:
    """The files that workers must be able to access before the first job begins.

    Attributes:
        read: files that must have the same content there as here.
        out: the folder that they write to; None: they write nothing.
    """

    read: tuple[Path, ...] = ()
    out: Path | None = None


NOTHING_SHARED = SharedFiles()


@dataclass(frozen=True)
class WorkerPlace:
    """The worker and the device that ran a job.

    Attributes:
        worker: name of the worker of Dask, or its address; empty: this machine.
        device: name of the processor; empty if it was not determined.
    """

    worker: str = ""
    device: str = ""


HERE = WorkerPlace()


@dataclass(frozen=True)
class FinishedJob(Generic[Job, Result]):
    """A job that has ended, with its result or the reason why it has none.

    Attributes:
        result: what the work returned; None if the process or worker that ran it died.
        why: the reason why there is no result; empty if there is one.
    """

    job: Job
    result: Result | None
    why: str = ""
    place: WorkerPlace = HERE


def by_threads(
    jobs: Sequence[Job], work: Callable[[Job], Result], threads: int
) -> Iterator[FinishedJob[Job, Result]]:
    """Run jobs in threads of this process; an error that the work raises ends them all.

    One job reads or writes files while another computes; the engine lets one compute at a time.
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


def _finished(running: dict[Future[Result], Job]) -> Iterator[FinishedJob[Job, Result]]:
    """Wait until a job ends; remove and yield all jobs that have ended."""
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        yield FinishedJob(running.pop(future), future.result())
