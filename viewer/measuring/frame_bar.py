"""Show the progress through the frames of a sequence, with rate and remaining time."""

import time
from contextlib import AbstractContextManager

from wheatstone.viewer.files.streams import on_terminal, say
from wheatstone.viewer.measuring.progress_line import ProgressLine

EVERY = 5.0  # seconds from one line to the next where there is no terminal


class FrameBar(AbstractContextManager["FrameBar"]):
    """A frame counter: one line that is redrawn on a terminal, else a new line every few seconds.

    Args:
        total: number of frames.
        what: the plural noun for them.
    """

    def __init__(self, total: int, what: str = "frames") -> None:
        self._what = what
        self._total, self._count, self._made = total, 0, 0
        self._began = self._said = time.monotonic()
        self._line = ProgressLine(0.0) if on_terminal() else None

    def done(self, *, made: bool = True) -> None:
        """Count a frame.

        Args:
            made: whether it was computed; a skipped frame does not count for the rate.
        """
        self._count, self._made = self._count + 1, self._made + made
        now = time.monotonic()
        said = pace(self._made, self._total - self._count, now - self._began, self._what)
        if self._line:
            self._line.show(f"{self._count} of {self._total}, {said}", self._count / self._total)
        elif now - self._said >= EVERY:
            self._said = now
            say(f"[{self._count}/{self._total}] {said}")

    def __exit__(self, *error: object) -> None:
        if self._line:
            self._line.__exit__(*error)


def pace(made: int, left: int, seconds: float, what: str = "frames") -> str:
    """Describe the rate of frames (or other items) per second, and the remaining time."""
    if not made or seconds <= 0:
        return what
    minutes, rest = divmod(round(left * seconds / made), 60)
    return f"{made / seconds:.3g} {what}/s, {minutes}:{rest:02} left"
