"""The desktop's own file dialog, which runs as a separate program."""

import os
import shutil
from pathlib import Path
from typing import Any

from wheatstone.viewer.choices.file_choices import FILE_CHOICES, FileChoice

PROGRAMS = ("zenity", "kdialog", "matedialog", "qarma")
"""Programs of desktops that show such a dialog; one of them is needed."""
MANY = FILE_CHOICES["path"].asks, FILE_CHOICES["pair"].asks
"""The purposes for which two files may be chosen at once."""


def has_dialog() -> bool:
    """Return whether this machine has a desktop and a program that shows file dialogs."""
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(display) and any(map(shutil.which, PROGRAMS))


class FileDialog:
    """An open file dialog, of a folder or of files; the window continues while it is shown."""

    def __init__(self, begin: Path, files: FileChoice | None = None) -> None:
        """Show the file dialog.

        Args:
            begin: the folder to look in first.
            files: the files to choose; None: a folder is chosen.
        """
        from imgui_bundle import portable_file_dialogs as dialogs

        self._dialog: Any
        if files is None:
            self._dialog = dialogs.select_folder("Open a folder", str(begin))
            return
        title = files.asks.removesuffix(" ...").capitalize()
        if files.asks in MANY:
            title = "Open a left and a right view (select both with Ctrl), or a file with both"
        patterns = " ".join(f"*{suffix}" for suffix in files.suffixes)
        kinds = [title, patterns] if patterns else []
        many = dialogs.opt.multiselect
        self._dialog = dialogs.open_file(title, str(begin), [*kinds, "All files", "*"], many)

    @property
    def done(self) -> bool:
        """Whether the user has chosen a file or closed the dialog."""
        return bool(self._dialog.ready(0))

    def result(self) -> tuple[str, ...]:
        """Return the chosen paths, once the dialog is done; empty if it was closed.

        Raises:
            ValueError: a name is not UTF-8.
        """
        paths = self._dialog.result()
        return tuple(filter(None, [paths] if isinstance(paths, str) else paths))

    def close(self) -> None:
        """Close the dialog; do nothing if the user has already ended it."""
        if not self.done:
            self._dialog.kill()
