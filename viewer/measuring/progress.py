"""Progress on standard error: a bar on a terminal, else a line for each row measured."""

import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from viewer.files.streams import say
from viewer.reading.plain_text import one_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

LONGEST = 60  # characters of what is measured, beside the bar


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """A count of rows measured, drawn between measurements only so that these lose no time."""

    def __init__(self, total: int) -> None:
        self._total, self._count = total, 0
        self._bar: Bar | None = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            described = TextColumn("{task.description}", markup=False)
            columns = (BarColumn(20), MofNCompleteColumn(), described)
            console = Console(stderr=True)
            self._bar = Progress(*columns, console=console, auto_refresh=False, transient=True)
            self._task = self._bar.add_task("", total=total)
            self._bar.start()

    def begin(self, what: str) -> None:
        """Show what is measured now."""
        if self._bar:
            self._bar.update(self._task, description=one_line(what, LONGEST), refresh=True)

    def done(self, what: str, found: str) -> None:
        """Count a row and show what was found."""
        self._count += 1
        if self._bar:
            self._bar.update(self._task, advance=1, refresh=True)
        else:
            say(f"[{self._count}/{self._total}] {what}: {found}")

    def __exit__(self, *error: object) -> None:
        if self._bar:
            self._bar.stop()
