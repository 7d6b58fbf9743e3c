"""Show the progress of any task that takes more than a second, on standard error.

On a terminal it is one line that is redrawn, and erased at the end; elsewhere, as in a log, it is a
plain line at intervals, and nothing for work that is done before the first interval has passed.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from wheatstone.viewer.io.files.streams import erase_line, on_terminal, overwrite, say
from wheatstone.viewer.io.reading.plain_text import one_line

AFTER = 1.0  # seconds until a terminal's line is drawn for the first time
AGAIN = 0.1  # seconds until it is drawn again
LOGGED = 10.0  # seconds from plain line to plain line
BAR = 20  # characters
EVERY = 5.0  # seconds from one line to the next where there is no terminal
LONGEST = 60  # characters of what is measured, beside the bar


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """A line that shows the current activity, drawn on a terminal after some seconds."""

    def __init__(self, after: float = AFTER) -> None:
        self._began = self._drawn = time.monotonic()
        self._terminal = on_terminal()
        self._wait = after if self._terminal else LOGGED

    def show(self, message: str, share: float | None = None, *, at_once: bool = False) -> None:
        """Show the current activity, unless the line was updated very recently.

        Args:
            share: the fraction of it that is done, from 0 to 1; None if it is not known.
            at_once: draw it on a terminal in any case, because it may take long.
        """
        now = time.monotonic()
        if now - self._drawn < self._wait and not (at_once and self._terminal):
            return
        self._drawn, self._wait = now, AGAIN if self._terminal else LOGGED
        percent = "" if share is None else f", {share:.0%}"
        text = f"{message}{percent}, {now - self._began:.0f} s"
        if self._terminal:
            overwrite(f"{_bar(share)}{text}")
        else:
            say(text)

    def __exit__(self, *error: object) -> None:
        erase_line()


def _bar(share: float | None) -> str:
    if share is None:
        return ""
    full = round(min(max(share, 0.0), 1.0) * BAR)
    return f"[{'#' * full}{'.' * (BAR - full)}] "


class FrameBar(AbstractContextManager["FrameBar"]):
    """A frame counter: one redrawn line on a terminal, otherwise a new line every few seconds."""

    def __init__(self, total: int, what: str = "frames") -> None:
        self._what = what
        self._total, self._count, self._made = total, 0, 0
        self._began = self._printed_at = time.monotonic()
        self._line = ProgressLine(0.0) if on_terminal() else None

    def done(self, *, made: bool = True) -> None:
        """Count a frame; a skipped frame (not ``made``) is excluded from the rate."""
        self._count, self._made = self._count + 1, self._made + made
        now = time.monotonic()
        speed = pace(self._made, self._total - self._count, now - self._began, self._what)
        if self._line:
            self._line.show(f"{self._count} of {self._total}, {speed}", self._count / self._total)
        elif now - self._printed_at >= EVERY:
            self._printed_at = now
            say(f"[{self._count}/{self._total}] {speed}")

    def within(self, what: str, share: float) -> None:
        """Show which share of the current frame is computed, besides the count of frames."""
        if self._line:
            part = (self._count + share) / self._total
            self._line.show(f"{self._count} of {self._total}, {what}", part)
        elif (now := time.monotonic()) - self._printed_at >= LOGGED:
            self._printed_at = now
            say(f"[{self._count}/{self._total}] {what}")

    def __exit__(self, *error: object) -> None:
        if self._line:
            self._line.__exit__(*error)


def pace(made: int, left: int, seconds: float, what: str = "frames") -> str:
    """Format the rate of frames (or other items) per second and the remaining time."""
    if not made or seconds <= 0:
        return what
    return f"{made / seconds:.3g} {what}/s, {remaining(left * seconds / made)}"


def remaining(seconds: float) -> str:
    """Format the remaining time in minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} remaining"


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """A counter of measured rows, drawn only between measurements so as not to slow them.

    Args:
        left: returns the remaining seconds, None as long as they are unknown; None: never shown.
    """

    def __init__(self, total: int, left: Callable[[], float | None] | None = None) -> None:
        self._total, self._count, self._left = total, 0, left
        self._line = ProgressLine(0.0) if on_terminal() else None

    def begin(self, what: str) -> None:
        """Show the name of the row whose measurement begins."""
        if self._line:
            text = f"{self._count + 1} of {self._total}{self._time}: {one_line(what, LONGEST)}"
            self._line.show(text, self._count / max(self._total, 1), at_once=True)

    def within(self, what: str, share: float) -> None:
        """Show the completed share of the current row."""
        if self._line:
            part = (self._count + share) / max(self._total, 1)
            self._line.show(f"{self._count + 1} of {self._total}: {what}", part)

    def done(self, what: str, outcome: str) -> None:
        """Count a row and show its result."""
        self._count += 1
        if self._line:
            share = self._count / max(self._total, 1)
            self._line.show(f"{self._count} of {self._total}{self._time}", share)
        else:
            say(f"[{self._count}/{self._total}{self._time}] {what}: {outcome}")

    @property
    def _time(self) -> str:
        """Return the remaining time, after a comma; empty after the last step or if unknown."""
        seconds = self._left() if self._left and self._count < self._total else None
        return "" if seconds is None else f", {remaining(seconds)}"

    def __exit__(self, *error: object) -> None:
        if self._line:
            self._line.__exit__(*error)
