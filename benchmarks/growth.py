"""Judge by repeated counts whether the memory and other resources of a process grow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 6  # counts that the second half needs to be judged
# MiB of growth that are always allowed, for memory that is used for the first time; numbers of the
# system also include the half-empty pages of the heaps of threads, which come and go.
LITTLE = {"in use MiB": 12.0, "device MiB": 4.0, "resident MiB": 16.0, "anonymous MiB": 16.0}
CLOSE = 5  # counts are close if they are at most a fifth of the second half apart
MOST_MIB = 1.0  # allowed growth of memory per 1,000 frames
MOST_SHARE = 0.05  # allowed growth of memory over the second half, as a share
MOST_OBJECTS = 0.05  # allowed growth of the number of Python objects over the second half
AT_WORK = "at work MiB"  # reported but not judged: it depends on what the window shows
MEMORY = tuple(LITTLE)


@dataclass(frozen=True)
class Growth:
    """The growth of one counted quantity over the second half of the counts.

    Attributes:
        median: median of the counts.
        slope: growth per 1,000 frames, from all pairs of counts; for memory, from pairs of close
            counts, because memory that is used for the first time is a single step.
        grown: growth from the first of these counts to the last, from all pairs of counts.
        flat: whether the growth is small enough.
    """

    name: str
    median: float
    slope: float
    grown: float
    flat: bool


def growths(frames: Sequence[int], counts: Sequence[Mapping[str, float]]) -> list[Growth]:
    """Judge every quantity counted at these frames; return [] if the counts are too few."""
    begin = len(counts) // 2
    if len(counts) - begin < FEWEST:
        return []
    at = np.array(frames[begin:], np.float64)
    return [
        judge(name, at, np.array([count[name] for count in counts[begin:]])) for name in counts[-1]
    ]


def judge(name: str, frames: NDArray[np.float64], counts: NDArray[np.float64]) -> Growth:
    """Judge the growth of one quantity; of memory, only the part that is never freed."""
    median = float(np.median(counts))
    if name in LITTLE:
        counts = np.minimum.accumulate(counts[::-1])[::-1]
    overall = theil_sen(frames, counts)
    slope = theil_sen(frames, counts, len(counts) // CLOSE) if name in LITTLE else overall
    grown = overall * float(frames[-1] - frames[0])
    return Growth(name, median, slope * 1000, grown, _flat(name, slope * 1000, grown, median))


def _flat(name: str, slope: float, grown: float, median: float) -> bool:
    """Return whether a growth is small enough: less than half a piece, or little memory."""
    if name == AT_WORK:
        return True
    if name in LITTLE:
        return grown <= LITTLE[name] or (slope <= MOST_MIB and grown <= MOST_SHARE * abs(median))
    if name == "Python objects":
        return grown <= MOST_OBJECTS * median
    return grown < 0.5


def rows(listed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table of growths, which are mappings of their fields."""
    yield f"{'':<18}{'median':>12}{'per 1,000 frames':>18}{'grown':>10}"
    for growth in listed:
        numbers = f"{growth['median']:>12.1f}{growth['slope']:>18.3f}{growth['grown']:>10.2f}"
        yield f"{growth['name']:<18}{numbers}{'' if growth['flat'] else '  GROWS'}"


def theil_sen(x: NDArray[np.float64], y: NDArray[np.float64], reach: int = 0) -> float:
    """Return the median of the slopes between pairs of points (Theil-Sen), robust to outliers.

    Args:
        reach: largest distance between the indices of a pair; 0: any distance.
    """
    first, second = np.triu_indices(len(x), 1)
    near = second - first <= (reach or len(x))
    first, second = first[near], second[near]
    return float(np.median((y[second] - y[first]) / (x[second] - x[first])))
