"""The desktop's own file dialog; it runs as a separate program."""

import os
import shutil
from pathlib import Path
from typing import Any

PROGRAMS = ("zenity", "kdialog", "matedialog", "qarma")
"""Programs of desktops that show such a dialog; one of them is needed."""


def has_dialog() -> bool:
    """Return whether this machine has a desktop and a program that shows file dialogs."""
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(display) and any(map(shutil.which, PROGRAMS))


class FileDialog:
    """An open file dialog, of a folder or of files; the window continues while it is shown."""

    def __init__(self, begin: Path, *, folder: bool) -> None:
        from imgui_bundle import portable_file_dialogs as dialogs

        self._dialog: Any
        if folder:
            self._dialog = dialogs.select_folder("Open a folder", str(begin))
        else:
            many = dialogs.opt.multiselect
            title = "Open a left and a right view, both with Ctrl, or a file that holds both"
            self._dialog = dialogs.open_file(title, str(begin), ["All files", "*"], many)

    @property
    def done(self) -> bool:
        """Whether the user has chosen, or closed the dialog."""
        return bool(self._dialog.ready(0))

    def result(self) -> tuple[str, ...]:
        """Return the chosen paths, once the dialog is done; empty if it was closed.

        Raises:
            ValueError: a name is not UTF-8.
        """
        found = self._dialog.result()
        return tuple(filter(None, [found] if isinstance(found, str) else found))

    def close(self) -> None:
        """Close the dialog; harmless once it is done."""
        if not self.done:
            self._dialog.kill()
