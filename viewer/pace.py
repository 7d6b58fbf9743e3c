"""When the next frame of a program is due: now, at some time, or once something happens."""

import math
import time
from collections.abc import Callable, Iterable

NEVER = math.inf
LINGERS = 0.6
"""Seconds of frames after something happened: tooltips and late results appear in that time."""
WATCHES = 0.25
"""Seconds that a loop waits at most until it looks at files that changed, and for the end."""


class Pace:
    """Decides whether a program needs a frame now.

    What needs frames by itself says so in one of two ways: ``rests`` is false while something moves
    or is computed, and ``dues`` holds the time of the next single frame, such as that in which a
    text cursor blinks.

    Args:
        rests: tells whether the picture stays as it is until something happens.
        dues: lists when something changes by itself even so, in seconds of ``time.perf_counter``;
            infinite: never. What changed before the last frame began is shown by that frame.
    """

    def __init__(self, rests: Callable[[], bool], dues: Callable[[], Iterable[float]]) -> None:
        self._rests, self._dues = rests, dues
        self._happened = self._began = time.perf_counter()

    def begin(self, *, happened: bool) -> None:
        """Note that a frame begins.

        Args:
            happened: whether there were events: then more frames are due for a moment.
        """
        self._began = time.perf_counter()
        if happened:
            self._happened = self._began

    def seconds(self) -> float:
        """Count the seconds until the next frame is due: 0 if it is now."""
        if not self._rests():
            self._happened = time.perf_counter()
            return 0.0
        now = time.perf_counter()
        if now - self._happened < LINGERS:
            return 0.0
        dues = (due for due in self._dues() if due > self._began)
        return max(min(dues, default=NEVER) - now, 0.0)
