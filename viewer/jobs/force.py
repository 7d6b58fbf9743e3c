"""The workers that run jobs, and the files that they must be able to access."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Workforce:
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
class Shared:
    """The files that workers must be able to access before the first job begins.

    Attributes:
        read: files that must have the same content there as here.
        out: the folder that they write to; None: they write nothing.
    """

    read: tuple[Path, ...] = ()
    out: Path | None = None


NOTHING_SHARED = Shared()
