"""Declarations for running jobs: the workers, the files they share, and finished jobs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True)
class WorkerPool:
    """The workers that run jobs: this process (default), processes of this machine, or Dask.

    Attributes:
        processes: number on this machine, 1: this one; or for each of the GPUs.
        threads: jobs in progress at a time in this process, if it is the only one.
        gpus: numbers of the GPUs of this machine that compute; empty: the one CUDA numbers first.
        cluster: address of the scheduler of a cluster of Dask.
        device: kind of device that computes, ``cpu`` or ``cuda``.
    """

    processes: int = 1
    threads: int = 1
    gpus: tuple[str, ...] = ()
    cluster: str = ""
    device: str = "cpu"

    @property
    def parallel_jobs(self) -> int:
        """Return the number of jobs in progress at a time; 0 if only the cluster knows it."""
        if self.cluster:
            return 0
        processes = self.processes * max(len(self.gpus), 1)
        return processes if self.gpus or processes > 1 else self.threads


@dataclass(frozen=True)
class SharedFiles:
    """The files that cluster workers must be able to read, and the folder for their output.

    Attributes:
        read: files that must have the same content there as here.
        out: the folder that they write to; None: they write nothing.
    """

    read: tuple[Path, ...] = ()
    out: Path | None = None


NOTHING_SHARED = SharedFiles()


@dataclass(frozen=True)
class WorkerPlace:
    """The names of the worker and of the device that ran a job.

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
