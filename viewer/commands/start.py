"""Make the initial state and source of windows and ``render`` from a command line.

Settings come in layers of plain data; later layers override earlier ones:

    defaults < last session < file < options

The last session is the state of the last window when it was closed. The file is a settings file or
a screenshot given as LEFT; if there is one, the last session is ignored.
"""

from pathlib import Path

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.execution import check_fit
from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.choices.panel_choices import TIMELINE
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.commands.messages import say, say_session_ignored
from wheatstone.viewer.commands.source_options import (
    names_scene,
    names_source,
    open_chosen,
    source_to_open,
)
from wheatstone.viewer.commands.view_request import WindowRequest
from wheatstone.viewer.files.aside import set_aside
from wheatstone.viewer.picture.mixable import check_mixable
from wheatstone.viewer.picture.shown import chosen, chosen_b
from wheatstone.viewer.reading.plain_text import LONGEST_LABEL, cut, label
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.chosen import of_window
from wheatstone.viewer.settings.foreign_sources import foreign_files, question_about
from wheatstone.viewer.settings.layers import Machine, merged, on_another_source, switched
from wheatstone.viewer.settings.option_layer import option_layer
from wheatstone.viewer.settings.recipe import Recipe
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.sources.frame import Source
from wheatstone.viewer.sources.levelling import expected_range


def recipe_to_show(
    options: WindowRequest,
    machine: Machine,
    session: Recipe,
    file: Recipe,
    source: Source,
) -> Recipe:
    """Merge the settings of the view: defaults < last session < file < options.

    A pipeline that the command line names has its settings from session or file. If the command
    line rectifies the source by its features, the expected disparities are searched, unless options
    give others. A window that restores no file begins with the default choices of windows.

    Args:
        session: the settings at the last exit; empty: they are ignored.
        file: the settings in the file named; empty: no file is named.
        source: the source to be shown.
    """
    defaults = machine.defaults(options.pipeline.name)
    begins = {"chosen": of_window()} if options.in_window and not file else {}
    recipe = merged(defaults, begins, session, file)
    if options.names_pipeline:  # else session or file decide
        recipe = switched(recipe, defaults)
    if options.rectify == "auto":
        params = recipe["params"]
        recipe = merged(recipe, {"params": {**params, **expected_range(source, params)}})
    return merged(recipe, option_layer(options, recipe, machine))


def open_view(options: WindowRequest) -> tuple[ViewerState, Source]:
    """Make the state and open the source that a command line describes.

    If the last session's view cannot be computed here, the session is ignored with a message.

    Raises:
        ValueError, OSError: invalid input.
        Unavailable: the requested variant needs a device that is absent.
    """
    machine = _machine(options)
    path, file = _file(options, machine)
    file, question = _asked(options, path, file)
    session = {} if file else _last_session(options, machine)
    try:
        state, source = _opened(options, machine, session, file)
    except (OSError, ValueError, Unavailable):
        raise
    except Exception as error:
        if not session:
            raise
        kept = _kept_as(user_settings.last_session())
        say_session_ignored(f"{type(error).__name__}: {error}; {kept}")
        state, source = _opened(options, machine, {}, file)
    if not file:
        state.messages = Messages()
    state.question = question
    return state, source


def _opened(
    options: WindowRequest, machine: Machine, session: Recipe, file: Recipe
) -> tuple[ViewerState, Source]:
    """Open the source, and make the state that shows it; see ``open_view``."""
    source, session = open_chosen(options, session, file)
    try:
        recipe = recipe_to_show(options, machine, session, file, source)
        state = machine.state(recipe)
        if session and (reason := _why_impossible(state, source)):
            say_session_ignored(reason)
            if not names_source(options):  # then it is the source of that session
                source.close()
                source = user_settings.reopened(source_to_open(options, saved={}))
            state = machine.state(recipe_to_show(options, machine, {}, {}, source))
    except BaseException:
        source.close()
        raise
    if options.in_window and source.times is not None and "window" not in recipe:
        state.open_panels.add(TIMELINE)
    if state.frame >= source.length > 1:
        begins = f"frame {state.frame} is frame {state.frame % source.length}"
        say(f"{begins}: {label(source.name)} has {source.length} frames, over and over")
    return state, source


def _machine(options: WindowRequest) -> Machine:
    """Determine which devices can be used, and read the user's presets if they may be needed."""
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    may_choose = options.in_window or options.preset or options.b_preset
    if may_choose:
        user_settings.keep_former_presets()
    return Machine(absent, user_settings.presets(say) if may_choose else {})


def _file(options: WindowRequest, machine: Machine) -> tuple[Path, Recipe]:
    """Read the settings file or the screenshot that a command line names, if it names one.

    Returns:
        The file, and its recipe; empty without such a file.
    """
    path: Path = options.settings or Path(options.left or "")
    if options.settings:
        recipe = user_settings.read(path)
    else:
        recipe = (read_recipe(path) if options.left and not options.right else None) or {}
    try:
        return path, machine.checked(recipe) if recipe else {}
    except ValueError as error:
        raise user_settings.told_of(path, error) from error


def _asked(options: WindowRequest, path: Path, file: Recipe) -> tuple[Recipe, Question | None]:
    """Remove a source from a recipe if the user must confirm it first, and return the question.

    Raises:
        ValueError: there is no window in which to ask.
    """
    others = names_scene(options) or (options.settings and options.left)
    foreign = () if options.trust_sources or others else foreign_files(path, file)
    if not foreign:
        return file, None
    if not options.in_window:
        raise ValueError(
            f"{path}: wants to open {', '.join(foreign)}, which lies outside its folder; "
            "name the images yourself, or give --trust-sources"
        )
    return {**file, "source": {}}, question_about(path, foreign, file)


def _last_session(options: WindowRequest, machine: Machine) -> Recipe:
    """Read the settings at the last exit; if they cannot be restored, print why and return none."""
    path = user_settings.last_session()
    if not options.in_window or options.fresh or not path.exists():
        return {}
    try:
        recipe = _restorable(path, machine)
    except OSError as error:
        say_session_ignored(error)
        return {}
    except Exception as error:  # whatever was remembered, it stops no start
        say_session_ignored(f"{error}; {_kept_as(path)}")
        return {}
    return on_another_source(recipe) if names_source(options) else recipe


def _restorable(path: Path, machine: Machine) -> Recipe:
    """Read a saved recipe; if parts are invalid, omit them, print a note and rename the file.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file holds no settings.
    """
    saved = user_settings.read(path)
    try:
        return machine.checked(saved)
    except Exception as error:
        recipe, lost = machine.salvaged(saved)
        names = cut(", ".join(lost), LONGEST_LABEL)
        say_session_ignored(f"{names} ({error}); {_kept_as(path)}")
        return recipe


def _kept_as(path: Path) -> str:
    """Rename a damaged file, and describe its new location."""
    try:
        return f"kept as {set_aside(path)}"
    except OSError as error:
        return f"it could not be set aside: {error}"


def _why_impossible(state: ViewerState, source: Source) -> str:
    """Return why a state's view cannot be computed from a source; empty if it can."""
    size = source.height, source.width
    shown = [chosen(state)] if state.mixing.uses_a else []
    shown += [chosen_b(state)] if state.mixing.uses_b else []
    try:
        for one in shown:
            check_fit(one.slot.pipeline, one.slot.variant, one.slot.params, *size)
            # A built-in scene has pairs, and renders its first frame when the window is open.
            if "left" in source.recipe and not source.frame(one.frame).is_pair:
                one.check_single_image(source.name)
        if len(shown) == 2 and not state.mixing.alone:
            check_mixable(state, shown[0], shown[1], *size)
    except (OSError, ValueError) as error:
        return str(error)
    return ""
