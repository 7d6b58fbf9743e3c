"""The CPU in place of a GPU: emulated arrays, textures and launchers of kernels.

Arrays may lie between pages without access, so that accesses beyond them end a launch.
"""

import ctypes
import math
import mmap
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.emulation.compiler import compile_program
from wheatstone.gpu.emulation.program import EmulatedProgram
from wheatstone.gpu.host import HostDevice
from wheatstone.gpu.kernels.kernel import Kernel
from wheatstone.gpu.kernels.programs import Program, entries, source


class _Image(ctypes.Structure):
    """The ctypes mirror of the structure ``Image`` in cuda_shim.hpp."""

    _fields_ = (("pixels", ctypes.c_void_p), ("height", ctypes.c_int), ("width", ctypes.c_int))


class EmulatedTexture:
    """An emulated texture: kernels read its pixels only through a texture object."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.pixels = self.linear = np.empty(shape, dtype)
        self._image = _Image(self.pixels.ctypes.data, *shape[:2])
        self.object = ctypes.addressof(self._image)

    def __getitem__(self, rows: slice) -> "EmulatedTexture":
        """Return a texture with a copy of some rows of this one."""
        pixels = self.pixels[rows]
        part = EmulatedTexture(pixels.shape, self.dtype)
        part.pixels[...] = pixels
        return part

    def fill(self) -> None:
        """Do nothing: an emulated texture shares its array, so that written values need no copy."""


class EmulatedDevice(HostDevice):
    """The CPU as an emulated GPU."""

    def texture(self, shape: tuple[int, ...], dtype: Any, *, written: bool = False) -> Any:
        return EmulatedTexture(shape, dtype)

    def upload(self, array: Any, host: NDArray[Any]) -> None:
        super().upload(array.pixels if isinstance(array, EmulatedTexture) else array, host)

    def download(self, array: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
        pixels = array.pixels if isinstance(array, EmulatedTexture) else array
        return super().download(pixels, out)

    def copy(self, target: Any, source: NDArray[Any]) -> None:
        self.upload(target, source)


@cache
def emulated_program(program: Program) -> EmulatedProgram:
    """Compile one of the program's own CUDA files for the CPU, and load the result."""
    text = source(program.file)
    path = compile_program(program.file, text, program.options, tuple(entries(text)), lines=False)
    return EmulatedProgram(path, guards=False)


def emulated_function(kernel: Kernel, shared: int = 0) -> Callable[..., None]:
    """Return a launcher of an emulated kernel, in place of ``gpu.kernels.kernel.function``.

    It raises ``RuntimeError`` where the kernel has a fault.
    """
    program = emulated_program(kernel.program)

    def launch(grid: Any, block: Any, arguments: tuple[Any, ...], shared_mem: int) -> None:
        report = program.launch(kernel.name, grid, block, arguments, shared=shared_mem)
        if report.faults:
            raise RuntimeError(f"{kernel.name}: {report.faults[0].message}")

    return launch


def emulated_constant(kernel: Kernel, symbol: str) -> Callable[..., None]:
    """Return a function that copies part of a texture to an emulated ``__constant__`` array.

    It replaces the result of ``gpu.kernels.kernel.constant``.
    """
    address = emulated_program(kernel.program).constant(symbol)

    def store(texture: EmulatedTexture, rectangle: tuple[int, int, int, int]) -> None:
        x, y, width, height = rectangle
        part = texture.pixels[y : y + height, x : x + width].tobytes()
        ctypes.memmove(address, part, len(part))

    return store


Placement = Literal["start", "end"]
ALIGNMENT = 16  # bytes, of the largest vector type of CUDA
FENCE = 64 * mmap.PAGESIZE  # bytes without access on both sides, at least


class GuardedArray:
    """An array next to inaccessible memory, so that an access outside the array fails.

    Args:
        placement: ``end``: the first byte behind the array cannot be accessed (or, where the
            array's size is no multiple of 16, one up to 15 bytes further on, since arrays begin at
            multiples of 16 bytes, as on a GPU). ``start``: the last byte before it cannot.

    Attributes:
        array: the NumPy array; it keeps the memory.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, placement: Placement = "end") -> None:
        count, size = math.prod(shape), math.prod(shape) * np.dtype(dtype).itemsize
        inner = _rounded_up(max(size, 1), mmap.PAGESIZE)
        fence = max(FENCE, inner)  # an index may be wrong by a whole image
        memory = mmap.mmap(-1, 2 * fence + inner)
        for begin in (0, fence + inner):
            _forbid_access(memory, begin, fence)
        begin = fence + (inner - _rounded_up(size, ALIGNMENT) if placement == "end" else 0)
        self.array: NDArray[Any] = np.frombuffer(memory, dtype, count, begin).reshape(shape)


def _rounded_up(size: int, step: int) -> int:
    return -(-size // step) * step


def _forbid_access(memory: mmap.mmap, begin: int, size: int) -> None:
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory, begin))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), 0):
        raise OSError(ctypes.get_errno(), "memory cannot be protected")
