"""Compute on the CPU, with NumPy arrays and the wall clock."""

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.clock import Work, between_marks, nothing

MAPPED = 2**20
"""Bytes from which on an array has pages of its own, which are returned as soon as it is freed."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
LARGEST_REUSED, MOST_KEPT = 2**25, 2**29
"""Bytes of the largest array, a bound of glibc, and in all that ``reuse_freed_memory`` keeps."""
_reuses = threading.Event()
CORES = "NUMBA_NUM_THREADS"
"""The variable of the environment that limits the cores."""


def reuse_freed_memory() -> None:
    """Make this process reuse the memory of freed arrays, until it ends.

    For work on many frames of the same size. Memory that is returned to the system must be mapped
    and cleared again for the next frame, which can take longer than the rest of reading, writing
    and handing over together. In a window, where sizes change, ``MAPPED`` applies instead.
    """
    if not _reuses.is_set():
        _reuses.set()
        _bound_heaps(LARGEST_REUSED, MOST_KEPT)


def limit_cores(count: int) -> None:
    """Limit the cores on which this process computes, unless NUMBA_NUM_THREADS is set."""
    if CORES in os.environ:
        return
    if numba := sys.modules.get("numba"):  # changed variables make it forget the cache's folder
        numba.config.NUMBA_NUM_THREADS = count
    else:
        os.environ[CORES] = str(count)


def _bound_heaps(mapped: int, kept: int | None = None) -> None:
    """Set the sizes from which glibc maps allocated memory and returns freed memory."""
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(M_MMAP_THRESHOLD, mapped)
        if kept is not None:
            mallopt(M_TRIM_THRESHOLD, kept)


class HostClock:
    """A clock of ``perf_counter`` marks; other threads may read its times."""

    def __init__(self, marks: int) -> None:
        self._marks = [0.0] * marks
        self._finished: Sequence[float] = ()

    def mark(self, index: int) -> None:
        self._marks[index] = time.perf_counter()
        if index == len(self._marks) - 1:
            self._finished = [(b - a) * 1e3 for a, b in pairwise(self._marks)]

    def record(self, work: Work, before: Work = nothing, after: Work = nothing) -> Work:
        return between_marks(self, work, before, after)

    def milliseconds(self, *, wait: bool = False) -> Sequence[float]:
        return self._finished


class HostDevice:
    """The CPU as a device, which holds NumPy arrays in main memory."""

    kind = "cpu"
    on_host = True

    def __init__(self) -> None:
        self.name = f"{processor_name()}, {os.cpu_count()} cores"
        # Left alone, glibc raises this bound to the largest array ever freed, up to 32 MiB. Then
        # pictures lie among small things in the heaps of threads, whose half-empty pages are kept.
        if not _reuses.is_set():
            _bound_heaps(MAPPED)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        return np.zeros(shape, dtype)

    def texture(self, shape: tuple[int, ...], dtype: Any, *, written: bool = False) -> NDArray[Any]:
        return np.empty(shape, dtype)

    def upload(self, array: NDArray[Any], host: NDArray[Any]) -> None:
        np.copyto(array, host, casting="no")

    def download(self, array: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        if out is None:
            return array.copy()
        np.copyto(out, array, casting="no")
        return out

    def send(self, array: NDArray[Any], host: NDArray[Any]) -> None:
        self.upload(array, host)

    def receive(self, array: NDArray[Any], out: NDArray[Any]) -> None:
        self.download(array, out)

    def wait(self) -> None:
        pass

    @property
    def idle(self) -> bool:
        return True

    def host_buffer(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        return np.empty(shape, dtype)

    def lock(self, memory: NDArray[np.uint8]) -> bool:
        return False

    def unlock(self, memory: NDArray[np.uint8]) -> None:
        pass

    def copy(self, target: NDArray[Any], source: NDArray[Any]) -> None:
        np.copyto(target, source, casting="no")

    def address(self, array: NDArray[Any]) -> int:
        return int(array.ctypes.data)

    def record(self, work: Callable[[], None]) -> Callable[[], None]:
        return work

    def free_bytes(self) -> int | None:
        try:
            lines = Path("/proc/meminfo").read_text().splitlines()
        except OSError:
            return None
        sizes = {line.split(":")[0]: line.split()[1] for line in lines}
        return int(sizes["MemAvailable"]) * 1024 if "MemAvailable" in sizes else None

    def give_back(self) -> None:
        # glibc keeps what was freed, in as many heaps as there are threads; it takes milliseconds.
        if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
            trim(0)

    def clock(self, marks: int) -> HostClock:
        return HostClock(marks)

    def active(self) -> AbstractContextManager[None]:
        return nullcontext()

    def synchronize(self) -> None:
        pass


def processor_name() -> str:
    """Return the operating system's name of this CPU."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    if names:
        return names[0]
    import platform

    return platform.processor() or platform.machine()
