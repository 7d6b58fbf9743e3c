"""The player of scripts, which sends their steps to a window and draws a frame after each."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.viewer.cli.script import ScriptStep, events_of, frames_of, is_input, size_of
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.reading.paths import expanded, resolved
from wheatstone.viewer.settings.recipe import loads, recipe_of
from wheatstone.viewer.settings.screenshot import write_screenshot
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.effects import EFFECTS, WRITING
from wheatstone.viewer.window.effects.program import ProgramActions
from wheatstone.viewer.window.effects.starting import type_path

if TYPE_CHECKING:  # whose import needs OpenGL to be bound
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

LONGEST_WORK = 300  # seconds until a script gives up to finish
LONGEST_WAIT = 3000  # frames until a script gives up to settle, but for those that wait for the CPU


Tell = Callable[[str, float | None], None]
"""Shows the current activity in a few words, and the fraction done, from 0 to 1; None: unknown."""


def played_frames(
    app: App,
    window: "OffscreenWindow",
    steps: Sequence[ScriptStep],
    folder: Path,
    tell: Tell = lambda message, share: None,
) -> Iterator[None]:
    """Play the steps of a script; yield after every frame of a ``wait`` step.

    Args:
        folder: the folder for the pictures that the script writes, and for all other files.
        tell: called repeatedly with the current activity.

    Raises:
        ValueError: a chosen view or a panel is not complete in time, a key closed the program
            before the script's end, or the script tried to write elsewhere.
        OSError: a picture cannot be written.
    """
    confined = ConfinedEffects(folder)
    app.effects = confined.table
    for number, step in enumerate(steps):
        tell_step = partial(_tell, tell, app, step, number / len(steps))
        tell_step()
        _require_open(app, step)
        if is_input(step):
            _send_events(app, window, step)
        elif step.verb == "wait":
            for _ in range(frames_of(step)):
                app.step()
                tell_step()
                yield
        elif step.verb == "settle":
            settle(app, tell_step)
        elif step.verb == "finish":
            finish(app, tell_step)
        elif step.verb == "size":
            window.resize(*size_of(step))
            app.step()
        else:
            path = folder / step.words[0]
            _require_inside(path, folder)
            write_screenshot(path, window.read(), recipe_of(app.session))
        if confined.refused:
            raise ValueError(f"line {step.line}: {confined.refused}")


def _tell(tell: Tell, app: App, step: ScriptStep, share: float) -> None:
    """Show the current step of a script, and the computation in progress."""
    progress = app.session.progress
    what = " ".join((step.verb, *step.words))
    tell(f"line {step.line}: {what}{f' ({progress.step})' if progress else ''}", share)


class ConfinedEffects:
    """The actions that an untrusted script can request, which write into one folder only.

    Attributes:
        table: effects by name, as in ``viewer.window.effects``.
        refused: why an effect was not run, or could not write; empty if all went well.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self.refused = folder, ""
        own: dict[str, Callable[..., None]] = {name: partial(self._write, name) for name in WRITING}
        own["save settings"] = self._save_settings
        own |= {"open": self._open, "open source": self._open_source}
        own["note source"] = lambda app: None  # the user's recent sources stay as they are
        own |= dict.fromkeys(("open a file", "open a folder", "load"), type_path)
        no_folder = "a script cannot open a folder on the desktop"
        own["screenshots folder"] = partial(self._refuse, no_folder)
        no_presets = "a script cannot change presets; save settings instead"
        own |= dict.fromkeys(("save preset", "delete preset"), partial(self._refuse, no_presets))
        self.table: Mapping[str, Callable[..., None]] = {**EFFECTS, **own}

    def _write(self, name: str, app: ProgramActions, *words: str) -> None:
        """Run an action that writes files; a file that cannot be written ends the script."""
        try:
            EFFECTS[name](app, *words)
        except OSError as error:
            self.refused = str(error)
            raise

    def _save_settings(self, app: ProgramActions, name: str) -> None:
        """Write all settings to a TOML file, if it is inside the script's output folder."""
        path = self._folder / expanded(name)
        try:
            _require_inside(path, self._folder)
        except ValueError as error:
            self.refused = str(error)
            raise
        EFFECTS["save settings"](app, str(path))

    def _open(self, app: ProgramActions, *paths: str) -> None:
        """Open files for a script, but no cameras or streams."""
        self._require_files(paths)
        EFFECTS["open"](app, *paths)

    def _open_source(self, app: ProgramActions, section: str) -> None:
        """Open the source in a TOML section for a script, unless it is a camera or stream."""
        source = loads(section)["source"]
        self._require_files([str(source[side]) for side in ("left", "right") if side in source])
        EFFECTS["open source"](app, section)

    def _require_files(self, addresses: Sequence[str]) -> None:
        """Raise ``ValueError`` if a source is a camera or stream."""
        if live := [address for address in addresses if is_live(address)]:
            self._refuse(f"a script cannot open a camera or a stream: {live[0]}")

    def _refuse(self, why: str, *_: object) -> None:
        """Record the reason why a requested action is refused, and raise ``ValueError``."""
        self.refused = why
        raise ValueError(why)


def _require_inside(path: Path, folder: Path) -> None:
    """Raise ``ValueError`` if a path lies outside a folder, after following links."""
    if not resolved(path).is_relative_to(resolved(folder)):
        raise ValueError(f"{path}: a script can only write into {folder}")


def _send_events(app: App, window: "OffscreenWindow", step: ScriptStep) -> None:
    """Send the events of a script's step to the window, each followed by a frame."""
    for event in events_of(step):
        _require_open(app, step)
        before = app.state.message
        window.add([event])
        app.step()
        if app.state.message != before and (lacking := _what_is_lacking(app)):
            say(f"line {step.line}: {lacking}; the script continues without it")


def _what_is_lacking(app: App) -> str:
    """Return the program's message if it reports an absent device; else an empty text."""
    message, reasons = app.state.message, filter(None, app.state.absent.values())
    return message if any(reason in message for reason in reasons) else ""


def _require_open(app: App, step: ScriptStep) -> None:
    """Raise ``ValueError`` if a key closed the program before a step."""
    if app.state.closing:
        text = " ".join((step.verb, *step.words))
        raise ValueError(f"line {step.line}: a key closed the program before {text!r} was done")


def settle(app: App, tell: Callable[[], None] = lambda: None) -> None:
    """Draw frames until the chosen view is shown. Raises ``ValueError`` if it takes too long.

    Args:
        tell: called after every frame.
    """
    waited = 0
    while waited < LONGEST_WAIT:
        app.step()
        tell()
        if app.settled:
            app.step()  # panels tell of the frame before
            return
        waited += not app.busy
    raise ValueError(f"the chosen view is not shown after {LONGEST_WAIT} frames")


def finish(app: App, tell: Callable[[], None] = lambda: None) -> None:
    """Draw frames until all panels are complete; raise ``ValueError`` if this takes too long.

    Args:
        tell: called after every frame.
    """
    began = time.monotonic()
    app.step()  # panels see what was chosen
    while not app.started or app.layout.busy:  # before the first picture no panel begins
        if time.monotonic() - began > LONGEST_WORK:
            what = "a panel" if app.started else "the first picture"
            raise ValueError(f"{what} is not complete after {LONGEST_WORK} seconds")
        app.step()
        tell()
    app.step()
