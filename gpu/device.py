"""The interface of devices, which hold arrays and run steps, and functions that open devices."""

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
    """The properties of a GPU that determine how work is divided into blocks.

    Attributes:
        shared_bytes: bytes of shared memory that a block may request.
        capability: its compute capability, 90 for 9.0.
    """

    multiprocessors: int
    shared_bytes: int
    capability: int


class Device(Protocol):
    """The interface of a processor that runs steps of pipelines and holds their arrays.

    Attributes:
        kind: the argument of ``open_device``: ``cpu`` or ``cuda``.
        on_host: whether arrays are NumPy's, in main memory, and steps are complete on return.
        name: readable name of the processor.
    """

    kind: str
    on_host: bool
    name: str

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Allocate an array whose bytes are all 0."""
        ...

    def texture(self, shape: tuple[int, ...], dtype: Any, *, written: bool = False) -> Array:
        """Allocate an image that kernels read through a texture with point sampling.

        Coordinates outside the image are clamped to its edge.

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
        """Queue a copy of ``host`` into ``array``; ``host`` may change only after ``wait``."""
        ...

    def receive(self, array: Array, out: NDArray[Any]) -> None:
        """Queue a copy of ``array`` to the host; ``out`` contains it when ``wait`` returns."""
        ...

    def wait(self) -> None:
        """Wait without occupying a core until all queued work is done."""
        ...

    @property
    def idle(self) -> bool:
        """Whether all queued work is done; raises the error if that work has failed."""
        ...

    def host_buffer(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Allocate a host array that this device copies from and to as fast as possible."""
        ...

    def lock(self, memory: NDArray[np.uint8]) -> bool:
        """Lock (pin) existing host memory, so that the device copies from and to it faster.

        Returns:
            Whether ``unlock`` is to be called before it is given back; False: copies are slower.
        """
        ...

    def unlock(self, memory: NDArray[np.uint8]) -> None:
        """Unlock host memory that ``lock`` has locked."""
        ...

    def copy(self, target: Array, source: Array) -> None:
        """Copy an array of this device into another array of this device."""
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
        """Return to the system the memory that this device retains from freed arrays."""
        ...

    def clock(self, marks: int) -> Clock:
        """Return a clock that takes the given number of time marks per frame."""
        ...

    def active(self) -> AbstractContextManager[Any]:
        """Return a ``with`` context in which kernels are queued on this device."""
        ...

    def synchronize(self) -> None:
        """Wait until all queued work is done."""
        ...


@cache
def open_device(kind: str) -> Device:
    """Open a device, ``cpu`` or ``cuda``; later calls return the same object.

    Raises:
        Unavailable: there is no such device here; the message gives the reason and a remedy.
    """
    if kind == "cpu":
        from wheatstone.gpu.host import HostDevice

        return HostDevice()
    from wheatstone.gpu.cuda import open_cuda

    return open_cuda()


def another_device(kind: str) -> Device:
    """Open another device, ``cpu`` or ``cuda``, whose work overlaps that of the others.

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
    """Return why a kind of device cannot be used on this machine; empty if it can be used."""
    try:
        open_device(kind)
    except Unavailable as reason:
        return str(reason)
    return ""


def gpu_number() -> int | None:
    """Return CUDA's number of the GPU that the program uses; None without a GPU."""
    return None if why_unavailable("cuda") else getattr(open_device("cuda"), "ordinal", None)


def gpu_size() -> GpuSize | None:
    """Return the properties of the program's GPU that determine thread blocks; None without one."""
    return None if why_unavailable("cuda") else getattr(open_device("cuda"), "size", None)


def needs(variant: str, kind: str, why: str) -> str:
    """Return the message that a variant needs an absent device (``cpu`` or ``cuda``), and why."""
    return f"{variant} needs {'a CUDA GPU' if kind == 'cuda' else 'the CPU'}: {why}"


def check_device(variant: str, kind: str) -> None:
    """Raise ``Unavailable``, naming the variant, if it needs a device that this machine lacks."""
    if why := why_unavailable(kind):
        raise Unavailable(needs(variant, kind, why))


def give_back_memory() -> None:
    """Return freed memory to the system, on every device that can be used here."""
    for kind in ("cpu", "cuda"):
        if not why_unavailable(kind):
            open_device(kind).give_back()
