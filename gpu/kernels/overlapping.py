"""Launch a kernel that begins before the previous one ends, by programmatic dependent launch.

CUDA starts its blocks on the multiprocessors as soon as the last blocks before them leave, without
waiting until all their writes are visible. The kernel waits for that itself in its first statement
(``wait_for_previous`` of ``common.cuh``), so the previous launch is complete and visible, and all
earlier launches as well. CuPy does not offer this launch, but the driver does.

Facts: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"; ``cuda.h``.
"""

import ctypes
import os
from collections.abc import Sequence
from ctypes import Structure, byref, c_byte, c_int, c_uint, c_void_p, pointer
from functools import cache
from typing import Any

import numpy as np

from wheatstone.gpu.kernels.programs import target_of_gpu
from wheatstone.gpu.nvidia import driver, spoken_version

FIRST_CAPABILITY = 90
FIRST_DRIVER = 12030  # the first that keeps it in graphs: CUDA 12.3
PROGRAMMATIC_STREAM_SERIALIZATION = 6
SWITCH = "WHEATSTONE_OVERLAP"
"""Environment variable: 0 lets every kernel wait for the end of the previous one, as usual."""


class Attribute(Structure):
    """CUDA's ``CUlaunchAttribute``: the attribute's kind, and a union of 64 bytes."""

    _fields_ = (("id", c_int), ("pad", c_byte * 4), ("value", c_int), ("rest", c_byte * 60))


class Config(Structure):
    """CUDA's ``CUlaunchConfig``: grid, block, shared memory, stream and attributes of a launch."""

    _fields_ = (
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared", c_uint),
        ("stream", c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", c_uint),
    )


@cache
def is_possible() -> bool:
    """Return whether GPU and driver support overlapping launches, and ``SWITCH`` allows them."""
    if os.environ.get(SWITCH, "1") == "0" or spoken_version() < FIRST_DRIVER:
        return False
    return target_of_gpu().capability >= FIRST_CAPABILITY


def launch(
    function: int,
    grid: Sequence[int],
    block: Sequence[int],
    arguments: Sequence[np.generic],
    shared: int,
    stream: int,
) -> None:
    """Launch a kernel that may start before the previous one ends and waits in its first statement.

    Args:
        function: the driver's handle of the kernel.
        grid, block: sizes along up to three axes, x first.
        arguments: numbers; addresses as 64 bits.
        shared: dynamic shared memory in bytes.
        stream: handle of the stream, which may be capturing.

    Raises:
        RuntimeError: the driver refuses; the message has its number.
    """
    attribute = Attribute(id=PROGRAMMATIC_STREAM_SERIALIZATION, value=1)
    config = Config(
        grid=_three(grid),
        block=_three(block),
        shared=shared,
        stream=stream,
        attributes=pointer(attribute),
        count=1,
    )
    values = [np.array(argument) for argument in arguments]  # each at an address of its own
    addresses = (c_void_p * len(values))(*(value.ctypes.data for value in values))
    library = driver()
    assert library
    if code := library.cuLaunchKernelEx(byref(config), c_void_p(function), addresses, None):
        raise RuntimeError(f"the driver does not launch a kernel: error {code}")


def _three(sizes: Sequence[int]) -> Any:
    return (c_uint * 3)(*sizes, *(1,) * (3 - len(sizes)))
