"""Declare where arrays live and steps run: the interface of both devices, and how to open one."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Protocol

from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.clock import Clock
from wheatstone.gpu.image import Array
from wheatstone.gpu.size import GpuSize


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
        """Make a new array; every byte is 0."""
        ...

    def texture(self, shape: tuple[int, ...], dtype: Any, *, written: bool = False) -> Array:
        """Make an image that kernels read through a texture, point sampled, clamped to the edge.

        Args:
            written: whether kernels write it, too.
        """
        ...

    def upload(self, array: Array, host: NDArray[Any]) -> None:
        """Copy a host array into ``array``; ``host`` may be changed as soon as this returns."""
        ...

    def download(self, array: Array, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Copy ``array`` to the host, after the work queued so far; into ``out`` if it is given."""
        ...

    def host_buffer(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Make a host array that copies from and to this device are fastest with."""
        ...

    def copy(self, target: Array, source: Array) -> None:
        """Copy between two arrays of this device."""
        ...

    def address(self, array: Array) -> int:
        """Tell where an array begins."""
        ...

    def record(self, work: Callable[[], None]) -> Callable[[], None]:
        """Make a call that does the same as ``work`` on the same arrays with less effort.

        ``work`` must queue kernels and copies only: nothing that compiles, allocates or waits.
        """
        ...

    def free_bytes(self) -> int | None:
        """Tell how much memory is left for new arrays; None where that cannot be told."""
        ...

    def give_back(self) -> None:
        """Return memory that freed arrays left, and that is kept for new ones, to the system."""
        ...

    def clock(self, marks: int) -> Clock:
        """Make a clock for frames of this many marks."""
        ...

    def active(self) -> AbstractContextManager[Any]:
        """Queue kernels on this device, while entered."""
        ...

    def synchronize(self) -> None:
        """Wait until all queued work is done."""
        ...


@cache
def open_device(kind: str) -> Device:
    """Open the device of a kind, ``cpu`` or ``cuda``, once a process.

    Raises:
        Unavailable: there is no such device here; the message says why and what mends it.
    """
    if kind == "cpu":
        from wheatstone.gpu.host import HostDevice

        return HostDevice()
    from wheatstone.gpu.cuda import open_cuda

    return open_cuda()


@cache
def why_unavailable(kind: str) -> str:
    """Say why a kind of device cannot be used here; empty if it can."""
    try:
        open_device(kind)
    except Unavailable as reason:
        return str(reason)
    return ""


def gpu_number() -> int | None:
    """Look up the number that CUDA gives the GPU that computes; None without one."""
    return None if why_unavailable("cuda") else getattr(open_device("cuda"), "ordinal", None)


def gpu_size() -> GpuSize | None:
    """Look up the size of the GPU that computes; None without one."""
    return None if why_unavailable("cuda") else getattr(open_device("cuda"), "size", None)


def needs(variant: str, kind: str, why: str) -> str:
    """Say that a variant needs a kind of device, ``cpu`` or ``cuda``, and why it is absent."""
    return f"{variant} needs {'a CUDA GPU' if kind == 'cuda' else 'the CPU'}: {why}"


def check_device(variant: str, kind: str) -> None:
    """Raise ``Unavailable``, which names the variant, if it needs a device that is absent here."""
    if why := why_unavailable(kind):
        raise Unavailable(needs(variant, kind, why))


def give_back_memory() -> None:
    """Return the memory that large arrays left, on every device that can be used here."""
    for kind in ("cpu", "cuda"):
        if not why_unavailable(kind):
            open_device(kind).give_back()
