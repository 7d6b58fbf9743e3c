"""Read the symbols and the line numbers of a compiled program, and describe its faults as text.

Symbols and lines are read by the tools that g++ needs.
"""

import ctypes
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import NamedTuple

from wheatstone.gpu.emulation.report import (
    FAULTS,
    LaunchFault,
    place_in_words,
    size_in_words,
    three,
)
from wheatstone.gpu.emulation.structures import FaultStructure

EMULATION = {"cuda_shim.hpp", "runtime.hpp", "scheduler.cpp", "program.cpp", "launchers"}
_ANCHOR = "emulation::shared_anchor"


class SourceLine(NamedTuple):
    """A line of a kernel's source file; the number is 0 where it is not known."""

    file: str
    number: int


@dataclass(frozen=True)
class KernelMemory:
    """An array that a kernel may access."""

    name: str
    address: int
    shape: tuple[int, ...]
    itemsize: int
    shared: bool = False

    @property
    def nbytes(self) -> int:
        """Return the size of the array in bytes."""
        return prod(self.shape) * self.itemsize


@dataclass(frozen=True)
class _Symbol:
    value: int
    size: int
    kind: str
    name: str


class ProgramSymbols:
    """The arrays in shared memory and the line numbers of a loaded program."""

    def __init__(self, path: Path, library: ctypes.CDLL) -> None:
        self._path, self._library = path, library
        library.shared_memory_anchor.restype = ctypes.c_uint64

    @cached_property
    def _symbols(self) -> tuple[_Symbol, ...]:
        command = ["readelf", "--symbols", "--wide", "--demangle", str(self._path)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows = (line.split(maxsplit=7) for line in text.partition("'.symtab'")[2].splitlines())
        return tuple(
            _Symbol(int(row[1], 16), int(row[2], 0), row[3], row[7])
            for row in rows
            if len(row) == 8 and row[0].rstrip(":").isdigit()
        )

    @cached_property
    def _entries(self) -> tuple[str, ...]:
        names = (each.name for each in self._symbols if each.kind == "FUNC")
        return tuple(name[7:] for name in names if name.startswith("launch_"))

    @cached_property
    def _kernels(self) -> frozenset[str]:
        """Return the names of all kernels, launched or not, and of other C functions."""
        names = (each.name for each in self._symbols if each.kind == "FUNC")
        return frozenset(name for name in names if name.isidentifier())

    def shared_arrays(self, entry: str, shared: int) -> list[KernelMemory]:
        """List the arrays in shared memory that a kernel may access.

        Args:
            shared: bytes of dynamic shared memory.
        """
        tls = [each for each in self._symbols if each.kind == "TLS" and each.size]
        anchor = next(each.value for each in tls if each.name == _ANCHOR)
        base = self._library.shared_memory_anchor() - anchor
        arrays = []
        for each in tls:
            function, _, name = each.name.rpartition("::")
            named = set(re.findall(r"\w+", function)) & self._kernels
            if each.name == _ANCHOR or (named and entry not in named):
                continue
            dynamic = function in ("", "device")  # declared in no function
            if size := shared if dynamic else each.size:
                arrays.append(KernelMemory(name, base + each.value, (size,), 1, shared=True))
        return arrays

    def lines(self, places: Iterable[int]) -> dict[int, SourceLine]:
        """Return the source line of each given return address: the line that made the call."""
        if not (known := sorted(places)):
            return {}
        entry = self._entries[0]
        launcher = next(each for each in self._symbols if each.name == f"launch_{entry}")
        function = ctypes.cast(getattr(self._library, launcher.name), ctypes.c_void_p).value or 0
        offsets = [f"{place - 1 - function + launcher.value:#x}" for place in known]
        command = ["addr2line", "-a", "-i", "-s", "-e", str(self._path), *offsets]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return dict(zip(known, _lines(text), strict=True))


def _lines(text: str) -> Iterator[SourceLine]:
    """Parse addr2line's output; for each address, yield its innermost line in the kernel's file."""
    for frames in re.split(r"^0x", text, flags=re.MULTILINE)[1:]:
        innermost = SourceLine("", 0)
        for frame in frames.splitlines()[1:]:
            file, _, rest = frame.rpartition(":")
            number = rest.split(" ")[0]
            if number.isdigit() and file not in EMULATION:
                innermost = SourceLine(file, int(number))
                break
        yield innermost


FAR = 1 << 32
"""Bytes from an array on within which a wrong address is counted for it."""
UNKNOWN = SourceLine("", 0)


def describe(
    fault: FaultStructure, memories: Sequence[KernelMemory], lines: Mapping[int, SourceLine]
) -> LaunchFault:
    """Convert a fault that the scheduler or the access checks reported to a ``LaunchFault``."""
    kind = FAULTS[fault.kind]
    line = lines.get(fault.place, UNKNOWN)
    memory = _nearest(fault.address, memories)
    index = _index(fault, memory) if memory else ()
    thread, block = three(fault.thread), three(fault.block)
    what = fault.text.decode(errors="replace")
    if kind in ("address", "out of bounds"):
        kind = "out of bounds" if memory or what else "address"
        what = what or _outside(fault, memory, index)
    elif kind == "uninitialised" and memory:
        what = f"reads {_place(memory, index)} in shared memory, which no thread has written yet"
    elif kind == "race" and memory:
        what = _race(fault, _place(memory, index), lines.get(fault.other, UNKNOWN))
    elif kind == "stack":
        what = "uses more local memory than the 252 KB that a thread has here (a recursion?)"
    message = f"thread {thread} of block {block}: {what}"
    name = memory.name if memory else ""
    return LaunchFault(kind, message, line.file, line.number, name, index, thread, block)


def _nearest(address: int, memories: Sequence[KernelMemory]) -> KernelMemory | None:
    """Return the array that contains an address or is next to it; None if no array is near."""

    def distance(memory: KernelMemory) -> int:
        return max(memory.address - address, address - (memory.address + memory.nbytes - 1), 0)

    nearest = min(memories, key=distance, default=None) if address else None
    return nearest if nearest and distance(nearest) < FAR else None


def _index(fault: FaultStructure, memory: KernelMemory) -> tuple[int, ...]:
    """Compute the index of an address in an array; its first number may be out of bounds."""
    shared = memory.shared and fault.bytes  # whose elements have an unknown size
    rest = (fault.address - memory.address) // (fault.bytes if shared else memory.itemsize)
    index = []
    for length in reversed(memory.shape[1:]):
        rest, place = divmod(rest, length)
        index.append(place)
    return (rest, *reversed(index))


def _place(memory: KernelMemory, index: tuple[int, ...]) -> str:
    if memory.shared:  # its rows are not known
        return f"element {index[0]} of {memory.name}"
    return f"{memory.name} at {place_in_words(index)}"


def _race(fault: FaultStructure, place: str, other_line: SourceLine) -> str:
    """Describe as text two accesses that race with each other."""
    block = three(fault.other_block)
    in_block = "" if block == three(fault.block) else f" of block {block}"
    other = f"thread {three(fault.other_thread)}{in_block}"
    verb = "wrote" if fault.other_write else "read"
    line = f" in line {other_line.number}" if other_line.number else ""
    why = (
        "blocks run in any order"
        if in_block
        else "no __syncthreads() between them makes one wait for the other"
    )
    return f"{_verb(fault)} {place}, which {other} {verb}{line}; {why}"


def _verb(fault: FaultStructure) -> str:
    return "writes" if fault.write else "reads"


def _outside(fault: FaultStructure, memory: KernelMemory | None, index: tuple[int, ...]) -> str:
    if not memory:
        return f"{_verb(fault)} at address {fault.address:#x}, where there is no array"
    if memory.shared:
        size = f"has {memory.nbytes} byte{'s' * (memory.nbytes != 1)}"
    else:
        size = f"is {size_in_words(memory.shape)}"
    return f"{_verb(fault)} {_place(memory, index)}, outside of it: {memory.name} {size}"
