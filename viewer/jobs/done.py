"""What comes of a job, and where it was done."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True)
class WorkerPlace:
    """Where a job was done.

    Attributes:
        worker: name of the worker of Dask, or its address; empty: this machine.
        device: name of the processor; empty where nobody asked.
    """

    worker: str = ""
    device: str = ""


HERE = WorkerPlace()


@dataclass(frozen=True)
class Done(Generic[Job, Result]):
    """A job that came to an end.

    Attributes:
        result: what the work returned; None if whatever tried the job died.
        why: why there is no result; empty if there is one.
    """

    job: Job
    result: Result | None
    why: str = ""
    place: WorkerPlace = HERE
