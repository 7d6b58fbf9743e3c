"""What errands know of the program that runs them."""

from pathlib import Path
from typing import Protocol

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.desk import Desk
from wheatstone.viewer.frames.beside import BackgroundTasks
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.screen.file_dialog import FileDialog
from wheatstone.viewer.sources.frame import Source


class Clipboard(Protocol):
    """A window, as far as errands know one."""

    def set_clipboard(self, text: str) -> None:
        """Put a text into the clipboard."""
        ...

    def offer(self, path: Path) -> None:
        """Offer a file that was written; called on the thread that wrote it."""
        ...


class ProgramActions(Protocol):
    """The program that runs errands: ``viewer.app.App``.

    Attributes:
        dialog: the dialog in which the user chooses files just now; None while there is none.
    """

    dialog: FileDialog | None

    @property
    def state(self) -> ViewerState:
        """Look up what the user chose."""
        ...

    @property
    def session(self) -> Session:
        """Look up the frames shown, and what computes them."""
        ...

    @property
    def desk(self) -> Desk:
        """Look up the panels."""
        ...

    @property
    def window(self) -> Clipboard:
        """Look up the window."""
        ...

    @property
    def beside(self) -> BackgroundTasks:
        """Look up what opens and writes beside the display."""
        ...

    @property
    def stands(self) -> bool:
        """Tell whether what is chosen is computed and shown."""
        ...

    def open_source(self, source: Source, *, keep_look: bool = False) -> None:
        """Show another source.

        Args:
            keep_look: whether frame, zoom and frozen B stay.
        """
        ...
