"""Create the initial viewer state and open the source, for a window or ``render``.

Settings come in layers; later layers override earlier ones:

    defaults < last session < file < options

The last session is the state of the last window when it was closed. The file is a settings file or
a screenshot given as LEFT; if there is one, the last session is ignored. One state is made from the
saved layer, and the options are applied to it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.execution import check_fit
from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.choices.panel_choices import TIMELINE
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.requests import check_trusted, image_options
from wheatstone.viewer.cli.view_request import WindowRequest
from wheatstone.viewer.display.frames.source_list import ahead_of
from wheatstone.viewer.display.picture.mixable import check_mixable
from wheatstone.viewer.display.picture.shown import chosen, chosen_b
from wheatstone.viewer.io.files.output import set_aside
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.footage.address import Address, is_live
from wheatstone.viewer.io.reading.inputs import add_inputs
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.io.reading.plain_text import LONGEST_LABEL, cut, label
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.data_set_layouts import pair_of
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.frame_maker import expected_range, stated_by
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import CALIBRATION, NO_SOURCE, SourceSpec
from wheatstone.viewer.io.sources.stated_range import range_note
from wheatstone.viewer.run.measuring.inputs import SCENE_SIZE
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.given_options import apply_options
from wheatstone.viewer.settings.layers import Machine, leave_source, merged, switch_pipeline
from wheatstone.viewer.settings.recipe import Recipe, restore, source_of
from wheatstone.viewer.settings.saved_choices import apply_choices, of_window
from wheatstone.viewer.settings.saved_sources import sources_of
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.settings.trust import foreign_files, question_about

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session


CONTINUED = "settings of the last session continued"


class NothingShown(Exception):
    """An error that occurred before the program's first image, perhaps due to old settings."""


def open_view(options: WindowRequest) -> tuple[ViewerState, Source]:
    """Create the viewer state and open the source that a command line describes.

    Returns:
        The state has the values of the last session or of a file of settings, and above them those
        of the options; A's parameters are in ``state.slot.params``. It fits the source, and a
        window takes both as they are. The source is open, and the caller closes it. If the last
        session cannot be restored, or its view cannot be computed here, a message gives the reason,
        and defaults replace it.

    Raises:
        ValueError, OSError: invalid input.
        Unavailable: the requested variant needs a device that is absent.
        NothingShown: another error, for which the last session may be the reason.
    """
    machine = _machine(options)
    if options.b_values:
        if options.b_variant or options.b_pipeline or options.b_preset or options.b_set:
            raise ValueError("--b-values replaces B's run: omit the options of that run")
        add_inputs([options.b_values])
    path, file = _file(options)
    if file:
        return _view_of_file(options, machine, path, file)
    options = _with_right_view(options)
    session = _last_session(options)
    with _blamed_on(session):
        state, spec = _restored(options, machine, session)
        source = _open_saved(options, state, spec)
        with _closed_on_error(source):
            _apply(options, state, source)
            reason = _why_impossible(state, source) if session else ""
        if reason:
            state, source = _with_defaults(options, machine, source, reason)
        elif session:
            say(f"{CONTINUED}, from {user_settings.last_session()}; --fresh starts with defaults")
        _complete(options, state, source, session)
    state.messages = Messages()
    return state, source


@contextmanager
def _blamed_on(session: Recipe) -> Iterator[None]:
    """Raise ``NothingShown`` for an unexpected error while a last session is restored."""
    try:
        yield
    except Exception as error:  # whatever was remembered, it stops no start
        if not session or isinstance(error, (OSError, ValueError, Unavailable)):
            raise
        raise NothingShown from error


def _view_of_file(
    options: WindowRequest, machine: Machine, path: Path, file: Recipe
) -> tuple[ViewerState, Source]:
    """Create the viewer state and open the source in a settings file or screenshot."""
    try:
        spec, state = source_of(file), machine.state(file)
    except ValueError as error:
        raise user_settings.named_error(path, error) from error
    is_screenshot = not options.settings
    options = replace(options, left=None) if is_screenshot else _with_right_view(options)
    spec, state.question = _asked(options, path, file, spec)
    source = open_source(spec_to_open(options, spec))
    with _closed_on_error(source):
        _apply(options, state, source)
    _complete(options, state, source, file)
    return state, source


def show_values_of_b(options: WindowRequest, session: "Session") -> None:
    """Show the file of ``--b-values`` as result B, by default next to result A.

    Raises:
        OSError, ValueError: the file cannot be read or has another size than A's views.
    """
    if options.b_values is None:
        return
    source = open_source(SourceSpec(str(options.b_values), values_in="px"))
    with _closed_on_error(source):
        session.sources.add_as_b(source)
    session.take_sources()
    if session.state.mixing.mode == "off" and "compare" not in options.choices:
        session.state.mix(mode="side-by-side")


def _restored(
    options: WindowRequest, machine: Machine, session: Recipe
) -> tuple[ViewerState, SourceSpec]:
    """Restore the viewer state and the source of the last session, without invalid parts.

    Args:
        session: empty for the defaults of the pipeline.
    """
    state = machine.first_state(options.pipeline.name)
    if not session:
        if options.in_window:
            apply_choices(state, of_window())
        return state, NO_SOURCE
    begins, lost = {"chosen": of_window()}, list[str]()
    try:
        restore(state, merged(begins, session))
        spec = source_of(session)
    except Exception as error:
        recipe, lost = machine.salvaged(session)
        names = cut(", ".join(lost), LONGEST_LABEL)
        say_session_ignored(f"{names} ({error}); {_kept_as(user_settings.last_session())}")
        state, spec = machine.state(merged(begins, recipe)), source_of(recipe)
    if options.names_source or "source" in lost:
        leave_source(state)
    if options.names_source:
        return state, NO_SOURCE
    state.sources = sources_of(session)
    return state, spec


def _with_defaults(
    options: WindowRequest, machine: Machine, source: Source, reason: str
) -> tuple[ViewerState, Source]:
    """Replace a restored viewer state by the defaults, and print the reason.

    The source is replaced by the built-in scene, unless options name it.
    """
    say_session_ignored(reason)
    if not options.names_source:
        source.close()
        source = open_source(spec_to_open(options))
    with _closed_on_error(source):
        state, _ = _restored(options, machine, {})
        _apply(options, state, source)
    return state, source


def _apply(options: WindowRequest, state: ViewerState, source: Source) -> None:
    """Apply command line options to a restored viewer state.

    A pipeline that the command line names has its last settings. If the command line names the
    source, or rectifies it by its features, the expected disparities are searched, unless options
    or a file of settings give others.
    """
    if options.names_pipeline:  # else session or file decide
        switch_pipeline(state, options.pipeline.name)
    named = bool(options.left) and not options.settings
    if options.rectify == "auto" or named:
        params = state.slot.params
        expected = expected_range(source, params.values())
        state.slot = replace(state.slot, params=params.changed(**expected))
        stated = stated_by(source) if expected else None
        if stated and not expected.keys() & options.params.keys():
            say(range_note(stated))
    apply_options(state, options)
    if options.bands:
        state.slot = state.slot.replace(bands=options.bands)
        state.b = state.b and state.b.replace(bands=options.bands)


def _complete(options: WindowRequest, state: ViewerState, source: Source, saved: Recipe) -> None:
    """Adapt runs A and B to the source, and open the timeline for a sequence.

    Print which frame is shown if the chosen one is beyond the source's last.
    """
    state.fit_slots(ahead_of(source))
    if options.in_window and source.times is not None and "window" not in saved:
        state.open_panels.add(TIMELINE)
    if state.frame >= source.length > 1:
        begins = f"frame {state.frame} is frame {state.frame % source.length}"
        say(f"{begins}: {label(source.name)} repeats its {source.length} frames")


@contextmanager
def _closed_on_error(source: Source) -> Iterator[None]:
    try:
        yield
    except BaseException:
        source.close()
        raise


def _open_saved(options: WindowRequest, state: ViewerState, spec: SourceSpec) -> Source:
    """Open the source or, if that of the last session fails, print why and open the built-in scene.

    Raises:
        OSError, ValueError: a source that options name cannot be opened.
    """
    try:
        return open_source(spec_to_open(options, spec))
    except (OSError, ValueError, Unavailable) as error:
        if not spec or image_options(options):
            raise
        say(f"source of the last session ignored: {error}; showing the built-in scene")
    leave_source(state)
    state.sources = state.sources.without(state.sources.shown)
    return open_source(spec_to_open(options))


def spec_to_open(options: WindowRequest, saved: SourceSpec = NO_SOURCE) -> SourceSpec:
    """Return the source to open: the one that options name, or the saved one with changes.

    Args:
        options: ``left`` is None if it names a screenshot.
        saved: the source in settings; empty: the built-in scene.

    Raises:
        ValueError: an option does not fit the source.
    """
    given = image_options(options)
    if options.left:
        return SourceSpec(options.left, options.right or None, **given)
    kept = saved.changed(**_replaced(given))
    if saved.left and not options.names_scene:
        return kept.changed(**given)
    if "truth_scale" in given and "truth" not in given:
        raise ValueError("--truth-scale needs images: the built-in scene has its own ground truth")
    rig = {} if options.scene else {name: getattr(kept, name) for name in CALIBRATION}
    size = options.scene_size or saved.size
    if not size and not options.calibration:  # else the size that the rig was calibrated with
        size = (options.size if options.verb == "render" else None) or SCENE_SIZE
    seed = saved.seed if options.seed is None else options.seed
    scene = options.scene or saved.scene or SCENES[0]
    return SourceSpec(scene=scene, seed=seed or 0, size=size, **{**rig, **given})


def _replaced(given: dict[str, Any]) -> dict[str, None]:
    """Return None for those saved options that new truth or calibration options replace."""
    names: tuple[str, ...] = ("truth_scale",) if "truth" in given else ()
    names += (*CALIBRATION, "rectify") if "calibration" in given else ()
    return dict.fromkeys(names + (CALIBRATION if given.get("rectify") == "auto" else ()))


def _with_right_view(options: WindowRequest) -> WindowRequest:
    """Add the path of the right view to options that name a lone left image, and print it.

    No search is made if the pipeline takes one picture, or if the layout defines both views. For a
    live source, print that its first frame is awaited.
    """
    if not options.left:
        return options
    if is_live(options.left):
        say(f"waiting for the first frame of {Address(options.left).name} ...")
    takes_two = "right" in options.pipeline.inputs and options.layout in (None, "pair")
    if options.right or not takes_two:
        return options
    path = expanded(options.left).absolute()
    pair = pair_of(path) if path.is_file() else None
    if not pair or pair[0] != path:
        return options
    place = os.path.relpath(pair[1], path.parent)
    say(f"right view: {place}, next to {Path(options.left).name}")
    return replace(options, right=str(pair[1]))


def _machine(options: WindowRequest) -> Machine:
    """Return the devices that are unavailable, and the user's presets if they may be needed."""
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    may_choose = options.in_window or options.preset or options.b_preset
    if may_choose:
        user_settings.keep_former_presets()
    return Machine(absent, user_settings.presets(say) if may_choose else {})


def _file(options: WindowRequest) -> tuple[Path, Recipe]:
    """Read the settings file or the screenshot that a command line names.

    Returns:
        The file, and its recipe; empty without such a file.
    """
    if options.settings:
        return options.settings, user_settings.read(options.settings)
    path = Path(options.left or "")
    return path, (read_recipe(path) if options.left and not options.right else None) or {}


def _asked(
    options: WindowRequest, path: Path, file: Recipe, spec: SourceSpec
) -> tuple[SourceSpec, Question | None]:
    """Return the source to open, or no source but a question if the user must confirm it.

    Raises:
        ValueError: there is no window in which to ask.
    """
    trusted = options.trust_sources or options.names_scene or (options.settings and options.left)
    foreign = () if trusted else foreign_files(path, spec, file.get("seal"))
    if not foreign:
        return spec, None
    if not options.in_window:
        check_trusted(path, spec, file.get("seal"))
    return NO_SOURCE, question_about(path, foreign, spec)


def _last_session(options: WindowRequest) -> Recipe:
    """Return the settings at the last exit; if they cannot be read, print why and return {}.

    They are also empty without a window and with ``--fresh``.
    """
    path = user_settings.last_session()
    if not options.in_window or options.fresh or not path.exists():
        return {}
    try:
        return user_settings.read(path)
    except OSError as error:
        say_session_ignored(error)
    except Exception as error:  # whatever was remembered, it stops no start
        say_session_ignored(f"{error}; {_kept_as(path)}")
    return {}


def _kept_as(path: Path) -> str:
    """Rename a damaged settings file, and describe its new location."""
    try:
        return f"kept as {set_aside(path)}"
    except OSError as error:
        return f"it cannot be renamed: {error}"


def _why_impossible(state: ViewerState, source: Source) -> str:
    """Return the reason why a source cannot be shown in a viewer state; empty if it can."""
    if source.values:  # on which nothing is computed
        return ""
    size = source.height, source.width
    shown = [chosen(state)] if state.mixing.uses_a else []
    shown += [chosen_b(state)] if state.mixing.uses_b else []
    try:
        for one in shown:
            check_fit(one.slot.pipeline, one.slot.variant, one.slot.params, *size)
            # A built-in scene has pairs, and renders its first frame when the window is open.
            if source.spec.left and not source.frame(one.frame).is_pair:
                one.check_single_image(source.name)
        if len(shown) == 2 and not state.mixing.alone:
            check_mixable(state, shown[0], shown[1], *size)
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def say_session_ignored(reason: object) -> None:
    """Print why the settings of the last session are not restored."""
    say(f"settings of the last session ignored: {reason}")
