"""Times at which frames are shown: by time stamps, at a constant rate, or from a file."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
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
RATE = 10.0
"""Pairs per second of folders without times: the rate of KITTI's recordings."""
NANOSECONDS = 1e9


STAMPED = re.compile(r"(?:19|20)\d\d-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?", re.ASCII)
"""A line of KITTI's ``timestamps.txt``."""
WHOLE = re.compile(r"\d{1,19}", re.ASCII)
LISTED = "data.csv"
"""The times of the images in EuRoC and TUM-VI: a line per image, nanoseconds and file name."""
NUMBERED = "timestamps.txt", "times.txt"
"""The times of KITTI raw and KITTI odometry: a line per image, from that of number 0."""


Times = tuple[Path, list[float]]
"""A file, and the times in it in seconds since any moment."""


@dataclass(frozen=True, eq=False)
class FolderPace:
    """The pace of a folder's pairs: the times at which they are shown.

    Attributes:
        times: (count,) seconds from the first pair, rising; None: pairs are shown at ``rate``.
        rate: pairs per second; 0 for a single pair.
        note: why times that exist are not used; empty: no note.
    """

    times: NDArray[np.float64] | None
    rate: float
    note: str = ""


def pace_of(folder: Path, lefts: Sequence[Path]) -> FolderPace:
    """Read the times of the pairs in a folder from a file, or return a constant rate.

    Args:
        folder: that of the recording or the data set.
        lefts: the left images, in order.
    """
    constant = FolderPace(None, RATE if len(lefts) > 1 else 0.0)
    if len(lefts) < 2:
        return constant
    try:
        recorded = _recorded(folder, len(lefts)) or _of_data_set(lefts)
        if not recorded:
            return constant
        path, times = recorded
        late = next((at for at, (one, two) in enumerate(pairwise(times)) if two <= one), None)
        if late is not None:
            raise ValueError(f"{path}: pair {late + 1} is not later than the one before it")
    except (OSError, ValueError) as error:
        return FolderPace(None, RATE, f"{error}; pairs are shown {RATE:g} a second")
    seconds = np.array(times) - times[0]
    return FolderPace(seconds, (len(times) - 1) / float(seconds[-1]))


def _recorded(folder: Path, count: int) -> Times | None:
    """Read the times of a folder that this program recorded; None for other folders.

    A recording that was killed may lack the time of its last pair: it is then extrapolated from
    the two times before it.
    """
    path = folder / TIMES
    if not path.is_file():
        return None
    lines = _lines(path)
    if lines[:1] != [HEADER]:
        raise ValueError(f"{path}: the first line is not {HEADER}")
    try:
        seconds = [_time(line, index) for index, line in enumerate(lines[1:])]
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if len(seconds) == count - 1 and count > 2:
        seconds.append(2 * seconds[-1] - seconds[-2])
    if len(seconds) != count:
        raise ValueError(f"{path}: {len(seconds)} times of {count} pairs")
    return path, seconds


def _lines(path: Path) -> list[str]:
    return read_regular(path, MOST_BYTES).decode("utf-8", "replace").splitlines()


def _time(line: str, index: int) -> float:
    name, _, text = line.partition(",")
    seconds = number(text)
    if name != str(index) or seconds is None:
        raise ValueError(f"{shown(line)} is not a time of pair {index} (line {index + 2})")
    return seconds


def _of_data_set(lefts: Sequence[Path]) -> Times | None:
    """Read the times of left images from a data set's file of times.

    Returns:
        None if there is no such file, or the images lie in several folders.
    """
    places = {left.parent for left in lefts}
    above = places.pop().parent
    if places:
        return None
    path = next((p for name in (LISTED, *NUMBERED) if (p := above / name).is_file()), None)
    if path is None:
        return None
    if path.name == LISTED:
        rows = [line.partition(",") for line in _lines(path) if not line.startswith("#")]
        stamps = {name.strip(): stamp.strip() for stamp, _, name in rows}
        texts = [stamps.get(left.name, "") for left in lefts]
        whole = [int(text) if WHOLE.fullmatch(text) else None for text in texts]
    else:
        lines = dict(enumerate(_lines(path)))
        names = [left.stem for left in lefts]
        texts = [lines.get(int(n) if WHOLE.fullmatch(n) else -1, "").strip() for n in names]
        whole = [_nanoseconds(text) for text in texts]
    known = [stamp for stamp in whole if stamp is not None]
    if len(known) < len(lefts):
        raise ValueError(f"{path}: no time of {lefts[whole.index(None)].name}")
    return path, [(stamp - known[0]) / NANOSECONDS for stamp in known]


def _nanoseconds(text: str) -> int | None:
    """Convert a time, in seconds or as a date, to nanoseconds; None for other texts."""
    if STAMPED.fullmatch(text):
        try:
            return int(np.datetime64(text.replace(" ", "T"), "ns").astype(np.int64))
        except ValueError:  # such as a 13th month
            return None
    seconds = number(text)
    known = seconds is not None and abs(seconds) * NANOSECONDS < np.iinfo(np.int64).max
    return round(seconds * NANOSECONDS) if seconds is not None and known else None
