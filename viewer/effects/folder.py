"""The effect that opens the folder of screenshots in the desktop's file manager."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from wheatstone.viewer.effects.program import ProgramActions
from wheatstone.viewer.reading.plain_text import label

PATIENCE = 3.0  # seconds in which an opener that fails does so; one that goes on has opened it


def open_folder(app: ProgramActions) -> None:
    """Open the folder of saved pictures, in the background."""
    folder = app.state.bounds.folder
    app.beside.write("folder", lambda: show_folder(folder), app.state.confirm)


def show_folder(folder: Path) -> str:
    """Open a folder in the desktop's file manager; return a message.

    Raises:
        OSError: there is no desktop, or no such file manager, or it fails.
    """
    opener = {"darwin": "open", "win32": "explorer"}.get(sys.platform, "xdg-open")
    seen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if opener == "xdg-open" and not seen:
        raise OSError(f"no desktop here could show {label(str(folder))}")
    if not (program := shutil.which(opener)):
        raise OSError(f"{opener} is not installed, which would show {label(str(folder))}")
    nowhere = subprocess.DEVNULL
    running = subprocess.Popen(
        [program, str(folder)],
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        start_new_session=True,
    )
    try:
        code = running.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        code = 0
    if code and opener != "explorer":  # which returns 1 when all is well
        raise OSError(f"{opener} could not show {label(str(folder))} (exit code {code})")
    return f"opened {named(folder)}"


def named(folder: Path) -> str:
    """Return a folder's name for the user, with a tilde for the user's home folder."""
    home = Path.home()
    inside = folder != home and folder.is_relative_to(home)
    return label(f"~/{folder.relative_to(home)}" if inside else str(folder))
