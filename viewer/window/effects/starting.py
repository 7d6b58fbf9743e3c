"""Actions of the start page: recent sources, scenes, cameras, the tour, and others by name."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.dialogs import Palette, Question, Recent, Tour
from wheatstone.viewer.choices.file_choices import FILE_CHOICES
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.panel_choices import TIMELINE
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.file_dialog import FileDialog, has_dialog
from wheatstone.viewer.findings import Button
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.footage.cameras import CameraDevice, listed_cameras
from wheatstone.viewer.io.footage.media import expect_player
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.keys.palette.entries import entries
from wheatstone.viewer.panels.keys.palette.finding import take
from wheatstone.viewer.panels.tour import STEPS
from wheatstone.viewer.run.measuring.inputs import SCENE_SIZE
from wheatstone.viewer.settings import recent_sources as recents
from wheatstone.viewer.settings.recipe import document, restore
from wheatstone.viewer.settings.trust import is_own, question_about
from wheatstone.viewer.window.effects.ending import end_tour
from wheatstone.viewer.window.effects.opening import open_in_background
from wheatstone.viewer.window.effects.program import ProgramActions


def note_source(app: ProgramActions) -> None:
    """Add the current source to the recent sources in the background, if sessions are saved."""
    source, frame = app.session.source, app.session.frame_shown
    if frame is None or not source.spec.left or not app.state.bounds.saves_session:
        return

    # On the worker, for a view as it was taken has to be rectified first.
    def job(_: object) -> tuple[Recent, ...]:
        return recents.note_source(source, frame.left)

    def show(listed: tuple[Recent, ...]) -> None:
        app.state.recent = openable(app.state.bounds, listed)

    app.background.follow(app.session.worker.submit(f"noting {source.name}", job), show)


def openable(bounds: Bounds, recents: Iterable[Recent]) -> tuple[Recent, ...]:
    """Return the recent sources whose files all lie in the folder that this window may open."""

    def may_be_opened(name: str) -> bool:
        return bounds.holds(name) and not (bounds.root and is_live(name))

    listed = () if bounds.read_only else recents
    return tuple(recent for recent in listed if all(map(may_be_opened, recent.spec.files)))


def open_recent(app: ProgramActions, place: str) -> None:
    """Open a recent source.

    If this user's program did not write the entry itself, the user is asked first.

    Args:
        place: in the list of recent sources, from 0.

    Raises:
        ValueError: there is no such entry.
    """
    number = int(place)
    if not 0 <= number < len(app.state.recent):
        raise ValueError(f"there is no recent source {number}")
    recent = app.state.recent[number]
    if is_own(recent.spec, recent.seal):
        open_in_background(app, recent.title, recent.spec, partial(_show, app, recent.title))
    else:
        named = tuple(map(str, recent.spec.to_dict().values()))
        app.state.question = question_about(recents.recent_file(), named, recent.spec)


def open_scene(app: ProgramActions, name: str) -> None:
    """Open a built-in scene by its name. Raises ``ValueError`` if it is unknown."""
    spec = SourceSpec(scene=name, size=SCENE_SIZE)
    open_in_background(app, name, spec, partial(_show, app, name))


def _show(app: ProgramActions, title: str, source: Source) -> None:
    app.open_source(source)
    if source.times is not None:
        app.state.open_panels.add(TIMELINE)
    app.state.confirm(f"opened {title}")


def press(app: ProgramActions, *names: str) -> None:
    """Run the first of the named palette entries that exists; raise ``ValueError`` without one."""
    known = {entry.name for entry in entries(app.state)}
    press_entry(app.state, next((name for name in names if name in known), names[-1]))


def press_entry(state: ViewerState, name: str) -> None:
    """Run a palette entry by its name. Raises ``ValueError`` if it is unknown."""
    entry = next((entry for entry in entries(state) if entry.name == name), None)
    if not entry:
        raise ValueError(f"there is no action {name!r}")
    take(state, entry)


def tour(app: ProgramActions, step: str) -> None:
    """Begin the tour, change its step, or end it.

    Args:
        step: ``begin``, ``next``, ``back`` or ``end``.

    Raises:
        ValueError: the source is not a pair, which most steps need.
    """
    state, frame = app.state, app.session.frame_shown
    if step == "begin":
        if frame and not frame.is_pair:
            raise ValueError("the tour needs a pair: open one, or a built-in scene")
        state.tour = Tour(document(state))
        _go_to(state, 0)
    elif not state.tour:
        return
    elif step == "end":
        end_tour(state)
    else:
        _go_to(state, state.tour.step + (1 if step == "next" else -1))


def _go_to(state: ViewerState, step: int) -> None:
    """Show a step of the tour, based on the settings before it; after the last one, end it."""
    under_way = state.tour
    assert under_way
    if step >= len(STEPS):
        end_tour(state)
        return
    restore(state, under_way.before)
    state.open_panels.clear()
    state.panels, state.b, state.linked, state.mixing = True, None, True, Mixing()
    for name in STEPS[max(step, 0)].does:
        press_entry(state, name)
    state.tour = replace(under_way, step=max(step, 0))
    state.messages = state.messages.dismissed()


def open_file(
    app: ProgramActions, purpose: str = "path", first: str = "", *, folder: bool = False
) -> None:
    """Show a file dialog for a purpose, such as a pair; without dialogs, ask for a path.

    Args:
        first: the path of the left view, if that of the right one is chosen.
        folder: whether to choose a folder instead.
    """
    if app.dialog:
        app.state.hint("a dialog is open already")
    elif has_dialog():
        files = FILE_CHOICES[purpose]
        app.dialog = FileDialog(_folder(app, first), None if folder else files)
        app.state.keys_for_dialog = True
        app.state.effects.append(("take files", *files.effect, *filter(None, (first,))))
    else:
        type_path(app, purpose, first)


def open_folder(app: ProgramActions) -> None:
    """Show a dialog to choose a folder, which is opened as if it was dropped."""
    open_file(app, folder=True)


def open_camera(app: ProgramActions) -> None:
    """Search for cameras in the background, and then ask the user which to open.

    Raises:
        ValueError: only files of a folder may be opened here.
    """
    if app.state.bounds.root:
        raise ValueError("cameras cannot be opened from here")
    app.background.open("looking for cameras", usable_cameras, partial(ask_for_camera, app.state))


def usable_cameras() -> tuple[CameraDevice, ...]:
    """List this machine's cameras; raise ``Unavailable`` if cameras cannot be used."""
    expect_player()
    return listed_cameras()


def ask_for_camera(state: ViewerState, cameras: Sequence[CameraDevice]) -> None:
    """Ask the user which camera to open, or the first two as a pair.

    Raises:
        ValueError: there is none, or none can be used.
    """
    lines = tuple(": ".join(filter(None, (camera.title, camera.why_not))) for camera in cameras)
    paths = [camera.path for camera in cameras if not camera.why_not]
    if not paths:
        raise ValueError("; ".join(lines) or "no camera is connected: plug one in, and try again")
    ways = [(path,) for path in paths] + ([(paths[0], paths[1])] if paths[1:] else [])
    first, *others = (
        Button(" and ".join(Path(p).name for p in way), ("open", *way)) for way in ways
    )
    note = "A stereo camera's picture may contain both views."
    asks = "Which camera do you want to open?"
    state.question = Question(asks, lines, note, first.effect, first.label, tuple(others))


def type_path(app: ProgramActions, purpose: str = "path", first: str = "") -> None:
    """Ask the user to type the path of a file; see ``open_file``."""
    begin = f"{_folder(app, first)}/".replace("//", "/")
    app.state.palette = Palette(begin, asks=FILE_CHOICES[purpose].asks, first=first)


def take_files(app: ProgramActions, *effect: str) -> None:
    """Run an action with the files chosen in the dialog; until it closes, retry each frame."""
    dialog = app.dialog
    if dialog and not dialog.done:
        app.state.effects.append(("take files", *effect))
    elif dialog:
        app.dialog, app.state.keys_for_dialog = None, False
        if paths := dialog.result():
            app.state.effects.append((*effect, *paths))
        else:
            app.state.rig = ""


def close_dialog(app: ProgramActions) -> None:
    """Close the file dialog without a choice."""
    if app.dialog:
        app.dialog.close()
    app.dialog, app.state.keys_for_dialog = None, False


def _folder(app: ProgramActions, first: str = "") -> Path:
    """Return the initial folder of a dialog: the source's, else the one for written files.

    For a pair that is rectified by pictures of a board, it is the folder that contains theirs.

    Args:
        first: the path of a left view, whose folder it is then.
    """
    left, bounds = first or app.session.source.spec.left, app.state.bounds
    source = Path(left).absolute() if left else bounds.folder
    folder = source if source.is_dir() else source.parent
    folder = folder.parent if app.state.rig and left else folder
    return folder if folder.is_dir() and bounds.holds(folder) else bounds.folder.absolute()
