"""Show the progress through rows: drawn on a terminal between rows, else a line for each."""

from contextlib import AbstractContextManager

from wheatstone.viewer.files.streams import on_terminal, say
from wheatstone.viewer.measuring.progress_line import ProgressLine
from wheatstone.viewer.reading.plain_text import one_line

LONGEST = 60  # characters of what is measured, beside the bar


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """A counter of measured rows, drawn only between measurements so as not to slow them."""

    def __init__(self, total: int) -> None:
        self._total, self._count = total, 0
        self._line = ProgressLine(0.0) if on_terminal() else None

    def begin(self, what: str) -> None:
        """Show the name of the row that is measured now."""
        if self._line:
            said = f"{self._count + 1} of {self._total}: {one_line(what, LONGEST)}"
            self._line.show(said, self._count / max(self._total, 1), at_once=True)

    def done(self, what: str, found: str) -> None:
        """Count a row and show its result."""
        self._count += 1
        if self._line:
            self._line.show(f"{self._count} of {self._total}", self._count / max(self._total, 1))
        else:
            say(f"[{self._count}/{self._total}] {what}: {found}")

    def __exit__(self, *error: object) -> None:
        if self._line:
            self._line.__exit__(*error)
