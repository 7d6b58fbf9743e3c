"""Who does jobs, and what they must reach for it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Workforce:
    """Who does the jobs: this process, unless something else is said.

    Attributes:
        processes: of this machine, 1: this one; or of each of its GPUs.
        threads: jobs on their way at a time in this process, or in a worker begun here.
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
        """Tell whether workers of Dask do the jobs, whose rows name them."""
        return bool(self.gpus or self.cluster)


@dataclass(frozen=True)
class Shared:
    """The files that workers must reach before the first job begins.

    Attributes:
        read: files that they must find as they are here.
        out: the folder that they write to; None: they write nothing.
    """

    read: tuple[Path, ...] = ()
    out: Path | None = None


NOTHING_SHARED = Shared()
