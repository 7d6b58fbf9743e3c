"""Declare the interface of devices, which hold arrays and run steps, and open them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.clock import Clock
from wheatstone.gpu.image import Array


@dataclass(frozen=True)
class GpuSize:
    """Hold the properties of a GPU that decide how work is divided into blocks.

    Attributes:
        shared_bytes: bytes of shared memory that a block may request.
        capability: its compute capability, 90 for 9.0.
    """

    multiprocessors: int
    shared_bytes: int
    capability: int


class Device(Protocol):
    """Run steps on a processor, and hold their arrays in its memory.

    Attributes:
        kind: the argument of ``open_device``: ``cpu`` or ``cuda``.
        on_host: whether arrays are NumPy's, in main memory, and steps are complete on return.
        name: readable name of the processor.
    """

    kind: str
    on_host: bool
    name: str

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Make a new array; every byte is 0."""
        ...

    def texture(self, shape: tuple[int, ...], dtype: Any, *, written: bool = False) -> Array:
        """Make an image that kernels read through a texture, point sampled, clamped to the edge.

        Args:
            written: whether kernels write it as well.
        """
        ...

    def upload(self, array: Array, host: NDArray[Any]) -> None:
        """Copy a host array into ``array``; ``host`` may be changed as soon as this returns."""
        ...

    def download(self, array: Array, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Copy ``array`` to the host, after the work queued so far; into ``out`` if it is given."""
        ...

    def send(self, array: Array, host: NDArray[Any]) -> None:
        """Copy a host array into ``array``; ``host`` must not change until ``wait`` returns."""
        ...

    def receive(self, array: Array, out: NDArray[Any]) -> None:
        """Copy ``array`` to the host; ``out`` holds it when ``wait`` returns."""
        ...

    def wait(self) -> None:
        """Wait until all queued work is done; other processes use the core meanwhile."""
        ...

    @property
    def idle(self) -> bool:
        """Whether all queued work is done; a failure of that work is raised."""
        ...

    def host_buffer(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Make a host array with which copies from and to this device are fastest."""
        ...

    def lock(self, memory: NDArray[np.uint8]) -> bool:
        """Keep host memory in place, so that copies from and to it are fast.

        Returns:
            Whether ``unlock`` is to be called before it is given back; False: copies are slower.
        """
        ...

    def unlock(self, memory: NDArray[np.uint8]) -> None:
        """Undo ``lock``."""
        ...

    def copy(self, target: Array, source: Array) -> None:
        """Copy between two arrays of this device."""
        ...

    def address(self, array: Array) -> int:
        """Return the address of an array's first byte."""
        ...

    def record(self, work: Callable[[], None]) -> Callable[[], None]:
        """Return a function that does the same as ``work`` on the same arrays with less overhead.

        ``work`` must queue kernels and copies only: nothing that compiles, allocates or waits.
        """
        ...

    def free_bytes(self) -> int | None:
        """Return the bytes of memory available for new arrays; None where that is unknown."""
        ...

    def give_back(self) -> None:
        """Return to the system the memory of freed arrays that is kept for new ones."""
        ...

    def clock(self, marks: int) -> Clock:
        """Make a clock for frames with the given number of marks."""
        ...

    def active(self) -> AbstractContextManager[Any]:
        """Return a context in which kernels are queued on this device."""
        ...

    def synchronize(self) -> None:
        """Wait until all queued work is done."""
        ...


@cache
def open_device(kind: str) -> Device:
    """Open the device of a kind, ``cpu`` or ``cuda``, once per process.

    Raises:
        Unavailable: there is no such device here; the message gives the reason and a remedy.
    """
    if kind == "cpu":
        from wheatstone.gpu.host import HostDevice

        return HostDevice()
    from wheatstone.gpu.cuda import open_cuda

    return open_cuda()


def another_device(kind: str) -> Device:
    """Open a device once more: its work overlaps that of the others in this process.

    Raises:
        Unavailable: as ``open_device``.
    """
    open_device(kind)
    if kind == "cpu":
        from wheatstone.gpu.host import HostDevice

        return HostDevice()
    from wheatstone.gpu.cuda import open_cuda

    return open_cuda()


@cache
def why_unavailable(kind: str) -> str:
    """Return the reason why a kind of device cannot be used here; empty if it can."""
    try:
        open_device(kind)
    except Unavailable as reason:
        return str(reason)
    return ""


def gpu_number() -> int | None:
    """Return CUDA's number of the GPU that computes; None without one."""
    return None if why_unavailable("cuda") else getattr(open_device("cuda"), "ordinal", None)


def gpu_size() -> GpuSize | None:
    """Return the size of the GPU that computes; None without one."""
    return None if why_unavailable("cuda") else getattr(open_device("cuda"), "size", None)


def needs(variant: str, kind: str, why: str) -> str:
    """Return the message that a variant needs an absent device, ``cpu`` or ``cuda``, and why."""
    return f"{variant} needs {'a CUDA GPU' if kind == 'cuda' else 'the CPU'}: {why}"


def check_device(variant: str, kind: str) -> None:
    """Raise ``Unavailable``, which names the variant, if it needs a device that is absent here."""
    if why := why_unavailable(kind):
        raise Unavailable(needs(variant, kind, why))


def give_back_memory() -> None:
    """Return freed memory to the system, on every device that can be used here."""
    for kind in ("cpu", "cuda"):
        if not why_unavailable(kind):
            open_device(kind).give_back()
