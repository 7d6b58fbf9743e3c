"""Where arrays live and steps run: the interface of both devices, and how to open one."""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gpu import Unavailable
from gpu.image import Array


class Clock(Protocol):
    """Marks set between steps; the time from each to the next, read without stalling."""

    def mark(self, index: int) -> None:
        """Set mark ``index`` of the current frame; mark 0 begins it."""
        ...

    def milliseconds(self, *, wait: bool = False) -> Sequence[float]:
        """Milliseconds from mark to mark of the newest finished frame; empty before the first."""
        ...


class Device(Protocol):
    """Run steps on a processor, and hold their arrays in its memory.

    Attributes:
        kind: what ``open_device`` is asked for.
        on_host: whether arrays are NumPy's, in main memory, and steps done when they return.
        name: of the processor, for people.
    """

    kind: str
    on_host: bool
    name: str

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """A new array; every byte is 0."""
        ...

    def texture(self, shape: tuple[int, int], dtype: Any) -> Array:
        """A new image that kernels read through a texture: point sampling, clamped coordinates."""
        ...

    def upload(self, array: Array, host: NDArray[Any]) -> None:
        """Copy a host array into ``array``; ``host`` may be changed as soon as this returns."""
        ...

    def download(self, array: Array, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """A host copy of ``array``, after the work queued so far; in ``out`` if that is given."""
        ...

    def host_buffer(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """A host array that copies from and to this device are fastest with."""
        ...

    def copy(self, target: Array, source: Array) -> None:
        """Copy between two arrays of this device."""
        ...

    def address(self, array: Array) -> int:
        """Where an array begins."""
        ...

    def record(self, work: Callable[[], None]) -> Callable[[], None]:
        """What does the same as ``work`` with less effort, on the same arrays; while active.

        ``work`` must queue kernels and copies only: nothing that compiles, allocates or waits.
        """
        ...

    def free_bytes(self) -> int | None:
        """Memory left for new arrays; None where that cannot be told."""
        ...

    def clock(self, marks: int) -> Clock:
        """A clock for frames of this many marks."""
        ...

    def active(self) -> AbstractContextManager[Any]:
        """While entered, kernels are queued on this device."""
        ...

    def synchronize(self) -> None:
        """Wait until all queued work is done."""
        ...


@cache
def open_device(kind: str) -> Device:
    """The device of a kind, ``cpu`` or ``cuda``; opened once a process.

    Raises:
        Unavailable: there is no such device here; the message says why and what mends it.
    """
    if kind == "cpu":
        from gpu.host import HostDevice

        return HostDevice()
    from gpu.cuda import open_cuda

    return open_cuda()


@cache
def why_unavailable(kind: str) -> str:
    """Why a kind of device cannot be used here; empty if it can."""
    try:
        open_device(kind)
    except Unavailable as reason:
        return str(reason)
    return ""


def nbytes(shape: tuple[int, ...], dtype: Any) -> int:
    """Size of an array in bytes."""
    return math.prod(shape) * int(np.dtype(dtype).itemsize)
