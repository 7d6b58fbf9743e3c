"""Counters in an int64 array that threads share, for compiled code that has released Python's lock.

What a thread wrote before it added to a counter is seen by whoever has waited for that count.
"""

import ctypes
import platform
import sys
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy import int64
from numpy.typing import NDArray

LINE = 8  # elements of a cache line: counters further apart do not slow each other
SPINS = 500  # some 10 µs; whoever is waited for longer may need this core
X86 = platform.machine() in ("x86_64", "AMD64")

if sys.platform == "win32":
    _yield = ctypes.windll.kernel32.SwitchToThread
else:
    _yield = ctypes.CDLL(None).sched_yield
# By name: a compiled function that holds an address cannot be cached.
llvmlite.binding.add_symbol("gpu_cpu_yield", ctypes.cast(_yield, ctypes.c_void_p).value)


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


@intrinsic
def add(typing: Any, counters: Any, index: Any, amount: Any) -> Any:
    """Add to a counter, and return what it was before."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, args[2], "acq_rel")

    return types.int64(counters, types.intp, types.int64), generate


@intrinsic
def _read(typing: Any, counters: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature, args)
        return builder.load_atomic(pointer, "acquire", align=8)

    return types.int64(counters, types.intp), generate


@intrinsic
def _pause(typing: Any) -> Any:
    """Let the core know that it spins."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if X86:
            function = ir.FunctionType(ir.VoidType(), [])
            name = "llvm.x86.sse2.pause"
            builder.call(cgutils.get_or_insert_function(builder.module, function, name), [])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def _yield_core(typing: Any) -> Any:
    """Let another thread have the core."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, function, "gpu_cpu_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


@njit(cache=True)
def wait_until(counters: NDArray[int64], index: int, count: int) -> None:
    """Return when a counter has reached ``count``."""
    spins = 0
    while _read(counters, index) < count:
        spins += 1
        if spins < SPINS:
            _pause()
        else:
            _yield_core()
