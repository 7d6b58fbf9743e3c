"""Effects that open: other sources, and the same one in another way."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.choices.panel_choices import TIMELINE
from wheatstone.viewer.display.frames.background_tasks import retire
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.findings import in_window
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.reading.paths import expanded, resolved
from wheatstone.viewer.io.sources import opening
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.frame_maker import expected_range, stated_by
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stated_range import range_note
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.dropped_files import Dropped, try_to_open, understood
from wheatstone.viewer.settings.trust import question_about
from wheatstone.viewer.window.effects.program import ProgramActions


def reload(app: ProgramActions) -> None:
    """Read the source again, unless something is being opened already."""
    if app.background.opening:
        return
    source = app.session.source
    _open_keeping_look(app, source.name, source.spec, f"read {source.name} again")


def read_changed(app: ProgramActions, what: str) -> None:
    """Read the source again because the named files have changed; the view stays if that fails."""
    source = app.session.source
    _open_keeping_look(app, source.name, source.spec, f"{what} changed: read again")


def rectify(app: ProgramActions) -> None:
    """Rectify the source's pairs by features. Raises ``ValueError`` if it is no pair of files."""
    spec, name = app.session.source.spec, app.session.source.name
    if not spec.left:
        raise ValueError(f"{name} is rectified")

    def show(source: Source) -> None:
        app.open_source(source, keep_look=True)
        slot = app.state.slot
        expected = expected_range(source, slot.params.values())
        app.state.slot = replace(slot, params=slot.params.changed(**expected))
        app.state.confirm("; ".join(map(in_window, source.notes)))

    open_in_background(app, name, spec.without_calibration(rectify="auto"), show)


def calibrate_by(app: ProgramActions, path: str, right: str | None = None) -> None:
    """Rectify the source by one file, or by two that belong together, scaled to its size.

    Raises:
        ValueError: the source cannot be opened again.
    """
    source = app.session.source
    if not source.spec.left:
        raise ValueError(f"{source.name} is not opened with a calibration")
    chosen = {"calibration": path, "calibration_right": right, "calibration_scale": "any"}
    spec = source.spec.without_calibration(rectify=None, **chosen)
    _open_keeping_look(app, source.name, spec, f"calibrated by {Path(path).name}")


def next_layout(app: ProgramActions) -> None:
    """Open the source with its next layout. Raises ``ValueError`` if it has no other."""
    source = app.session.source
    layouts = [each for each in source.layouts[1:] if _can_be_shown(app, each)]
    if not layouts:
        raise ValueError(f"{source.name} has no other layout to choose")
    layout = layouts[0]
    spec = source.spec.changed(layout=layout)

    def show(source: Source) -> None:
        app.open_source(source)
        app.state.hint(f"layout: {layout}; Ctrl+D: the next")

    open_in_background(app, source.name, spec, show)


def _can_be_shown(app: ProgramActions, layout: str) -> bool:
    """Return whether the view can be computed with a layout, which may be a single image."""
    source = app.session.source
    if layout != "pair" or source.spec.right:
        return True
    try:
        chosen(app.state).check_single_image(source.name)
    except ValueError:
        return False
    return True


def _open_keeping_look(app: ProgramActions, name: str, spec: SourceSpec, said: str) -> None:
    """Open a source in the background, then show it with the present view and a message."""

    def show(source: Source) -> None:
        app.open_source(source, keep_look=True)
        app.state.confirm(said)

    open_in_background(app, name, spec, show)


def open_in_background(
    app: ProgramActions, name: str, spec: SourceSpec, show: Callable[[Source], None]
) -> None:
    """Open a source in the background, then show it.

    Raises:
        ValueError: it lies where nothing may be opened, and is not the source shown already.
    """
    source, bounds = app.session.source, app.state.bounds
    others = [name for name in spec.files if name not in source.spec.files]
    _require_within(app, others)
    opened = partial(_opened_within, spec, bounds, source.files)
    if others and app.background.isolated:
        opened = partial(_opened_after_trial, app.background.isolated, spec, opened)
    app.background.open(f"opening {name}", opened, show, retire)


def _opened_after_trial(
    isolated: Callable[..., Any], spec: SourceSpec, opened: Callable[[], Source]
) -> Source:
    """Open a source after another process could open it."""
    isolated(try_to_open, spec)
    return opened()


def _opened_within(spec: SourceSpec, bounds: Bounds, known: Iterable[Path]) -> Source:
    """Open a source, unless a link or a manifest leads out of the bounds.

    Args:
        known: files that may be opened wherever they lie.

    Raises:
        OSError, ValueError: see ``open_source``; or a file lies out of bounds.
    """
    source = opening.open_source(spec)
    beyond = [path for path in source.files if not bounds.holds(path)]
    shown = set(map(resolved, known if beyond else ()))
    if strange := [path for path in beyond if resolved(path) not in shown]:
        retire(source)
        bounds.require(strange[0])
    return source


def _require_within(app: ProgramActions, names: Sequence[str]) -> None:
    """Raise ``ValueError`` for files, cameras and streams that may not be opened here."""
    bounds = app.state.bounds
    for name in names:
        if bounds.root and is_live(name):
            raise ValueError(f"{name}: cameras and streams are opened by the command line alone")
        bounds.require(expanded(name))


def open_files(app: ProgramActions, *paths: str) -> None:
    """Open the source or settings in files. Raises ``ValueError`` if they may not be opened."""
    _require_within(app, paths)
    name = Path(paths[0]).name if len(paths) < 3 else f"{len(paths)} files"
    frame = app.session.frame_shown
    pair = frame.shape if frame and frame.is_pair else None
    read = partial(understood, paths, pair)
    if isolated := app.background.isolated:
        read = partial(isolated, understood, paths, pair)
    app.background.open(f"opening {name}", read, partial(_open_understood, app, paths[0]))


def _open_understood(app: ProgramActions, path: str, found: Dropped) -> None:
    """Open the source and restore the settings of dropped files, once they are read.

    Files for the open pair are used at once, or after the user has said what they mean.
    """
    if found.meanings:
        _use_meaning(app, found)
        return
    restored = copy(app.state)  # tried on a copy first: settings that do not fit change nothing
    if found.recipe:
        user_settings.restore_from(Path(path), restored, found.recipe)
    if found.spec and not found.foreign:
        open_in_background(
            app, Path(path).name, found.spec, partial(_show_opened, app, path, found)
        )
    else:
        _show_opened(app, path, found, None)


def _use_meaning(app: ProgramActions, found: Dropped) -> None:
    """Request the effect of files for the open pair; ask first if they may mean several things."""
    first, *others = found.meanings
    if others:
        about, note = (found.said,), "It holds one number per pixel."
        asks = "What is this file?"
        app.state.question = Question(asks, about, note, first.effect, first.label, tuple(others))
    else:
        app.state.request(*first.effect)


def _show_opened(app: ProgramActions, path: str, found: Dropped, source: Source | None) -> None:
    """Show a source with the settings read with it; None: the source stays."""
    if source:
        app.open_source(source)
    if source and source.times is not None:
        app.state.open_panels.add(TIMELINE)
    if source and not found.recipe and (stated := stated_by(source)):
        slot = app.state.slot
        expected = expected_range(source, slot.params.values())
        app.state.slot = replace(slot, params=slot.params.changed(**expected))
        app.state.hint(in_window(range_note(stated)))
    if found.recipe:
        user_settings.restore(app.state, found.recipe)
    if found.recipe and found.foreign:
        app.state.question = question_about(Path(path), found.foreign, found.spec)
    app.state.confirm(found.said)


def open_source(app: ProgramActions, section: str) -> None:
    """Open the source that the user agreed to open.

    Args:
        section: the source in TOML.
    """
    spec = SourceSpec.from_toml(section)
    name = Path(spec.left or "").name
    _open_keeping_look(app, name, spec, f"opened {name}")
