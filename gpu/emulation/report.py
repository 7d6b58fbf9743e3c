"""The report of an emulated launch: faults, memory transactions and bank conflicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

FaultKind = Literal[
    "out of bounds", "uninitialised", "race", "barrier", "stack", "address", "stopped", "launch"
]
FAULTS: tuple[FaultKind, ...] = get_args(FaultKind)
"""In the order of ``FaultKind`` in runtime.hpp; ``launch`` is found before the kernel runs."""
Index3 = tuple[int, int, int]


def three(counts: Sequence[int]) -> Index3:
    """Complete one to three grid or block sizes to x, y and z; omitted sizes are 1."""
    x, y, z = (*counts, 1, 1)[:3]
    return x, y, z


def place_in_words(index: Sequence[int]) -> str:
    """Return the index of a pixel as text, the column first: ``x 3, y 5``."""
    if len(index) < 2:
        return ", ".join(f"index {number}" for number in index)
    y, x, *rest = index
    return ", ".join((f"x {x}", f"y {y}", *(f"index {number}" for number in rest)))


def size_in_words(shape: Sequence[int]) -> str:
    """Return the shape of an image as text, the width first: ``64 x 48``."""
    return " x ".join(map(str, (*reversed(shape[:2]), *shape[2:])))


@dataclass(frozen=True)
class LaunchFault:
    """A fault of a kernel that the emulation reports, or the reason why it was not launched.

    Attributes:
        message: a sentence with the array, the index and the thread.
        file, line: the statement; an empty name and 0 where it is not known.
        array: the array that was accessed; empty if there is none.
        index: along each axis of the array, which may lie outside it.
        thread, block: x, y and z; None before the kernel runs.
    """

    kind: FaultKind
    message: str
    file: str = ""
    line: int = 0
    array: str = ""
    index: tuple[int, ...] = ()
    thread: Index3 | None = None
    block: Index3 | None = None


@dataclass(frozen=True)
class AccessCount:
    """Counts of the accesses that one statement of a kernel makes to an array, in all blocks.

    Attributes:
        requests: accesses of a warp, in which all of its lanes take part at once.
        transactions: sectors of 32 bytes in global memory; passes over the banks in shared memory.
        least: transactions that the same lanes would need with consecutive addresses.
    """

    array: str
    file: str
    line: int
    write: bool
    requests: int
    transactions: int
    least: int


@dataclass(frozen=True)
class LaunchReport:
    """The outcome of an emulated kernel launch: faults and memory accesses.

    Attributes:
        faults: empty if the kernel ran to its end and, in a checked program, did nothing wrong.
        transactions: of global memory, counted by checked programs only.
        conflicts: of the banks of shared memory, counted by checked programs only.
        incomplete: whether accesses were skipped, because a block has too many.
        output: lines that the kernel printed.
    """

    faults: tuple[LaunchFault, ...] = ()
    transactions: tuple[AccessCount, ...] = ()
    conflicts: tuple[AccessCount, ...] = ()
    incomplete: bool = False
    output: tuple[str, ...] = ()
