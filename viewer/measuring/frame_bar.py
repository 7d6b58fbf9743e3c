"""Progress through the frames of a sequence, with rate and time left."""

import sys
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from viewer.files.streams import say

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

EVERY = 5.0  # seconds from one line to the next where there is no terminal


class FrameBar(AbstractContextManager["FrameBar"]):
    """A count of frames: a bar on a terminal, else a line every few seconds.

    Args:
        total: number of frames.
    """

    def __init__(self, total: int) -> None:
        self._total, self._count, self._made = total, 0, 0
        self._began = self._said = time.monotonic()
        self._bar: Bar | None = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            columns = (BarColumn(20), MofNCompleteColumn(), TextColumn("{task.description}"))
            console = Console(stderr=True)
            self._bar = Progress(*columns, console=console, auto_refresh=False, transient=True)
            self._task = self._bar.add_task("frames", total=total)
            self._bar.start()

    def done(self, *, made: bool = True) -> None:
        """Count a frame.

        Args:
            made: whether it was computed; one that was only passed over says nothing of the rate.
        """
        self._count, self._made = self._count + 1, self._made + made
        now = time.monotonic()
        said = pace(self._made, self._total - self._count, now - self._began)
        if self._bar:
            self._bar.update(self._task, advance=1, description=said, refresh=True)
        elif now - self._said >= EVERY:
            self._said = now
            say(f"[{self._count}/{self._total}] {said}")

    def __exit__(self, *error: object) -> None:
        if self._bar:
            self._bar.stop()


def pace(made: int, left: int, seconds: float) -> str:
    """Say how many frames a second were made, and how long those left will take."""
    if not made or seconds <= 0:
        return "frames"
    minutes, rest = divmod(round(left * seconds / made), 60)
    return f"{made / seconds:.3g} frames/s, {minutes}:{rest:02} left"
