"""The interface through which effects (actions) access the program and its window."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.background_tasks import BackgroundTasks
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.file_dialog import FileDialog
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.window.browser_server import BrowserServer
from wheatstone.viewer.window.window_layout import WindowLayout


class Clipboard(Protocol):
    """The interface of the window for effects (actions): the clipboard and written files."""

    def set_clipboard(self, text: str) -> None:
        """Copy a text to the clipboard."""
        ...

    def copy_picture(self, pixels: NDArray[np.uint8]) -> None:
        """Copy an RGB picture to the clipboard. Raises ``Unavailable`` if impossible."""
        ...

    def offer(self, path: Path) -> None:
        """Offer a written file for download; called on the thread that wrote it."""
        ...


class ProgramActions(Protocol):
    """The interface of the program for effects (actions); ``viewer.window.app.App`` implements it.

    Attributes:
        background: the tasks that open and write in the background.
        dialog: the open dialog in which the user chooses files; None without one.
        browser: the server that shows a copy of the window in a browser; None without one.
    """

    state: ViewerState
    session: Session
    layout: WindowLayout
    background: BackgroundTasks
    dialog: FileDialog | None
    browser: BrowserServer | None

    @property
    def window(self) -> Clipboard: ...

    @property
    def stands(self) -> bool:
        """Return whether the chosen view is computed and shown."""
        ...

    def open_source(
        self, source: Source, *, keep_look: bool = False, replaces: bool = False
    ) -> None:
        """Show another source, or the same one with other options; see ``App.open_source``."""
        ...

    def change_sources(
        self, change: Callable[[], None], *, keep_look: bool = False, keep_zoom: bool = False
    ) -> None:
        """Call a function that changes the list of open sources; see ``App.change_sources``."""
        ...
