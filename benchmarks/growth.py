"""Whether something that was counted again and again grows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 6  # counts of the second half, below which nothing is judged
# MiB that tell nothing: what is used for the first time; and of what the system sees also the
# half-empty pages of the heaps of threads, which come and go.
LITTLE = {"in use MiB": 12.0, "device MiB": 4.0, "resident MiB": 16.0, "anonymous MiB": 16.0}
CLOSE = 5  # what lies in the same fifth of the second half is close to each other
MOST_MIB = 1.0  # of memory in 1,000 frames
MOST_SHARE = 0.05  # of memory, from the first to the last count of the second half
MOST_OBJECTS = 0.05  # of Python's objects, likewise
AT_WORK = "at work MiB"  # told, not judged: what is shown decides it
MEMORY = tuple(LITTLE)


@dataclass(frozen=True)
class Growth:
    """What became of one thing counted, over the second half of the counts.

    Attributes:
        median: of the counts.
        slope: what comes in 1,000 frames, by counts of any distance; of memory, by counts close to
            each other: what is used for the first time takes a step, and that goes on for nothing.
        grown: what came from the first of them to the last, by counts of any distance.
        flat: whether that is little enough.
    """

    name: str
    median: float
    slope: float
    grown: float
    flat: bool


def growths(frames: Sequence[int], counts: Sequence[Mapping[str, float]]) -> list[Growth]:
    """Judge all that was counted at these frames; nothing if there are too few counts."""
    begin = len(counts) // 2
    if len(counts) - begin < FEWEST:
        return []
    at = np.array(frames[begin:], np.float64)
    return [
        judged(name, at, np.array([count[name] for count in counts[begin:]])) for name in counts[-1]
    ]


def judged(name: str, frames: NDArray[np.float64], counts: NDArray[np.float64]) -> Growth:
    """Judge the growth of one quantity; of memory, only the part that is never freed."""
    median = float(np.median(counts))
    if name in LITTLE:
        counts = np.minimum.accumulate(counts[::-1])[::-1]
    overall = theil_sen(frames, counts)
    slope = theil_sen(frames, counts, len(counts) // CLOSE) if name in LITTLE else overall
    grown = overall * float(frames[-1] - frames[0])
    return Growth(name, median, slope * 1000, grown, _flat(name, slope * 1000, grown, median))


def _flat(name: str, slope: float, grown: float, median: float) -> bool:
    """Tell whether a growth is none: of pieces not one, of memory next to nothing."""
    if name == AT_WORK:
        return True
    if name in LITTLE:
        return grown <= LITTLE[name] or (slope <= MOST_MIB and grown <= MOST_SHARE * abs(median))
    if name == "Python objects":
        return grown <= MOST_OBJECTS * median
    return grown < 0.5


def rows(listed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Write growths, as mappings of their fields, as a table."""
    yield f"{'':<18}{'median':>12}{'a 1,000 frames':>16}{'grown':>10}"
    for growth in listed:
        numbers = f"{growth['median']:>12.1f}{growth['slope']:>16.3f}{growth['grown']:>10.2f}"
        yield f"{growth['name']:<18}{numbers}{'' if growth['flat'] else '  GROWS'}"


def theil_sen(x: NDArray[np.float64], y: NDArray[np.float64], reach: int = 0) -> float:
    """Compute the median of the slopes between any two points: outliers do not move it.

    Args:
        reach: how many points lie between two at most; 0: any number.
    """
    first, second = np.triu_indices(len(x), 1)
    near = second - first <= (reach or len(x))
    first, second = first[near], second[near]
    return float(np.median((y[second] - y[first]) / (x[second] - x[first])))
