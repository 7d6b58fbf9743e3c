"""Reading of ``times.csv`` in a recorded folder: the time of each pair."""

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.reading.matrices import number
from wheatstone.viewer.reading.regular_files import read_regular
from wheatstone.viewer.reading.typed_values import shown

TIMES = "times.csv"
"""``HEADER``, then a line per pair: its number, and seconds since the recording began."""
HEADER = "frame,seconds"
MOST_BYTES = 2**24  # half a million pairs


def read_times(folder: Path, count: int) -> NDArray[np.float64] | None:
    """Read the times of the pairs of a recorded folder.

    A recording that was killed may lack the time of its last pair: it is then extrapolated from
    the two times before it.

    Args:
        count: number of pairs.

    Returns:
        (count,) float64, seconds from the first pair, rising; None if there is no such file.

    Raises:
        OSError, ValueError: the file cannot be read, or lacks the time of a pair.
    """
    path = folder / TIMES
    if count < 2 or not path.is_file():
        return None
    text = read_regular(path, MOST_BYTES).decode("utf-8", "replace")
    try:
        seconds = _parse(text)
        if len(seconds) == count - 1 and count > 2:
            seconds.append(2 * seconds[-1] - seconds[-2])
        if len(seconds) != count:
            raise ValueError(f"{len(seconds)} times of {count} pairs")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return np.array(seconds) - seconds[0]


def _parse(text: str) -> list[float]:
    lines = text.splitlines()
    if not lines or lines[0] != HEADER:
        raise ValueError(f"the first line is not {HEADER}")
    seconds = [_time(line, index) for index, line in enumerate(lines[1:])]
    for index, (before, after) in enumerate(pairwise(seconds)):
        if after <= before:
            raise ValueError(f"pair {index + 1} is not later than the one before it")
    return seconds


def _time(line: str, index: int) -> float:
    name, _, said = line.partition(",")
    found = number(said)
    if name != str(index) or found is None:
        raise ValueError(f"{shown(line)} is not a time of pair {index} (line {index + 2})")
    return found
