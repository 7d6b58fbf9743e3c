"""Launch emulated kernels and report their faults."""

import ctypes
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from math import prod
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.emulation.compiler import MOST_SHARED
from wheatstone.gpu.emulation.report import AccessCount, Index3, LaunchFault, LaunchReport, three
from wheatstone.gpu.emulation.structures import (
    CountStructure,
    FaultStructure,
    LaunchStructure,
    RangeStructure,
)
from wheatstone.gpu.emulation.symbols import KernelMemory, ProgramSymbols, SourceLine, describe

MOST_THREADS = 1024  # of a block
MOST_DEPTH = 64  # of a block, in threads along z
MOST_BLOCKS = (2**31 - 1, 65535, 65535)
FREE_SHARED = 48 * 1024  # bytes of a block's shared arrays of fixed size
MOST_FAULTS = 20
OUTPUT_BYTES = 100 * 256
MOST_COUNTS = 4096
_launching = Lock()  # threadIdx and others exist once in a program


class EmulatedProgram:
    """A compiled program of emulated kernels, loaded into this process.

    Args:
        path: of the shared library that ``compile_program`` made.
        guards: fill shared memory with a pattern before each block, report an access beyond the
            stack of a thread, and check the arguments. The program's own kernels run without.
    """

    def __init__(self, path: Path, *, guards: bool = True) -> None:
        self._path, self._guards = path, guards
        self._library = ctypes.CDLL(str(path))

    @cached_property
    def _symbols(self) -> ProgramSymbols:
        return ProgramSymbols(self._path, self._library)

    def release_stacks(self) -> None:
        """Free the stacks of emulated threads; the next launch allocates them again."""
        with _launching:
            self._library.release_stacks()

    def parameters(self, entry: str) -> tuple[str, ...]:
        """Return the types of a kernel's parameters, such as ``uint8*``, ``int32`` or ``float32``.

        A texture is a ``uint64``; a structure of the kernel's own is a ``struct``.
        """
        text = ctypes.create_string_buffer(4096)
        getattr(self._library, f"describe_{entry}")(text)
        return tuple(text.value.decode().rstrip(",").split(",")) if text.value else ()

    def constant(self, symbol: str) -> int:
        """Return the address of an array in ``__constant__`` memory."""
        mangled = f"_ZN6device{len(symbol)}{symbol}E"
        return ctypes.addressof(ctypes.c_ubyte.in_dll(self._library, mangled))

    def launch(
        self,
        entry: str,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[Any],
        *,
        shared: int = 0,
        order: int = 0,
        names: Sequence[str] = (),
    ) -> LaunchReport:
        """Run a kernel to its end, or to a fault that ends it. An endless loop does not return.

        Args:
            grid, block: blocks and threads along x, y and z; omitted ones are 1.
            arguments: arrays, NumPy scalars of the parameters' types, and addresses of textures.
            shared: bytes of dynamic shared memory.
            order: of the warps and of their lanes; 0: ascending. A kernel without races has the
                same results in every order.
            names: of the arguments, for the report.
        """
        grid3, block3 = three(grid), three(block)
        why = why_not_launched(grid3, block3, shared)
        if why or (self._guards and (why := self._why_not(entry, arguments, shared, names))):
            return LaunchReport((LaunchFault("launch", why),))
        memories = list(_arrays(arguments, names))
        if self._guards:
            memories += self._symbols.shared_arrays(entry, shared)
        output = ctypes.create_string_buffer(OUTPUT_BYTES if self._guards else 1)
        call = self._structure(grid3, block3, order, memories, output)
        values = [_value(argument) for argument in arguments]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        with _launching:
            getattr(self._library, f"launch_{entry}")(ctypes.byref(call), pointers)
        return self._report(call, memories, output.value)

    def _structure(
        self, grid: Index3, block: Index3, order: int, memories: Sequence[KernelMemory], output: Any
    ) -> LaunchStructure:
        """Create the structure that describes a launch and receives the scheduler's report."""
        ranges = [RangeStructure(m.address, m.nbytes, m.itemsize, m.shared) for m in memories]
        call = LaunchStructure(grid, block, order, self._guards)
        call.ranges, call.range_count = (RangeStructure * len(ranges))(*ranges), len(ranges)
        call.poisons = self._guards
        call.faults, call.fault_capacity = (FaultStructure * MOST_FAULTS)(), MOST_FAULTS
        call.output, call.output_capacity = ctypes.addressof(output), len(output)
        if self._guards:
            call.counts, call.count_capacity = (CountStructure * MOST_COUNTS)(), MOST_COUNTS
        return call

    def _why_not(
        self, entry: str, arguments: Sequence[Any], shared: int, names: Sequence[str]
    ) -> str:
        """Return why a kernel cannot accept its arguments or shared memory; empty if it can."""
        taken = self.parameters(entry)
        if len(taken) != len(arguments):
            return f"parameters of {entry}: {len(taken)}; values passed to it: {len(arguments)}"
        for number, (parameter, argument) in enumerate(zip(taken, arguments, strict=True), 1):
            if not _fits(parameter, passed := _type_of(argument)):
                name = f" ({names[number - 1]})" if number <= len(names) else ""
                return (
                    f"parameter {number}{name} of {entry} is {parameter}; {passed} is passed to it"
                )
        fixed = sum(each.nbytes for each in self._symbols.shared_arrays(entry, 0))
        if fixed > FREE_SHARED:
            return (
                f"the shared arrays of {entry} have {fixed} bytes; "
                f"a block can have {FREE_SHARED} bytes of fixed size"
            )
        if fixed + shared > MOST_SHARED:
            return (
                f"{entry} needs {fixed + shared} bytes of shared memory; a block has {MOST_SHARED}"
            )
        return ""

    def _report(
        self, call: LaunchStructure, memories: Sequence[KernelMemory], output: bytes
    ) -> LaunchReport:
        faults, counts = call.faults[: call.fault_count], call.counts[: call.count_count]
        if not faults and not counts and not output:
            return LaunchReport()
        places = {each.place for each in (*faults, *counts)} | {each.other for each in faults}
        lines = self._symbols.lines(places - {0})
        described = [describe(each, memories, lines) for each in faults]
        return LaunchReport(
            tuple(dict.fromkeys(described)),
            tuple(_merged(counts, memories, lines, shared=False)),
            tuple(_merged(counts, memories, lines, shared=True)),
            bool(call.incomplete),
            tuple(output.decode(errors="replace").splitlines()),
        )


def why_not_launched(grid: Index3, block: Index3, shared: int) -> str:
    """Return why no GPU can launch this grid; empty if a GPU can."""
    if min(*grid, *block) < 1:
        return f"grid {grid} and block {block} must have at least 1 along each axis"
    if prod(block) > MOST_THREADS:
        return f"a block has at most {MOST_THREADS} threads ({block} are {prod(block)})"
    if block[2] > MOST_DEPTH:
        return f"a block has at most {MOST_DEPTH} threads along z (got {block[2]})"
    if any(count > most for count, most in zip(grid, MOST_BLOCKS, strict=True)):
        return f"a grid has at most {MOST_BLOCKS} blocks (got {grid})"
    if shared > MOST_SHARED:
        return f"a block has at most {MOST_SHARED} bytes of shared memory (got {shared})"
    return ""


def _arrays(arguments: Sequence[Any], names: Sequence[str]) -> Iterator[KernelMemory]:
    for number, (argument, name) in enumerate(zip_longest(arguments, names, fillvalue="")):
        if isinstance(argument, np.ndarray):
            address, size = argument.ctypes.data, argument.itemsize
            yield KernelMemory(name or f"argument {number + 1}", address, argument.shape, size)


def _value(argument: Any) -> Any:
    """Convert an argument of a kernel to an object of ctypes with the same bytes."""
    if isinstance(argument, np.ndarray):
        return ctypes.c_uint64(argument.ctypes.data)
    if isinstance(argument, np.generic):
        return ctypes.create_string_buffer(argument.tobytes())
    return ctypes.c_uint64(argument)


def _type_of(argument: Any) -> str:
    if isinstance(argument, np.ndarray):
        return f"{argument.dtype.name}*"
    return str(argument.dtype.name) if isinstance(argument, np.generic) else "uint64"


def _fits(parameter: str, passed: str) -> bool:
    """Return whether a value of one type can be passed as another, without a change of its bits."""
    if "struct" in parameter or "void" in parameter:
        return ("*" in parameter) == ("*" in passed)
    same = parameter.replace("uint", "int").replace("bool", "int8")
    return same == passed.replace("uint", "int").replace("bool", "int8")


def _merged(
    counts: Sequence[CountStructure],
    memories: Sequence[KernelMemory],
    lines: dict[int, SourceLine],
    *,
    shared: bool,
) -> Iterator[AccessCount]:
    """Add up the memory access counts of all blocks for each source line and array."""
    sums: dict[tuple[str, SourceLine, bool], NDArray[np.int64]] = {}
    for each in counts:
        memory = memories[each.array]
        if memory.shared == shared:
            key = memory.name, lines[each.place], bool(each.write)
            values = np.array((each.requests, each.transactions, each.least), np.int64)
            sums[key] = sums.get(key, 0) + values
    for (name, line, write), values in sums.items():
        yield AccessCount(name, line.file, line.number, write, *map(int, values))
