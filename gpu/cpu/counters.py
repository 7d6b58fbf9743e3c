"""Counters shared by threads in compiled code, to divide work and to wait.

A counter is an element of an int64 array. Data that a thread wrote before it incremented a counter
are visible to every thread that has waited for the new count.
"""

import ctypes
import platform
import sys
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy import int64
from numpy.typing import NDArray

from wheatstone.gpu.compiled import helper
from wheatstone.gpu.cpu.lanes import I32, I64

LINE = 8  # elements of a cache line: counters closer together slow each other down
SPINS = 1000  # some 25 µs: longer than most waits, and little lost where another needs this core
X86 = platform.machine() in ("x86_64", "AMD64")

# Sleep rather than yield: on a busy machine a thread that yields has to wait for its next turn,
# while one that wakes up goes first. Known to LLVM by name, since Numba caches no addresses.
if sys.platform == "win32":
    _sleep_for = ctypes.windll.kernel32.Sleep
else:
    _sleep_for = ctypes.CDLL(None).usleep
SLEEP = "gpu_cpu_sleep"
llvmlite.binding.add_symbol(SLEEP, ctypes.cast(_sleep_for, ctypes.c_void_p).value)


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


def _call(builder: Any, name: str, *args: Any) -> None:
    function = ir.FunctionType(ir.VoidType(), [arg.type for arg in args])
    builder.call(cgutils.get_or_insert_function(builder.module, function, name), args)


@intrinsic
def increment(typing: Any, counters: Any, index: Any) -> Any:
    """Add one to a counter, and return its previous value."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, I64(1), "acq_rel")

    return types.int64(counters, types.intp), generate


@intrinsic
def _read(typing: Any, counters: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature, args)
        return builder.load_atomic(pointer, "acquire", align=8)

    return types.int64(counters, types.intp), generate


@intrinsic
def _pause(typing: Any) -> Any:
    """Execute the processor's pause instruction for waiting loops, if it has one."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if X86:
            _call(builder, "llvm.x86.sse2.pause")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def _sleep(typing: Any) -> Any:
    """Sleep for the shortest possible time: some 50 µs, or milliseconds on Windows."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _call(builder, SLEEP, I32(1))
        return context.get_dummy_value()

    return types.void(), generate


@helper
def wait_until(counters: NDArray[int64], index: int, count: int) -> None:
    """Wait until a counter has reached ``count``."""
    spins = 0
    while _read(counters, index) < count:
        spins += 1
        if spins < SPINS:
            _pause()
        else:
            _sleep()
