"""Show the progress of any task that takes more than a second, on standard error.

On a terminal it is one line that is redrawn, and erased at the end; elsewhere, as in a log, it is a
plain line at intervals, and nothing for work that is done before the first interval has passed.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from wheatstone.viewer.io.files.streams import erase_line, on_terminal, overwrite, say
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.words import duration, progress_words

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
        text = f"{message}, {progress_words(share, now - self._began, even=False)}"
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
    """A frame counter: one redrawn line on a terminal, otherwise a new line every few seconds.

    Args:
        what: the noun of the items counted, in the plural.
        untimed: the number of first results without effect on the rate, because their time includes
            compilation: as many as are computed at the same time.
    """

    def __init__(self, total: int, what: str = "frames", untimed: int = 1) -> None:
        self._what, self._untimed = what, untimed
        self._total, self._count, self._made = total, 0, 0
        self._began = self._printed_at = time.monotonic()
        self._line = ProgressLine(0.0) if on_terminal() else None

    def done(self, *, made: bool = True) -> None:
        """Count a frame; a skipped frame (not ``made``) is excluded from the rate."""
        self._count, self._made = self._count + 1, self._made + made
        now = time.monotonic()
        if self._made <= self._untimed:
            self._began = now
        timed, remaining = self._made - self._untimed, self._total - self._count
        text = self._counted + pace(timed, remaining, now - self._began, self._what)
        if self._line:
            self._line.show(text, self._count / self._total)
        elif now - self._printed_at >= EVERY:
            self._printed_at = now
            say(text)

    def within(self, what: str, share: float) -> None:
        """Show which fraction of the current frame is computed, besides the count of frames."""
        if self._line:
            self._line.show(f"{self._counted}, {what}", (self._count + share) / self._total)
        elif (now := time.monotonic()) - self._printed_at >= LOGGED:
            self._printed_at = now
            say(f"{self._counted}, {what}")

    @property
    def _counted(self) -> str:
        return f"{self._count} of {self._total} {self._what}"

    def __exit__(self, *error: object) -> None:
        if self._line:
            self._line.__exit__(*error)


def pace(timed: int, remaining: int, seconds: float, what: str = "frames") -> str:
    """Format the rate of frames (or other items) and the remaining time; empty if unknown.

    Args:
        timed: the number of frames made in ``seconds``.
    """
    if timed <= 0 or seconds <= 0:
        return ""
    rest = f", about {duration(max(remaining * seconds / timed, 1))} more" if remaining else ""
    return f", {timed / seconds:.3g} {what}/s{rest}"


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """A progress display of measured rows, drawn between measurements so as not to slow them.

    Args:
        rest: returns the remaining seconds, None while they are unknown; None: never shown.
    """

    def __init__(self, total: int, rest: Callable[[], float | None] | None = None) -> None:
        self._total, self._count, self._rest = total, 0, rest
        self._line = ProgressLine(0.0) if on_terminal() else None

    def begin(self, what: str) -> None:
        """Show the configuration and variant measured next, or the work after the last of them."""
        if self._line:
            self._show(one_line(what, LONGEST), 0.0, at_once=True)

    def within(self, what: str, share: float) -> None:
        """Show the completed fraction of the current measurement."""
        if self._line:
            self._show(what, share)

    def _show(self, what: str, share: float, *, at_once: bool = False) -> None:
        assert self._line
        if self._count >= self._total:
            self._line.show(what, at_once=at_once)
        else:
            part = (self._count + share) / self._total
            text = f"{self._count + 1} of {self._total}{self._time}: {what}"
            self._line.show(text, part, at_once=at_once)

    def done(self, what: str, outcome: str) -> None:
        """Count a completed measurement and show its result."""
        self._count += 1
        if self._line:
            share = self._count / max(self._total, 1)
            self._line.show(f"{self._count} of {self._total} done{self._time}", share)
        else:
            say(f"[{self._count}/{self._total}{self._time}] {what}: {outcome}")

    @property
    def _time(self) -> str:
        """Return the remaining time, after a comma; empty after the last step or if unknown."""
        seconds = self._rest() if self._rest and self._count < self._total else None
        return "" if seconds is None else f", about {duration(max(seconds, 1))} more"

    def __exit__(self, *error: object) -> None:
        if self._line:
            self._line.__exit__(*error)
