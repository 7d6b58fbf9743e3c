"""Errands: what the user asks of the program: files, the clipboard, other sources.

Keys, the palette and panels write an errand into ``ViewerState.errands``; the program runs errands
after the frame. Whatever goes wrong is said in the message and ends nothing.
"""

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
from viewer.reading.plain_text import in_shell
from viewer.settings import recipe as settings
from viewer.settings import user_settings
from viewer.settings.command_line import command_line
from viewer.settings.dropped import understood
from viewer.settings.foreign_sources import question_about
from viewer.settings.recipe import recipe_of
from viewer.settings.screenshot import unused_stem, write_screenshot
from viewer.sources.frame import Source


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
    def settled(self) -> bool:
        """Tell whether what is chosen is computed and shown."""
        ...

    def open_source(self, source: Source, *, keep_look: bool = False) -> None:
        """Show another source.

        Args:
            keep_look: whether frame, zoom and frozen B stay.
        """
        ...


OF_A_PICTURE = ("screenshot", "save all", "fit range")  # these wait until all chosen is shown


def run_errands(app: Program, errands: Mapping[str, Callable[..., None]]) -> None:
    """Run the errands that the state asks for; those of a picture wait until it is shown.

    Args:
        errands: functions by name: ``ERRANDS``, or others in place of some.
    """
    state = app.state
    asked, state.errands = state.errands, []
    for errand in asked:
        name, *words = errand
        if name in OF_A_PICTURE and not (app.session.idle and app.settled):
            state.errands.append(errand)
            continue
        try:
            errands[name](app, *words)
        except (OSError, ValueError, Unavailable) as error:
            state.message = str(error)


def _screenshot(app: Program) -> None:
    """Write the picture with all settings as a PNG."""
    path = unused_stem(Path.cwd(), "wheatstone", (".png",)).with_suffix(".png")
    write_screenshot(path, app.session.display.read(), recipe_of(app.session))
    app.state.message = f"saved {path.name}; `wheatstone view {path.name}` restores it"


def _save_all(app: Program) -> None:
    """Write the picture, the values of A's result and all settings, as files of one name."""
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
    """Write settings as TOML, the file whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(settings.dumps(recipe), encoding="utf-8")


def _copy_line(app: Program) -> None:
    """Copy the command line that shows the same to the clipboard."""
    line = in_shell(command_line(app.state, app.session.source.recipe))
    app.window.set_clipboard(line)
    app.state.message = f"copied: {line}"


def _reload(app: Program) -> None:
    """Read the source again."""
    source = app.session.source
    app.open_source(user_settings.reopened(source.recipe), keep_look=True)
    app.state.message = f"read {source.name} again"


def _open(app: Program, *paths: str) -> None:
    """Open the source, or restore the settings, that files mean."""
    found = understood(paths)
    restored = copy(app.state)  # tried on a copy first: settings that do not fit change nothing
    if found.recipe:
        user_settings.restore_from(Path(paths[0]), restored, found.recipe)
    if found.source and not found.foreign:
        app.open_source(user_settings.reopened(found.source))
    if found.recipe:
        user_settings.restore(app.state, found.recipe)
    if found.recipe and found.foreign:
        app.state.question = question_about(Path(paths[0]), found.foreign, found.recipe)
    app.state.message = found.said


def _open_source(app: Program, section: str) -> None:
    """Open the source that the user was asked about.

    Args:
        section: the recipe's section ``source``, in TOML.
    """
    source = user_settings.reopened(settings.loads(section)["source"])
    app.open_source(source, keep_look=True)
    app.state.message = f"opened {source.name}"


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
    if path.exists():
        raise FileExistsError(f"{path} exists already; choose another name")
    _write_settings(path, user_settings.document(app.state, app.session.source.recipe))
    app.state.message = f"saved {path}; `wheatstone view --settings {path}` restores it"


def _fit_range(app: Program) -> None:
    """Fit the ranges of what is on screen to its values."""
    app.state.message = fit_ranges(app.session)


def _pin(app: Program) -> None:
    """Pin the pixel under the cursor, or release the one pinned."""
    app.state.look = pinned(app.state.look, app.desk.hit, app.session.source)


def _worst_region(app: Program, step: str) -> None:
    """Go to the next or the previous of the regions with the largest errors."""
    app.session.jump_to_worst(int(step))


ERRANDS: Mapping[str, Callable[..., None]] = {
    "screenshot": _screenshot,
    "save all": _save_all,
    "copy line": _copy_line,
    "reload": _reload,
    "open": _open,
    "open source": _open_source,
    "save preset": _save_preset,
    "delete preset": _delete_preset,
    "save settings": _save_settings,
    "fit range": _fit_range,
    "pin": _pin,
    "worst region": _worst_region,
}
"""Errands by name: functions called with the program and the errand's other words."""
