"""Run a job in a Dask worker, and return its result with the names of worker and device."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import open_device
from wheatstone.viewer.files.journal import whole_program
from wheatstone.viewer.reading.plain_text import label


@dataclass(frozen=True)
class Remote:
    """The function that workers call for every job, and the conditions for it.

    Attributes:
        work: a function of a module.
        device: kind of device that computes.
        program: digest of the program that sends the jobs.
    """

    work: Callable[[Any], Any]
    device: str
    program: str


@dataclass(frozen=True)
class RemoteResult:
    """The result of a job, as a worker returns it.

    Attributes:
        worker: the worker's name.
        device: the name of its processor.
    """

    result: Any
    worker: str
    device: str


def done_remotely(remote: Remote, job: Any) -> RemoteResult:
    """Run a job in a worker.

    Raises:
        Unavailable: the worker, which may have joined late, has another version of the program.
    """
    from distributed import get_worker

    worker = label(str(get_worker().name))
    if whole_program() != remote.program:
        raise Unavailable(f"worker {worker} has another version of the program")
    return RemoteResult(remote.work(job), worker, _device(remote.device))


@cache
def _device(kind: str) -> str:
    return label(open_device(kind).name)
