"""Compile a CUDA kernel, check and cast its arguments, and launch it."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from wheatstone.gpu.kernels.overlapping import is_possible, launch
from wheatstone.gpu.kernels.programs import OPTIONS, Program, module, waits_first
from wheatstone.gpu.pipeline import Array

Dim = tuple[int, ...]
TEXTURE = np.uint64  # what a texture object is to a kernel
FREE_SHARED = 48 * 1024  # bytes that a block may share without asking for more


@dataclass(frozen=True)
class Kernel:
    """The declaration of a ``__global__`` function and of the type of each of its arguments.

    Attributes:
        types: element type of an array, type of a scalar, or ``TEXTURE``, for every argument.
        arrays: number of arguments, from the first on, that are arrays or textures.
        defines: macros as (name, value), by which one source serves several element types.
        text: the user's own program, in place of the file's; empty: the file's.
    """

    file: str
    name: str
    types: tuple[type[np.generic], ...]
    arrays: int
    defines: tuple[tuple[str, str], ...] = ()
    text: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """Return the compiler's options, without the architecture."""
        return OPTIONS + tuple(f"-D{name}={value}" for name, value in self.defines)

    @property
    def program(self) -> Program:
        """Return the program that contains the kernel."""
        return Program(self.file, self.options, self.text)

    def __call__(self, grid: Dim, block: Dim, *arguments: Any, shared: int = 0) -> None:
        """Launch the kernel on the current stream.

        Args:
            shared: dynamic shared memory in bytes.

        Raises:
            TypeError: wrong number of arguments, or an array of another dtype.
            ValueError: an array that is not C-contiguous.
        """
        if len(arguments) != len(self.types):
            raise TypeError(f"{self.name} takes {len(self.types)} arguments (got {len(arguments)})")
        cast = [
            self._pointer(i, a) if i < self.arrays else self.types[i](a)
            for i, a in enumerate(arguments)
        ]
        if (noted := _noting.launches) is not None:
            stores, _noting.stores = tuple(_noting.stores), []
            noted.append(Launch(self, grid, block, shared, tuple(cast), stores))
            return
        compiled = function(self, shared)
        if waits_first(self.file, self.name) and is_possible():
            _launch_overlapping(compiled, grid, block, cast, shared)
        else:
            compiled(grid, block, tuple(cast), shared_mem=shared)

    def store(self, symbol: str, texture: Array, rectangle: tuple[int, int, int, int]) -> None:
        """Copy a rectangle of a grey texture to ``__constant__`` memory, on the current stream.

        Args:
            symbol: the array in the kernel's file that takes the rows, one after the other.
            rectangle: x, y, width and height of the part, in pixels.
        """
        if _noting.launches is None:
            constant(self, symbol)(texture, rectangle)
        else:
            _noting.stores.append((symbol, texture, rectangle))

    def _pointer(self, index: int, array: Array) -> Any:
        expected = self.types[index]
        if expected is TEXTURE:
            return array.object
        if array.dtype != expected:
            raise TypeError(
                f"argument {index} of {self.name} must be {np.dtype(expected)} (got {array.dtype})"
            )
        if not array.flags.c_contiguous:
            raise ValueError(f"argument {index} of {self.name} must be C-contiguous")
        return array


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel: its grid, blocks and arguments.

    Attributes:
        shared: dynamic shared memory in bytes.
        arguments: as the kernel takes them.
        stores: the copies into ``__constant__`` memory before it; see ``Kernel.store``.
    """

    kernel: Kernel
    grid: Dim
    block: Dim
    shared: int
    arguments: tuple[Any, ...] = ()
    stores: tuple[tuple[str, Array, tuple[int, int, int, int]], ...] = ()


class _Noting(threading.local):
    """A thread's list of recorded launches; None while launches are executed on the GPU."""

    launches: list[Launch] | None = None

    def __init__(self) -> None:
        self.stores: list[tuple[str, Array, tuple[int, int, int, int]]] = []


_noting = _Noting()


def is_noting() -> bool:
    """Return whether this thread records kernel launches, instead of executing them."""
    return _noting.launches is not None


def note(launches: Sequence[Launch]) -> None:
    """Add launches executed by another process to those that ``noted_launches`` records."""
    assert _noting.launches is not None
    _noting.launches += launches


@contextmanager
def noted_launches() -> Iterator[list[Launch]]:
    """In the ``with`` block, record this thread's kernel launches, without executing them.

    That needs neither CuPy nor a GPU, and works with arrays without content.
    """
    launches: list[Launch] = []
    before, _noting.launches = _noting.launches, launches
    try:
        yield launches
    finally:
        _noting.launches = before


def function(kernel: Kernel, shared: int = 0) -> Any:
    """Compile a kernel and allow its launches ``shared`` bytes of dynamic shared memory.

    Raises:
        RuntimeError: it does not compile; the message is the compiler's.
    """
    compiled = _function(kernel)
    if shared > FREE_SHARED:
        compiled.max_dynamic_shared_size_bytes = shared
    return compiled


@cache
def _function(kernel: Kernel) -> Any:
    return module(kernel.program).get_function(kernel.name)


def _launch_overlapping(
    compiled: Any, grid: Dim, block: Dim, arguments: list[Any], shared: int
) -> None:
    import cupy

    numbers = [each if isinstance(each, np.generic) else _address(each) for each in arguments]
    stream = cupy.cuda.get_current_stream().ptr
    launch(compiled.kernel.ptr, grid, block, numbers, shared, stream)


def _address(argument: Any) -> np.uint64:
    return np.uint64(argument.ptr if hasattr(argument, "ptr") else argument.data.ptr)


@cache
def constant(kernel: Kernel, symbol: str) -> Callable[..., None]:
    """Return a function that copies part of a texture into a kernel's ``__constant__`` memory."""
    import cupy

    runtime, memory = cupy.cuda.runtime, module(kernel.program).get_global(symbol)

    def store(texture: Array, rectangle: tuple[int, int, int, int]) -> None:
        x, y, width, height = rectangle
        pixels, kind = texture.array.ptr, runtime.memcpyDeviceToDevice
        stream = cupy.cuda.get_current_stream().ptr
        runtime.memcpy2DFromArrayAsync(memory.ptr, width, pixels, x, y, width, height, kind, stream)

    return store


def declare(
    stage: str,
    part: str,
    arrays: Sequence[Any],
    scalars: int | Sequence[type[np.generic]] = 2,
    **defines: Any,
) -> Kernel:
    """Declare a kernel of a stage's CUDA file: its name, argument types and macros.

    Args:
        part: of the kernel's name after the stage's, such as a memory; empty if there is none.
        arrays: types of its arrays and textures.
        scalars: types of its scalars, or number of int32; height and width by default.
        defines: macros; a type stands for its name in CUDA, a bool for 0 or 1.
    """
    types = (np.int32,) * scalars if isinstance(scalars, int) else tuple(scalars)
    macros = tuple((name, _macro(value)) for name, value in defines.items())
    name = f"{stage}_{part}" if part else stage
    return Kernel(f"{stage}.cu", name, (*arrays, *types), len(arrays), macros)


def _macro(value: Any) -> str:
    if isinstance(value, type):
        return c_type(value)
    return str(int(value) if isinstance(value, bool) else value)


def c_type(dtype: type[np.generic]) -> str:
    """Return the name of a NumPy type in ``common.cuh``."""
    return f"{np.dtype(dtype).name}_t"


def blocks(block: Dim, *threads: int) -> Dim:
    """Compute the grid of blocks that covers a number of threads along each axis, x first."""
    return tuple(-(-count // size) for count, size in zip(threads, block, strict=True))
