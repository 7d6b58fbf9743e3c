"""Errands: what the user asks of the program: files, the clipboard, other sources.

Keys, the palette and panels write an errand into ``ViewerState.errands``; the program runs errands
after the frame. Whatever goes wrong is said in the message and ends nothing.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from gpu import Unavailable
from viewer.choices.picking import pick_other, switch_rectangle
from viewer.choices.playing import TIMELINE
from viewer.choices.state import ViewerState
from viewer.desk import Desk
from viewer.files.cloud import write_cloud
from viewer.files.output import whole_file
from viewer.files.values import write_values
from viewer.frames.beside import Beside, retire
from viewer.frames.session import Session
from viewer.panels.histogram.counting import fit_ranges
from viewer.panels.inspector.pixel_words import pinned, pixel_of
from viewer.picture.clusters import Cluster
from viewer.picture.shown import chosen
from viewer.reading.plain_text import in_shell
from viewer.settings import recipe as settings
from viewer.settings import user_settings
from viewer.settings.command_line import command_line
from viewer.settings.dropped import Dropped, understood
from viewer.settings.foreign_sources import question_about
from viewer.settings.live_views import ENDINGS, live_views, with_views
from viewer.settings.recipe import recipe_of
from viewer.settings.screenshot import unused_stem, write_screenshot
from viewer.sources.calibrated import WORDS
from viewer.sources.frame import Source
from viewer.sources.levelling import expected_range


class Clipboard(Protocol):
    """A window, as far as errands know one."""

    def set_clipboard(self, text: str) -> None:
        """Put a text into the clipboard."""
        ...


class Program(Protocol):
    """The program that runs errands: ``viewer.app.App``."""

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
    def beside(self) -> Beside:
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


OF_A_PICTURE = (
    "screenshot",
    "save all",
    "save cloud",
    "fit range",
)  # these wait until all chosen is shown


def run_errands(app: Program, errands: Mapping[str, Callable[..., None]]) -> None:
    """Run the errands that the state asks for; those of a picture wait until it is shown.

    Args:
        errands: functions by name: ``ERRANDS``, or others in place of some.
    """
    state = app.state
    for finish in app.beside.finished():
        _try(state, finish)
    asked, state.errands = state.errands, []
    for errand in dict.fromkeys(asked):
        name, *words = errand
        if name in OF_A_PICTURE and not (app.session.idle and app.stands):
            state.errands.append(errand)
        else:
            _try(state, partial(errands[name], app, *words))


def _try(state: ViewerState, errand: Callable[[], None]) -> None:
    """Run an errand, or its end; say what went wrong."""
    try:
        errand()
    except MemoryError:
        state.message = "there is too little memory for that; nothing changed"
    except (OSError, ValueError, Unavailable) as error:
        state.message = str(error)


def _write(app: Program, name: str, job: Callable[[], str]) -> None:
    """Have files written beside the display; the job returns what is said then."""
    app.beside.write(name, job, partial(setattr, app.state, "message"))


def _screenshot(app: Program) -> None:
    """Write the picture with all settings as a PNG, and beside it the views of a live source."""
    pixels, recipe = app.session.display.read(), recipe_of(app.session)
    views = live_views(app.session)

    def job() -> str:
        """Write the file, under the first name that is free then."""
        endings = (".png", *ENDINGS[: len(views)])
        stem = unused_stem(Path.cwd(), "wheatstone", endings)
        path = stem.with_suffix(".png")
        write_screenshot(path, pixels, with_views(recipe, views, stem))
        return f"saved {path.name}; `wheatstone view {path.name}` restores it"

    _write(app, "screenshot", job)


def _save_all(app: Program) -> None:
    """Write the picture, the values of A's result and all settings, as files of one name.

    The views of a live source are written, too.
    """
    slot, recipe, views = app.state.slot, recipe_of(app.session), live_views(app.session)
    pixels, image = app.session.display.read(), slot.image(chosen(app.state).written)
    values = app.session.values_task(image.name)
    document = recipe | user_settings.document(app.state, app.session.source.recipe)

    def job() -> str:
        """Write the files, under the first name that is free then."""
        endings = (".png", ".npy", ".toml", *ENDINGS[: len(views)])
        stem = unused_stem(Path.cwd(), "wheatstone", endings)
        restored = with_views(recipe, views, stem)
        write_screenshot(stem.with_suffix(".png"), pixels, restored)
        write_values(stem.with_suffix(".npy"), values.result(), image, slot.params)
        reopened = {"source": restored["source"], "seal": restored["seal"]} if views else {}
        _write_settings(stem.with_suffix(".toml"), document | reopened)
        return f"saved {stem.name}.png, .npy (values of {image.name}) and .toml (settings)"

    _write(app, "picture, values and settings", job)


def _save_cloud(app: Program) -> None:
    """Write the points of what is seen of A's disparity as a cloud."""
    made = app.session.cloud_task()

    def job() -> str:
        """Write the file, under the first name that is free then."""
        path = unused_stem(Path.cwd(), "wheatstone", (".ply",)).with_suffix(".ply")
        cloud = made.result()
        write_cloud(path, cloud)
        return f"saved {path.name}: {cloud.said}"

    _write(app, "cloud", job)


def _record(app: Program, *words: str) -> None:
    """Begin to record, or complete what is recorded beside the display.

    Args:
        words: the file; none: one named by date and time.
    """
    recordings = app.session.recordings
    if recordings.running:
        app.state.message = "completing the recording ..."
        _write(app, "recording", recordings.end())
    else:
        path = Path(words[0]) if words else None
        app.state.message = recordings.begin(path, app.state.recording)


def _write_settings(path: Path, recipe: settings.Recipe) -> None:
    """Write settings as TOML, the file whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(settings.dumps(recipe), encoding="utf-8")


def _copy_line(app: Program) -> None:
    """Copy the command line that shows the same to the clipboard."""
    line = in_shell(command_line(app.state, app.session.source.recipe))
    app.window.set_clipboard(line)
    app.state.message = f"copied: {line}"


def _reload(app: Program) -> None:
    """Read the source again, unless something is being opened already."""
    if app.beside.opening:
        return
    source = app.session.source
    _open_keeping_look(app, source.name, source.recipe, f"read {source.name} again")


def _rectify(app: Program) -> None:
    """Open the source again, its pairs rectified by their features, and search what they have.

    Raises:
        ValueError: the source is no pair of files.
    """
    recipe, name = dict(app.session.source.recipe), app.session.source.name
    if "left" not in recipe:
        raise ValueError(f"{name} is rectified")
    recipe = {name: said for name, said in recipe.items() if name not in WORDS}
    recipe["rectify"] = "auto"

    def show(source: Source) -> None:
        """Show the source, and search the disparities expected."""
        app.open_source(source, keep_look=True)
        slot = app.state.slot
        expected = expected_range(source, slot.params.values())
        app.state.slot = replace(slot, params=slot.params.changed(**expected))
        app.state.message = "; ".join(source.notes)

    _open_beside(app, name, recipe, show)


def _calibrate_by(app: Program, path: str) -> None:
    """Open the source again, rectified by the calibration in a file.

    Raises:
        ValueError: the source cannot be opened again.
    """
    source = app.session.source
    if "left" not in source.recipe:
        raise ValueError(f"{source.name} is not opened with a calibration")
    kept = {name: said for name, said in source.recipe.items() if name not in (*WORDS, "rectify")}
    said = f"calibrated by {Path(path).name}"
    _open_keeping_look(app, source.name, {**kept, "calibration": path}, said)


def _next_layout(app: Program) -> None:
    """Open the source again with its views where they may lie next.

    Raises:
        ValueError: the source has no such choice.
    """
    source = app.session.source
    if len(source.layouts) < 2:
        raise ValueError(f"{source.name} has no layout to choose")
    layout = source.layouts[1]
    recipe = {**source.recipe, "layout": layout}
    _open_beside(app, source.name, recipe, partial(_show_layout, app, layout))


def _show_layout(app: Program, layout: str, source: Source) -> None:
    """Show a source that was opened with another layout, and say so."""
    app.open_source(source)
    app.state.message = f"layout: {layout}; Ctrl+D: the next"


def _open_keeping_look(app: Program, name: str, recipe: Mapping[str, Any], said: str) -> None:
    """Open a source beside the display, then show it as the one before was shown, and say so."""

    def show(source: Source) -> None:
        """Show the source."""
        app.open_source(source, keep_look=True)
        app.state.message = said

    _open_beside(app, name, recipe, show)


def _open_beside(
    app: Program, name: str, recipe: Mapping[str, Any], show: Callable[[Source], None]
) -> None:
    """Open a source beside the display, then show it."""
    app.beside.open(f"opening {name}", lambda: user_settings.reopened(recipe), show, retire)


def _open(app: Program, *paths: str) -> None:
    """Open the source, or restore the settings, that files mean."""
    name = Path(paths[0]).name if len(paths) < 3 else f"{len(paths)} files"
    app.beside.open(
        f"opening {name}", lambda: understood(paths), partial(_open_understood, app, paths[0])
    )


def _open_understood(app: Program, path: str, found: Dropped) -> None:
    """Open and restore what files mean, once they are read."""
    restored = copy(app.state)  # tried on a copy first: settings that do not fit change nothing
    if found.recipe:
        user_settings.restore_from(Path(path), restored, found.recipe)
    if found.source and not found.foreign:
        _open_beside(app, Path(path).name, found.source, partial(_show_opened, app, path, found))
    else:
        _show_opened(app, path, found, None)


def _show_opened(app: Program, path: str, found: Dropped, source: Source | None) -> None:
    """Show a source as the settings found with it say; None: the source stays."""
    if source:
        app.open_source(source)
    if source and source.times is not None:
        app.state.open_panels.add(TIMELINE)
    if found.recipe:
        user_settings.restore(app.state, found.recipe)
    if found.recipe and found.foreign:
        app.state.question = question_about(Path(path), found.foreign, found.recipe)
    app.state.message = found.said


def _open_source(app: Program, section: str) -> None:
    """Open the source that the user was asked about.

    Args:
        section: the recipe's section ``source``, in TOML.
    """
    source = settings.loads(section)["source"]
    name = Path(source["left"]).name
    _open_keeping_look(app, name, source, f"opened {name}")


def _save_preset(app: Program, name: str) -> None:
    """Save the parameters of the slot that is tuned as a preset of the user's."""
    from viewer.choices.tuning import tuned

    path = user_settings.save_preset(tuned(app.state), name)
    app.state.presets = user_settings.presets()
    app.state.message = f"preset {name} saved as {path}"


def _delete_preset(app: Program, pipeline: str, name: str) -> None:
    """Delete a preset of the user's."""
    user_settings.delete_preset(pipeline, name)
    app.state.presets = user_settings.presets()
    app.state.message = f"preset {name} deleted"


def _save_settings(app: Program, name: str) -> None:
    """Write all settings as TOML. Raises ``FileExistsError`` rather than overwrite a file."""
    path = Path(name).expanduser()
    path = path if path.suffix == ".toml" else path.with_name(f"{path.name}.toml")
    document = user_settings.document(app.state, app.session.source.recipe)

    def job() -> str:
        """Write the file, unless there is one."""
        if path.exists():
            raise FileExistsError(f"{path} exists already; choose another name")
        _write_settings(path, document)
        return f"saved {path}; `wheatstone view --settings {path}` restores it"

    _write(app, "settings", job)


def _fit_range(app: Program) -> None:
    """Fit the ranges of what is on screen to its values."""
    app.state.message = fit_ranges(app.session)


def _pin(app: Program) -> None:
    """Pin the pixel under the cursor, or release the one pinned."""
    app.state.look = pinned(app.state.look, app.desk.hit, app.session.source)


def _measure_to(app: Program) -> None:
    """Measure to the pixel under the cursor; to none if no pixel is there."""
    source = app.session.source
    pick_other(app.state, pixel_of(app.desk.hit, source.height, source.width))


def _measure_in(app: Program) -> None:
    """Measure in a rectangle in the middle, or in none."""
    source = app.session.source
    switch_rectangle(app.state, (source.width, source.height))


def _worst_region(app: Program, step: str) -> None:
    """Go to the next or the previous of the regions with the largest errors."""
    source = app.session.source

    def go(found: list[Cluster]) -> None:
        """Go there, unless another source is shown meanwhile."""
        if app.session.source is source:
            app.session.jump_to_worst(found, int(step))

    app.beside.follow(app.session.find_worst(), go)


ERRANDS: Mapping[str, Callable[..., None]] = {
    "screenshot": _screenshot,
    "save all": _save_all,
    "save cloud": _save_cloud,
    "record": _record,
    "copy line": _copy_line,
    "reload": _reload,
    "open": _open,
    "open source": _open_source,
    "rectify": _rectify,
    "next layout": _next_layout,
    "calibrate by": _calibrate_by,
    "save preset": _save_preset,
    "delete preset": _delete_preset,
    "save settings": _save_settings,
    "fit range": _fit_range,
    "pin": _pin,
    "measure to": _measure_to,
    "measure in": _measure_in,
    "worst region": _worst_region,
}
"""Errands by name: functions called with the program and the errand's other words."""
