"""What runs in a worker of Dask: a job, with the name of who does it."""

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
    """What workers do with every job.

    Attributes:
        work: a function of a module.
        device: kind of device that computes.
        program: digest of the program that asks for it.
    """

    work: Callable[[Any], Any]
    device: str
    program: str


@dataclass(frozen=True)
class RemoteResult:
    """What a worker returns of a job.

    Attributes:
        worker: its name.
        device: name of its processor.
    """

    result: Any
    worker: str
    device: str


def done_remotely(remote: Remote, job: Any) -> RemoteResult:
    """Do a job in a worker.

    Raises:
        Unavailable: the worker has another version of the program; it may have come late.
    """
    from distributed import get_worker

    worker = label(str(get_worker().name))
    if whole_program() != remote.program:
        raise Unavailable(f"worker {worker} has another version of the program")
    return RemoteResult(remote.work(job), worker, _device(remote.device))


@cache
def _device(kind: str) -> str:
    return label(open_device(kind).name)
