"""Compile a CUDA kernel, check and cast its arguments, and launch it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gpu.kernels.source import OPTIONS, source
from gpu.pipeline import Array

Dim = tuple[int, ...]
TEXTURE = np.uint64  # what a texture object is to a kernel
FREE_SHARED = 48 * 1024  # bytes that a block may share without asking for more


@dataclass(frozen=True)
class Kernel:
    """Declare a ``__global__`` function and the type of each of its arguments.

    Attributes:
        types: element type of an array, type of a scalar, or ``TEXTURE``, for every argument.
        arrays: how many arguments, from the first on, are arrays or textures.
        defines: macros as (name, value); they make one source serve several element types.
    """

    file: str
    name: str
    types: tuple[type[np.generic], ...]
    arrays: int
    defines: tuple[tuple[str, str], ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """List the compiler's options, without the architecture."""
        return OPTIONS + tuple(f"-D{name}={value}" for name, value in self.defines)

    def __call__(self, grid: Dim, block: Dim, *arguments: Any, shared: int = 0) -> None:
        """Launch on the current stream.

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
        if _noted is not None:
            _noted.append(Launch(self, grid, block, shared))
            return
        function(self, shared)(grid, block, tuple(cast), shared_mem=shared)

    def store(self, symbol: str, texture: Array, rectangle: tuple[int, int, int, int]) -> None:
        """Copy a part of a grey texture into ``__constant__`` memory, on the current stream.

        Args:
            symbol: the array in the kernel's file that takes the rows, one after the other.
            rectangle: x, y, width and height of the part, in pixels.
        """
        if _noted is None:
            constant(self, symbol)(texture, rectangle)

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
    """Note a kernel as it was launched; ``shared`` is dynamic shared memory in bytes."""

    kernel: Kernel
    grid: Dim
    block: Dim
    shared: int


_noted: list[Launch] | None = None


@contextmanager
def noted_launches() -> Iterator[list[Launch]]:
    """Note what would be launched, while entered, instead of compiling or computing anything.

    That takes neither CuPy nor a GPU, and arrays without content will do.
    """
    global _noted
    before, _noted = _noted, []
    try:
        yield _noted
    finally:
        _noted = before


def function(kernel: Kernel, shared: int = 0) -> Any:
    """Compile a kernel, whose next launch may ask for so many bytes of dynamic shared memory.

    Raises:
        RuntimeError: it does not compile; the message is the compiler's.
    """
    compiled = _function(kernel)
    if shared > FREE_SHARED:
        compiled.max_dynamic_shared_size_bytes = shared
    return compiled


@cache
def _function(kernel: Kernel) -> Any:
    import cupy

    try:
        return _module(kernel.file, kernel.options).get_function(kernel.name)
    except cupy.cuda.compiler.CompileException as error:
        raise RuntimeError(f"{kernel.file} does not compile: {error}") from error


@cache
def constant(kernel: Kernel, symbol: str) -> Callable[..., None]:
    """Make what copies a rectangle of a texture into a kernel's ``__constant__`` memory."""
    import cupy

    function(kernel)  # says why, if the file does not compile
    runtime, memory = cupy.cuda.runtime, _module(kernel.file, kernel.options).get_global(symbol)

    def store(texture: Array, rectangle: tuple[int, int, int, int]) -> None:
        x, y, width, height = rectangle
        pixels, kind = texture.array.ptr, runtime.memcpyDeviceToDevice
        stream = cupy.cuda.get_current_stream().ptr
        runtime.memcpy2DFromArrayAsync(memory.ptr, width, pixels, x, y, width, height, kind, stream)

    return store


@cache
def _module(file: str, options: tuple[str, ...]) -> Any:
    """Compile a file with one set of options; its kernels share the module."""
    import cupy

    return cupy.RawModule(code=source(file), options=options)


def c_type(dtype: type[np.generic]) -> str:
    """Name a NumPy type as ``common.cuh`` does."""
    return f"{np.dtype(dtype).name}_t"


def blocks(block: Dim, *threads: int) -> Dim:
    """Compute the grid of blocks that has at least so many threads along each axis, x first."""
    return tuple(-(-count // size) for count, size in zip(threads, block, strict=True))
