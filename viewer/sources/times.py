"""Times at which a source's frames are shown: by time stamps, or at a constant rate."""

import math

import numpy as np

from wheatstone.viewer.sources.frame import Source


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
