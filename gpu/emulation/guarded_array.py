"""Allocate NumPy arrays between pages without access, so that accesses beyond them end a launch."""

import ctypes
import math
import mmap
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Placement = Literal["start", "end"]
ALIGNMENT = 16  # bytes, of the largest vector type of CUDA
FENCE = 64 * mmap.PAGESIZE  # bytes without access on both sides, at least


class GuardedArray:
    """An array that begins or ends at memory without access.

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
