"""Show progress on standard error, for any work that takes more than a second.

On a terminal it is one line that is redrawn, and erased at the end; elsewhere, as in a log, it is a
plain line at intervals, and nothing for work that is done before the first interval has passed.
"""

import time
from contextlib import AbstractContextManager

from wheatstone.viewer.files.streams import erase_line, on_terminal, overwrite, say

AFTER = 1.0  # seconds until a terminal's line is drawn for the first time
AGAIN = 0.1  # seconds until it is drawn anew
LOGGED = 10.0  # seconds from plain line to plain line
BAR = 20  # characters


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """One line that shows the current activity and its progress.

    Args:
        after: seconds until a terminal's line is drawn for the first time.
    """

    def __init__(self, after: float = AFTER) -> None:
        self._began = self._drawn = time.monotonic()
        self._terminal = on_terminal()
        self._wait = after if self._terminal else LOGGED

    def show(self, said: str, share: float | None = None, *, at_once: bool = False) -> None:
        """Show the current activity, unless the line was shown too recently.

        Args:
            said: the activity in a few words.
            share: the fraction of it that is done, from 0 to 1; None if it is not known.
            at_once: draw it on a terminal in any case, because it may take long.
        """
        now = time.monotonic()
        if now - self._drawn < self._wait and not (at_once and self._terminal):
            return
        self._drawn, self._wait = now, AGAIN if self._terminal else LOGGED
        text = f"{said}{_percent(share)}, {now - self._began:.0f} s"
        if self._terminal:
            overwrite(f"{_bar(share)}{text}")
        else:
            say(text)

    def __exit__(self, *error: object) -> None:
        erase_line()


def _percent(share: float | None) -> str:
    return "" if share is None else f", {share:.0%}"


def _bar(share: float | None) -> str:
    """Draw a bar of the fraction that is done; empty if it is not known."""
    if share is None:
        return ""
    full = round(min(max(share, 0.0), 1.0) * BAR)
    return f"[{'#' * full}{'.' * (BAR - full)}] "
