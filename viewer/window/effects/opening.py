"""Actions (effects) that open a source, or reopen the present source with other options."""

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
from wheatstone.viewer.settings.recipe import restore
from wheatstone.viewer.settings.trust import question_about
from wheatstone.viewer.window.effects.program import ProgramActions


def reload(app: ProgramActions) -> None:
    """Reload the source, unless a source is already being opened."""
    if app.background.opening:
        return
    source = app.session.source
    open_keeping_look(app, source.name, source.spec, f"reloaded {source.name}")


def read_changed(app: ProgramActions, what: str) -> None:
    """Reload the source because the named files changed; if that fails, keep the view."""
    source = app.session.source
    open_keeping_look(app, source.name, source.spec, f"{what} changed: reloaded")


def rectify(app: ProgramActions) -> None:
    """Reopen the source, rectified by features. Raises ``ValueError`` if it has no files."""
    spec, name = app.session.source.spec, app.session.source.name
    if not spec.left:
        raise ValueError(f"{name} is rectified")

    def show(source: Source) -> None:
        app.open_source(source, keep_look=True)
        _search_expected(app, source)
        app.state.confirm("; ".join(map(in_window, source.notes)))

    open_in_background(app, name, spec.without_calibration(rectify="auto"), show)


def _search_expected(app: ProgramActions, source: Source) -> None:
    """Set run A's disparity range to the range expected for a source."""
    slot = app.state.slot
    expected = expected_range(source, slot.params.values())
    app.state.slot = replace(slot, params=slot.params.changed(**expected))


def calibrate_by(app: ProgramActions, path: str, right: str | None = None) -> None:
    """Reopen the source, rectified by a calibration of one file or of two.

    The calibration is scaled to the size of the source.

    Raises:
        ValueError: the source cannot be opened again.
    """
    source = app.session.source
    if not source.spec.left:
        raise ValueError(f"{source.name} cannot be opened with a calibration")
    spec = _calibrated(source.spec, path, right)
    open_keeping_look(app, source.name, spec, f"calibrated by {Path(path).name}")


def _calibrated(spec: SourceSpec, path: str, right: str | None = None) -> SourceSpec:
    """Return a source specification changed to use a calibration of one file or of two."""
    chosen = {"calibration": path, "calibration_right": right, "calibration_scale": "any"}
    return spec.without_calibration(rectify=None, **chosen)


def next_layout(app: ProgramActions) -> None:
    """Reopen the source with its next layout of views. Raises ``ValueError`` if it has no other."""
    source = app.session.source
    layouts = [each for each in source.layouts[1:] if _can_be_shown(app, each)]
    if not layouts:
        raise ValueError(f"{source.name} has no other layout")
    layout = layouts[0]
    spec = source.spec.changed(layout=layout)

    def show(source: Source) -> None:
        app.open_source(source, replaces=True)
        app.state.hint(f"layout: {layout}; Ctrl+D: the next")

    open_in_background(app, source.name, spec, show)


def _can_be_shown(app: ProgramActions, layout: str) -> bool:
    """Return whether the pipeline can compute the present source with a given layout of views."""
    source = app.session.source
    if layout != "pair" or source.spec.right:
        return True
    try:
        chosen(app.state).check_single_image(source.name)
    except ValueError:
        return False
    return True


def open_keeping_look(app: ProgramActions, name: str, spec: SourceSpec, message: str) -> None:
    """Open a source in the background; show it with the present frame number and zoom."""

    def show(source: Source) -> None:
        app.open_source(source, keep_look=True)
        app.state.confirm(message)

    open_in_background(app, name, spec, show)


def open_in_background(
    app: ProgramActions, name: str, spec: SourceSpec, show: Callable[[Source], None]
) -> None:
    """Open a source in the background, and then call the function ``show`` with it.

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
    """Open a source here, but first in an isolated process, which a bad file may block."""
    isolated(try_to_open, spec)
    return opened()


def _opened_within(spec: SourceSpec, bounds: Bounds, known: Iterable[Path]) -> Source:
    """Open a source; raise ``ValueError`` if a file is outside the folder that is allowed.

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
    """Raise ``ValueError`` for files, cameras and streams that this window may not open."""
    bounds = app.state.bounds
    for name in names:
        if bounds.root and is_live(name):
            raise ValueError(
                f"{name}: cameras and streams can be opened only from the command line"
            )
        bounds.require(expanded(name))


def open_files(app: ProgramActions, *paths: str) -> None:
    """Open files as a source or settings. Raises ``ValueError`` if this is not allowed."""
    _require_within(app, paths)
    name = Path(paths[0]).name if len(paths) < 3 else f"{len(paths)} files"
    frame = app.session.frame_shown
    shown = frame.shape if frame else None
    pair = shown if frame and frame.is_pair else None
    read = partial(understood, paths, pair, shown)
    if isolated := app.background.isolated:
        read = partial(isolated, understood, paths, pair, shown)
    app.background.open(f"opening {name}", read, partial(_open_understood, app, paths[0]))


def _open_understood(app: ProgramActions, path: str, dropped: Dropped) -> None:
    """Open the source and restore the settings that the dropped files contain.

    Files for the open pair are used at once, or after the user has said what they mean.
    """
    if dropped.meanings:
        _use_meaning(app, dropped)
        return
    restored = copy(app.state)  # tried on a copy first: settings that do not fit change nothing
    if dropped.recipe:
        user_settings.restore_from(Path(path), restored, dropped.recipe)
    if dropped.spec and not dropped.foreign:
        rig, app.state.rig = app.state.rig, ""
        if rig and not dropped.recipe:
            dropped = replace(
                dropped,
                spec=_calibrated(dropped.spec, rig),
                message=f"{dropped.message}; calibrated by {Path(rig).name}",
            )
        assert dropped.spec
        open_in_background(
            app, Path(path).name, dropped.spec, partial(_show_opened, app, path, dropped)
        )
    else:
        _show_opened(app, path, dropped, None)


def _use_meaning(app: ProgramActions, dropped: Dropped) -> None:
    """Use dropped files for the open pair; if several uses are possible, ask the user first."""
    first, *others = dropped.meanings
    if others:
        about, note = (dropped.message,), "It contains one number per pixel."
        asks = "What is this file?"
        app.state.question = Question(asks, about, note, first.effect, first.label, tuple(others))
    else:
        app.state.request(*first.effect)


def _show_opened(app: ProgramActions, path: str, dropped: Dropped, source: Source | None) -> None:
    """Show a source and apply its settings; without a source, only apply the settings."""
    if source:
        app.open_source(source)
    if source and source.times is not None:
        app.state.open_panels.add(TIMELINE)
    if source and not dropped.recipe and (stated := stated_by(source)):
        _search_expected(app, source)
        app.state.hint(in_window(range_note(stated)))
    if dropped.recipe:
        restore(app.state, dropped.recipe)
    if dropped.recipe and dropped.foreign:
        app.state.question = question_about(Path(path), dropped.foreign, dropped.spec)
    app.state.confirm(dropped.message)


def open_source(app: ProgramActions, section: str) -> None:
    """Open a source that the user confirmed in a question.

    Args:
        section: the source in TOML.
    """
    spec = SourceSpec.from_toml(section)
    name = Path(spec.left or "").name

    def show(source: Source) -> None:
        app.open_source(source, keep_look=True, replaces=False)  # the file's zoom is restored
        app.state.confirm(f"opened {name}")

    open_in_background(app, name, spec, show)
