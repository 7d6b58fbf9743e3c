"""Times at which frames are shown: by time stamps, at a constant rate, or from a file."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.matrices import number
from wheatstone.viewer.io.reading.regular_files import read_regular
from wheatstone.viewer.io.reading.typed_values import shown
from wheatstone.viewer.io.sources.frame import Source


def duration(source: Source) -> float:
    """Compute the duration of a source in seconds, including its last frame; 0 for a still."""
    if not source.rate:
        return 0.0
    if source.times is None:
        return source.length / source.rate
    return float(source.times[-1]) + 1 / source.rate


def time_of(source: Source, index: int) -> float:
    """Return the seconds from the first frame to frame ``index`` modulo ``length``."""
    index %= source.length
    if source.times is not None:
        return float(source.times[index])
    return index / source.rate if source.rate else 0.0


def frame_at(source: Source, seconds: float) -> int:
    """Return the frame shown ``seconds`` after the first one; after the end, the last frame."""
    if not source.rate or seconds <= 0:
        return 0
    if source.times is None:
        return min(int(seconds * source.rate), source.length - 1)
    return max(int(np.searchsorted(source.times, seconds, side="right")) - 1, 0)


def frames_due(source: Source, index: int, seconds: float) -> int:
    """Count the frames by which a source advances in the seconds after a frame was shown.

    After the last frame the first one follows.

    Args:
        index: of that frame, modulo ``length``.
        seconds: since it was shown.
    """
    if not source.rate:
        return 0
    if source.times is None:
        return int(seconds * source.rate)
    index %= source.length
    rounds, left = divmod(time_of(source, index) + seconds, duration(source))
    return int(rounds) * source.length + frame_at(source, left) - index


def seconds_until(source: Source, index: int, frames: int) -> float:
    """Compute the seconds from frame ``index`` to the one that is ``frames`` later."""
    if source.times is None:
        return frames / source.rate
    index %= source.length
    rounds, last = divmod(index + frames, source.length)
    return rounds * duration(source) + time_of(source, last) - time_of(source, index)


def clock_text(seconds: float) -> str:
    """Format a time as minutes and seconds, such as ``1:02.50``, with hours if needed."""
    hundredths = math.floor(seconds * 100 + 1e-6)
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    begin = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{begin}:{rest / 100:05.2f}"


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
