"""Describe the faults of an emulated kernel in words, with the array and the place in it."""

from collections.abc import Mapping, Sequence

from wheatstone.gpu.emulation.report import (
    FAULTS,
    LaunchFault,
    place_in_words,
    size_in_words,
    three,
)
from wheatstone.gpu.emulation.structures import FaultStructure
from wheatstone.gpu.emulation.symbols import KernelMemory, SourceLine

FAR = 1 << 32
"""Bytes from an array on within which a wrong address is counted for it."""
UNKNOWN = SourceLine("", 0)


def describe(
    fault: FaultStructure, memories: Sequence[KernelMemory], lines: Mapping[int, SourceLine]
) -> LaunchFault:
    """Describe a fault that the scheduler or the checks reported."""
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
    """Find the array that an address belongs to, or the one next to it."""

    def distance(memory: KernelMemory) -> int:
        return max(memory.address - address, address - (memory.address + memory.nbytes - 1), 0)

    nearest = min(memories, key=distance, default=None) if address else None
    return nearest if nearest and distance(nearest) < FAR else None


def _index(fault: FaultStructure, memory: KernelMemory) -> tuple[int, ...]:
    """Compute the index of an address; the first one may be negative, or too large."""
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
    """Describe two accesses in words."""
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
