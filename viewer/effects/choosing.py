"""Let the user choose files to open: in the desktop's dialog, or by typing a path."""

from pathlib import Path

from wheatstone.viewer.choices.dialogs import Palette
from wheatstone.viewer.effects.program import ProgramActions
from wheatstone.viewer.keys.palette.entries import OPEN
from wheatstone.viewer.screen.file_dialog import FileDialog, has_dialog


def open_file(app: ProgramActions) -> None:
    """Let the user choose files, which are opened like dropped ones."""
    _ask(app, folder=False)


def open_folder(app: ProgramActions) -> None:
    """Let the user choose a folder, which is opened like a dropped one."""
    _ask(app, folder=True)


def type_path(app: ProgramActions) -> None:
    """Let the user type the path of a file to open."""
    app.state.palette = Palette(f"{_folder(app)}/".replace("//", "/"), asks=OPEN)


def _ask(app: ProgramActions, *, folder: bool) -> None:
    """Open the file dialog; without one, let the user type a path."""
    if app.dialog:
        app.state.hint("a dialog is open already")
    elif has_dialog():
        app.dialog = FileDialog(_folder(app), folder=folder)
        app.state.keys_for_dialog = True
        app.state.effects.append(("take files",))
    else:
        type_path(app)


def take_files(app: ProgramActions) -> None:
    """Open the files chosen in the dialog, or check again after the next frame."""
    dialog = app.dialog
    if dialog and not dialog.done:
        app.state.effects.append(("take files",))
    elif dialog:
        app.dialog, app.state.keys_for_dialog = None, False
        if paths := dialog.result():
            app.state.effects.append(("open", *paths))


def close_dialog(app: ProgramActions) -> None:
    """Close the desktop's dialog without a choice."""
    if app.dialog:
        app.dialog.close()
    app.dialog, app.state.keys_for_dialog = None, False


def _folder(app: ProgramActions) -> Path:
    """Return the folder to look in first: the source's, else the one for written files."""
    left, bounds = app.session.source.recipe.get("left"), app.state.bounds
    beside = Path(str(left)).absolute().parent if left else bounds.folder
    return beside if beside.is_dir() and bounds.holds(beside) else bounds.folder.absolute()
