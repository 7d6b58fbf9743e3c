"""When the frames of a source are shown: by their time stamps, or evenly apart."""

import math

import numpy as np

from wheatstone.viewer.sources.frame import Source


def duration(source: Source) -> float:
    """Compute how many seconds a source lasts, its last frame included; 0 for a still."""
    if not source.rate:
        return 0.0
    if source.times is None:
        return source.length / source.rate
    return float(source.times[-1]) + 1 / source.rate


def time_of(source: Source, index: int) -> float:
    """Look up the seconds from the first frame to frame ``index`` modulo ``length``."""
    index %= source.length
    if source.times is not None:
        return float(source.times[index])
    return index / source.rate if source.rate else 0.0


def frame_at(source: Source, seconds: float) -> int:
    """Find the frame that is shown so many seconds after the first; the last one after the end."""
    if not source.rate or seconds <= 0:
        return 0
    if source.times is None:
        return min(int(seconds * source.rate), source.length - 1)
    return max(int(np.searchsorted(source.times, seconds, side="right")) - 1, 0)


def frames_due(source: Source, index: int, seconds: float) -> int:
    """Count by how many frames a source has moved on, a time after a frame came up.

    After the last frame the first one follows.

    Args:
        index: of that frame, modulo ``length``.
        seconds: since it came up.
    """
    if not source.rate:
        return 0
    if source.times is None:
        return int(seconds * source.rate)
    index %= source.length
    rounds, left = divmod(time_of(source, index) + seconds, duration(source))
    return int(rounds) * source.length + frame_at(source, left) - index


def seconds_until(source: Source, index: int, frames: int) -> float:
    """Compute the seconds from one frame to another one, so many frames later."""
    if source.times is None:
        return frames / source.rate
    index %= source.length
    rounds, last = divmod(index + frames, source.length)
    return rounds * duration(source) + time_of(source, last) - time_of(source, index)


def clock_text(seconds: float) -> str:
    """Write a time as minutes and seconds, such as ``1:02.50``; with hours where there are any."""
    hundredths = math.floor(seconds * 100 + 1e-6)
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    begin = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{begin}:{rest / 100:05.2f}"
