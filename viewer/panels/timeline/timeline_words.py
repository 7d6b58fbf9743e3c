"""The texts of the time line and their positions, as plain data."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.sources.frame import Source
from wheatstone.viewer.sources.times import clock_text, duration, frame_at, time_of

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
"""Seconds from one mark to the next."""
MARK_WIDTH = 8.0  # of the height of a letter, from one mark to the next at least


@dataclass(frozen=True)
class TimelineWords:
    """The texts above the time line.

    Attributes:
        place: time and frame shown, and how many there are.
        damaged: how many frames are damaged; empty while there is none.
    """

    place: str
    damaged: str


def timeline_words(state: ViewerState, source: Source) -> TimelineWords:
    """Describe which frame of a source is shown, and how many frames are damaged."""
    index = state.frame % source.length
    times = f"{clock_text(time_of(source, index))} / {clock_text(duration(source))}"
    one = "1 damaged frame" if source.damaged == 1 else f"{source.damaged} damaged frames"
    return TimelineWords(
        f"{times}   frame {index} of {source.length}",
        f"{one} so far" if source.damaged else "",
    )


def share_of(source: Source, index: int) -> float:
    """Compute where a frame begins on the time line, from 0 to 1."""
    return time_of(source, index) / (duration(source) or 1.0)


def frame_of(source: Source, share: float) -> int:
    """Return the frame at a position of the time line, from 0 to 1, clamped to the ends."""
    return frame_at(source, min(max(share, 0.0), 1.0) * duration(source))


def slots(source: Source, width: float, thumbnail: float) -> tuple[int, ...]:
    """List the frames in the middle of slots that fill the line, none wider than a thumbnail.

    Args:
        width, thumbnail: of the time line and of a thumbnail, in pixels.
    """
    count = math.ceil(width / max(thumbnail, 1.0))
    return tuple(frame_of(source, (number + 0.5) / count) for number in range(count))


def marks(source: Source, width: float, letter: float) -> Iterator[tuple[float, str]]:
    """List round times with their positions on the time line, from 0 to 1, as many as fit.

    Args:
        width: of the time line, in pixels.
        letter: height of a letter, in pixels.
    """
    whole = duration(source)
    most = max(1.0, width / (MARK_WIDTH * letter))
    step = next((step for step in STEPS if whole / step <= most), 0.0)
    if not step:
        return
    for number in range(int(whole / step) + 1):
        seconds = number * step
        text = clock_text(seconds)
        yield seconds / whole, text if step < 1 else text.partition(".")[0]
