"""Actions (effects) that write files: pictures, values, clouds, recordings and settings.

Also effects that copy to the clipboard, and that open written files.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.state import FITTED
from wheatstone.viewer.choices.zooming import fit_unmoved
from wheatstone.viewer.display.frames.latest import begin_cloud
from wheatstone.viewer.display.frames.recording import NOTHING_RECORDED
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.findings import Button
from wheatstone.viewer.io.files.cloud import write_cloud
from wheatstone.viewer.io.files.output import unused_stem, whole_file
from wheatstone.viewer.io.files.values import write_values
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.io.reading.plain_text import in_shell, label
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.command_line import command_line
from wheatstone.viewer.settings.live_views import ENDINGS, live_views, with_views
from wheatstone.viewer.settings.recipe import recipe_of
from wheatstone.viewer.settings.screenshot import write_screenshot
from wheatstone.viewer.window.effects.program import ProgramActions

PATIENCE = 3.0  # seconds in which an opener that fails does so; one that goes on has opened it


def open_folder(app: ProgramActions) -> None:
    """Open the folder of saved pictures in the desktop's file manager, in the background."""
    folder = app.state.bounds.folder
    _show(app, folder)


def show_file(app: ProgramActions, name: str) -> None:
    """Open a written file, or its folder, in the desktop's program, in the background.

    Raises:
        ValueError: it lies where nothing may be opened.
    """
    app.state.bounds.require(name)
    _show(app, Path(name))


def edit_file(app: ProgramActions, name: str, line: str) -> None:
    """Open a file at a line in the user's editor, in the background.

    Raises:
        ValueError: it lies where nothing may be opened.
    """
    app.state.bounds.require(name)
    _show(app, Path(name), line)


def _show(app: ProgramActions, path: Path, line: str = "") -> None:
    """Open a file (at a line, if given) or a folder in the desktop; on failure, copy the path."""
    place = f"{path}:{line}" if line else str(path)

    def job() -> tuple[bool, str]:
        try:
            return True, show_on_desktop(path, line)
        except OSError as error:
            return False, str(error)

    def report(outcome: tuple[bool, str]) -> None:
        opened, message = outcome
        if opened:
            app.state.confirm(message)
        else:
            app.window.set_clipboard(place)
            copied = f"{path.name}:{line}" if line else "its path"
            app.state.warn(f"{message}; {copied} was copied")

    app.background.write(f"opening {path.name}", job, report)


def desktop_opener() -> tuple[str, str | None]:
    """Return the name of the desktop's opener program, and its path or None if not installed."""
    opener = {"darwin": "open", "win32": "explorer"}.get(sys.platform, "xdg-open")
    return opener, shutil.which(opener)


def has_desktop() -> bool:
    """Return whether this machine can open files in other programs."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


EDITORS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("code", "codium"), ("-g", "{file}:{line}")),
    **dict.fromkeys(("subl", "zed"), ("{file}:{line}",)),
    "kate": ("-l", "{line}", "{file}"),
    **dict.fromkeys(("gvim", "emacs", "gedit", "gnome-text-editor"), ("+{line}", "{file}")),
}
"""The options by which editors with windows of their own open a file at a line."""


def editor_command(path: Path, line: str) -> list[str]:
    """Return the command that opens a file at a line in the user's editor, or in a known editor.

    The user's editor is that of VISUAL or EDITOR. The command is empty if no known editor is
    installed.
    """
    chosen = [Path(os.environ.get(name, "")).name for name in ("VISUAL", "EDITOR")]
    for name in (*chosen, *EDITORS):
        if name in EDITORS and (program := shutil.which(name)):
            return [program, *(word.format(file=path, line=line) for word in EDITORS[name])]
    return []


def show_on_desktop(path: Path, line: str = "") -> str:
    """Open a file or a folder in the desktop's default program; return a message.

    Args:
        line: at which an editor opens a file, if one is installed that can.

    Raises:
        OSError: there is no desktop, or no such program, or it fails.
    """
    if not has_desktop():
        raise OSError(f"no desktop is available to show {label(str(path))}")
    opener, program = desktop_opener()
    words = [str(path)]
    if line and (command := editor_command(path, line)):
        program, *words = command
        opener = Path(program).name
    if not program:
        raise OSError(f"{opener} is not installed; it is needed to show {label(str(path))}")
    nowhere = subprocess.DEVNULL
    running = subprocess.Popen(
        [program, *words],
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
        raise OSError(f"{opener} could not show {label(str(path))} (exit code {code})")
    return f"opened {named(path)}"


def named(folder: Path) -> str:
    """Format a folder's path for the user, with ``~`` for the home folder."""
    home = Path.home()
    inside = folder != home and folder.is_relative_to(home)
    return label(f"~/{folder.relative_to(home)}" if inside else str(folder))


Written = tuple[Path, str]
"""A file that was written, and the message that confirms it."""


def buttons_for(app: ProgramActions, path: Path) -> tuple[Button, ...]:
    """Return the buttons that open a written file; empty if no desktop programs can be started."""
    if app.state.bounds.root is not None or not has_desktop():
        return ()
    return (
        Button("Open", ("show file", str(path))),
        Button("Open folder", ("show file", str(path.parent))),
    )


def write_in_background(app: ProgramActions, what: str, job: Callable[[], Written]) -> None:
    """Write files in the background; then show a message with buttons that open the file."""

    def report(written: Written) -> None:
        path, text = written
        app.state.confirm(text, *buttons_for(app, path))

    app.background.write(f"writing {what}", job, report)


def picture_drawn(app: ProgramActions) -> NDArray[np.uint8]:
    """Return the window's picture, (H, W, 3), fitted again unless the user zoomed or moved it."""
    session = app.session
    pixels = session.display.read()
    if session.state.held == FITTED:
        return pixels
    fit_unmoved(session.state)
    session.drawing.draw(pixels.shape[1], pixels.shape[0])
    return session.display.read()


def screenshot(app: ProgramActions) -> None:
    """Write the window's picture as a PNG with all settings, and a live source's views."""
    write_picture = _screenshot_job(app)

    def job() -> Written:
        path = write_picture()
        return path, f"saved {path.name} in {named(path.parent)}; `wheatstone view` restores it"

    write_in_background(app, "the picture", job)


def _screenshot_job(app: ProgramActions) -> Callable[[], Path]:
    """Prepare a job that writes a screenshot and returns its path."""
    pixels, recipe = picture_drawn(app), recipe_of(app.session)
    views, folder = live_views(app.session), app.state.bounds.folder

    def job() -> Path:
        endings = (".png", *ENDINGS[: len(views)])
        stem = unused_stem(folder, endings)
        path = stem.with_suffix(".png")
        write_screenshot(path, pixels, with_views(recipe, views, stem))
        app.window.offer(path)
        return path

    return job


def copy_picture(app: ProgramActions) -> None:
    """Copy the picture to the clipboard; if that is impossible, save it and copy the path."""
    pixels = picture_drawn(app)
    try:
        app.window.copy_picture(pixels)
    except Unavailable as error:
        reason = str(error)
    else:
        height, width = pixels.shape[:2]
        app.state.confirm(f"the picture was copied, {width} x {height} pixels")
        return
    app.state.bounds.refuse_if_read_only()

    def report(path: Path) -> None:
        app.window.set_clipboard(str(path))
        app.state.warn(f"{reason}; saved {path.name} in {named(path.parent)}, and copied its path")

    app.background.write("writing the picture", _screenshot_job(app), report)


def save_all(app: ProgramActions) -> None:
    """Write the window's picture, the values of result A and all settings, with one file name.

    The views of a live source are written as well.
    """
    pixels, slot, views = picture_drawn(app), app.state.slot, live_views(app.session)
    recipe, image = recipe_of(app.session), slot.image(chosen(app.state).written)
    values, folder = app.session.values_task(image.name), app.state.bounds.folder
    document = recipe | settings.document(app.state, app.session.source.spec)

    def job() -> Written:
        endings = (".png", ".npy", ".toml", *ENDINGS[: len(views)])
        stem = unused_stem(folder, endings)
        restored = with_views(recipe, views, stem)
        write_screenshot(stem.with_suffix(".png"), pixels, restored)
        write_values(stem.with_suffix(".npy"), values.result(), image, slot.params)
        reopened = {"source": restored["source"], "seal": restored["seal"]} if views else {}
        _write_settings(stem.with_suffix(".toml"), document | reopened)
        for ending in endings[:3]:
            app.window.offer(stem.with_suffix(ending))
        kinds = f".npy (values of {image.name}) and .toml (settings)"
        message = f"saved {stem.name}.png, {kinds} in {named(stem.parent)}"
        return stem.with_suffix(".png"), message

    write_in_background(app, "picture, values and settings", job)


def save_cloud(app: ProgramActions) -> None:
    """Write the visible part of the disparity of result A as a point cloud."""
    made, folder = begin_cloud(app.session), app.state.bounds.folder

    def job() -> Written:
        path = unused_stem(folder, (".ply",)).with_suffix(".ply")
        cloud = made.result()
        write_cloud(path, cloud)
        app.window.offer(path)
        return path, f"saved {path.name} in {named(path.parent)}: {cloud.summary}"

    write_in_background(app, "the cloud", job)


def save_panel(app: ProgramActions, panel: str, contents: str) -> None:
    """Write the contents of a panel to a CSV file."""
    folder = app.state.bounds.folder

    def job() -> Written:
        path = unused_stem(folder, (".csv",), panel).with_suffix(".csv")
        with whole_file(path) as temporary:
            temporary.write_text(contents, encoding="utf-8")
        app.window.offer(path)
        return path, f"saved {path.name} in {named(path.parent)}"

    write_in_background(app, "CSV", job)


def record(app: ProgramActions, *words: str) -> None:
    """Start a recording, in a new file if none is given, or end the running recording.

    A sequence that was paused only by stepping plays on, so that it is recorded.
    """
    recordings = app.session.recordings
    if path := recordings.path:

        def report(outcome: str) -> None:
            if outcome.startswith(NOTHING_RECORDED):
                app.state.warn(outcome)
            else:
                app.state.confirm(outcome, *buttons_for(app, path))

        app.state.hint("completing the recording ...")
        app.background.write("completing the recording", recordings.end(app.window.offer), report)
    else:
        fit_unmoved(app.state)
        chosen, folder = Path(words[0]) if words else None, app.state.bounds.folder
        app.state.confirm(recordings.begin(chosen, app.state.recording, folder))
        if app.state.stepped:
            app.state.paused = False


def _write_settings(path: Path, recipe: settings.Recipe) -> None:
    """Write settings as TOML, the complete file or nothing."""
    with whole_file(path) as temporary:
        temporary.write_text(settings.dumps(recipe), encoding="utf-8")


def copy_line(app: ProgramActions) -> None:
    """Copy a command line that reproduces the window's view and settings to the clipboard."""
    line = in_shell(command_line(app.state, app.session.source.spec))
    app.window.set_clipboard(line)
    app.state.confirm(f"copied: {line}")


def save_preset(app: ProgramActions, name: str) -> None:
    """Save the parameters of the run that the user tunes (A or B) as a user's preset."""
    from wheatstone.viewer.choices.tuning import tuned

    path = user_settings.save_preset(tuned(app.state), name)
    app.state.presets = user_settings.presets()
    app.state.confirm(f"preset {name} saved as {path}")


def delete_preset(app: ProgramActions, pipeline: str, name: str) -> None:
    """Delete one of the user's presets by its name."""
    user_settings.delete_preset(pipeline, name)
    app.state.presets = user_settings.presets()
    app.state.confirm(f"preset {name} deleted")


def save_settings(app: ProgramActions, name: str) -> None:
    """Write all settings to a TOML file.

    Raises:
        FileExistsError: the file exists already.
        ValueError: it would lie where nothing may be written.
    """
    path = app.state.bounds.folder / expanded(name)
    app.state.bounds.require(path)
    path = path if path.suffix == ".toml" else path.with_name(f"{path.name}.toml")
    document = settings.document(app.state, app.session.source.spec)

    def job() -> Written:
        if path.exists():
            raise FileExistsError(f"{path} exists already; choose another name")
        _write_settings(path, document)
        app.window.offer(path)
        return path, f"saved {path}; opening it restores all settings"

    write_in_background(app, "settings", job)
