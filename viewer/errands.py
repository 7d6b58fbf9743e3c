"""What the state asks of the program: files, the clipboard, other sources.

Keys, the palette and panels write an errand into ``ViewerState.errands``; it is done after the
frame. Whatever goes wrong is said in the message, never more.
"""

import shlex
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import Protocol

from gpu import Unavailable
from viewer.choices.state import ViewerState
from viewer.desk import Desk
from viewer.files.output import whole_file
from viewer.files.values import write_values
from viewer.frames.session import Session
from viewer.panels.histogram.counting import fit_ranges
from viewer.panels.inspector.pixel_words import pinned
from viewer.settings import recipe as settings
from viewer.settings import user_settings
from viewer.settings.command_line import command_line
from viewer.settings.dropped import understood
from viewer.settings.recipe import recipe_of
from viewer.settings.screenshot import unused_stem, write_screenshot
from viewer.sources.frame import Source


class Clipboard(Protocol):
    """A window, as far as errands know it."""

    def set_clipboard(self, text: str) -> None: ...


class Program(Protocol):
    """The program that runs errands: ``viewer.app.App``."""

    @property
    def state(self) -> ViewerState: ...
    @property
    def session(self) -> Session: ...
    @property
    def desk(self) -> Desk: ...
    @property
    def window(self) -> Clipboard: ...
    @property
    def settled(self) -> bool: ...
    def open_source(self, source: Source, *, keep_look: bool = False) -> None: ...


OF_A_PICTURE = ("screenshot", "save all", "fit range")  # wait until what is chosen is shown


def run_errands(app: Program) -> None:
    """Do what the state asks for; what needs a picture waits for it."""
    state = app.state
    asked, state.errands = state.errands, []
    for errand in asked:
        name, *words = errand
        if name in OF_A_PICTURE and not (app.session.idle and app.settled):
            state.errands.append(errand)
            continue
        try:
            ERRANDS[name](app, *words)
        except (OSError, ValueError, Unavailable) as error:
            state.message = str(error)


def _screenshot(app: Program) -> None:
    path = unused_stem(Path.cwd(), "wheatstone", (".png",)).with_suffix(".png")
    write_screenshot(path, app.session.display.read(), recipe_of(app.session))
    app.state.message = f"saved {path.name}; `wheatstone view {path.name}` restores it"


def _save_all(app: Program) -> None:
    """Write the picture, the values of A's result and all settings, under one name."""
    stem = unused_stem(Path.cwd(), "wheatstone", (".png", ".npy", ".toml"))
    slot, recipe = app.state.slot, recipe_of(app.session)
    write_screenshot(stem.with_suffix(".png"), app.session.display.read(), recipe)
    image = slot.pipeline.image(slot.pipeline.output)
    values = app.session.values(image.name)
    write_values(stem.with_suffix(".npy"), values, image, slot.params)
    document = user_settings.document(app.state, app.session.source.recipe)
    _write_settings(stem.with_suffix(".toml"), recipe | document)
    app.state.message = f"saved {stem.name}.png, .npy (values of {image.name}) and .toml (settings)"


def _write_settings(path: Path, recipe: settings.Recipe) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(settings.dumps(recipe), encoding="utf-8")


def _copy_line(app: Program) -> None:
    line = shlex.join(command_line(app.state, app.session.source.recipe))
    app.window.set_clipboard(line)
    app.state.message = f"copied: {line}"


def _reload(app: Program) -> None:
    source = app.session.source
    app.open_source(user_settings.reopened(source.recipe), keep_look=True)
    app.state.message = f"read {source.name} again"


def _open(app: Program, *paths: str) -> None:
    found = understood(paths)
    restored = copy(app.state)
    if found.recipe:
        user_settings.restore_from(Path(paths[0]), restored, found.recipe)
    if found.source:
        app.open_source(user_settings.reopened(found.source))
    if found.recipe:
        user_settings.restore(app.state, found.recipe)
    app.state.message = found.said


def _save_preset(app: Program, name: str) -> None:
    from viewer.choices.tuning import tuned

    path = user_settings.save_preset(tuned(app.state), name)
    app.state.presets = user_settings.presets()
    app.state.message = f"preset {name} saved as {path}"


def _delete_preset(app: Program, pipeline: str, name: str) -> None:
    user_settings.delete_preset(pipeline, name)
    app.state.presets = user_settings.presets()
    app.state.message = f"preset {name} deleted"


def _save_settings(app: Program, name: str) -> None:
    path = Path(name).expanduser()
    path = path if path.suffix == ".toml" else path.with_name(f"{path.name}.toml")
    if path.exists():
        raise FileExistsError(f"{path} exists already; choose another name")
    _write_settings(path, user_settings.document(app.state, app.session.source.recipe))
    app.state.message = f"saved {path}; `wheatstone view --settings {path}` restores it"


def _fit_range(app: Program) -> None:
    app.state.message = fit_ranges(app.session)


def _pin(app: Program) -> None:
    app.state.look = pinned(app.state.look, app.desk.hit, app.session.source)


def _worst_region(app: Program, step: str) -> None:
    app.session.jump_to_worst(int(step))


ERRANDS: Mapping[str, Callable[..., None]] = {
    "screenshot": _screenshot,
    "save all": _save_all,
    "copy line": _copy_line,
    "reload": _reload,
    "open": _open,
    "save preset": _save_preset,
    "delete preset": _delete_preset,
    "save settings": _save_settings,
    "fit range": _fit_range,
    "pin": _pin,
    "worst region": _worst_region,
}
"""By name what they do, called with the application and the errand's words."""
