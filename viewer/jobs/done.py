"""The outcome of a job, and the worker and device that ran it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


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
class Done(Generic[Job, Result]):
    """A job that has ended, with its result or the reason why it has none.

    Attributes:
        result: what the work returned; None if the process or worker that ran it died.
        why: the reason why there is no result; empty if there is one.
    """

    job: Job
    result: Result | None
    why: str = ""
    place: WorkerPlace = HERE
