"""Scheduling of the window's frames: whether the next one is due now, later, or at an event."""

import math
import time
from collections.abc import Callable, Iterable

NEVER = math.inf
LINGERS = 0.6
"""Seconds of frames after an event: tooltips and late results appear in that time."""
WATCHES = 0.25
"""Maximum seconds that a loop waits before it checks for changed files and for the end."""


class Pace:
    """The schedule of a window's frames.

    Frames without events are requested in two ways: ``rests`` is False while something moves or is
    computed, and ``dues`` holds the time of the next single frame, such as that in which a text
    cursor blinks.

    Args:
        rests: returns whether the picture is still until an event.
        dues: returns the times when something changes without an event even so, in seconds of
            ``time.perf_counter``; infinite: never. Earlier changes are part of the last frame.
    """

    def __init__(self, rests: Callable[[], bool], dues: Callable[[], Iterable[float]]) -> None:
        self._rests, self._dues = rests, dues
        self._happened = self._began = time.perf_counter()

    def begin(self, *, happened: bool) -> None:
        """Record that a frame of the window begins now.

        Args:
            happened: whether there were events: then more frames are due for a short time.
        """
        self._began = time.perf_counter()
        if happened:
            self._happened = self._began

    def seconds(self) -> float:
        """Return the seconds until the next frame is due, 0 if it is due now."""
        if not self._rests():
            self._happened = time.perf_counter()
            return 0.0
        now = time.perf_counter()
        if now - self._happened < LINGERS:
            return 0.0
        dues = (due for due in self._dues() if due > self._began)
        return max(min(dues, default=NEVER) - now, 0.0)
