"""Effects: actions on files, clipboard and sources, run after the frame that requested them.

Keys, the palette and panels append an effect to ``ViewerState.effects``; the program runs the
effects after the frame. Failures are reported in the message and end nothing.
"""

from collections.abc import Callable, Mapping
from functools import partial

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.findings import Refused
from wheatstone.viewer.lazy_import import lazy_function
from wheatstone.viewer.window.effects.program import ProgramActions

OF_A_PICTURE = (
    "screenshot",
    "save all",
    "save cloud",
    "figure",
    "copy picture",
    "fit range",
    "fit depths",
)  # these wait until all chosen is shown

WRITING = (
    *("screenshot", "save all", "save cloud", "record", "save settings"),
    *("save preset", "delete preset", "figure", "save panel"),
)
"""Effects that write files."""
OPENING = (
    *("open a file", "open a folder", "open a camera", "take files", "type path", "open"),
    "open source",
    *("open recent", "open as B", "calibrate by", "change source", "load", "use truth"),
    *("screenshots folder", "show file", "edit file"),
)
"""Effects that open files or sources that are not open yet."""
TAKING_KEYS = (
    "open a file",
    "open a folder",
    "type path",
    "load",
    "close dialog",
    "tour",
    "lesson",
)
"""Effects that decide where the next key goes: they run with the key that requests them."""


def run_effects(app: ProgramActions, effects: Mapping[str, Callable[..., None]]) -> None:
    """Run the requested effects (actions); those that use the picture wait until it is shown.

    Args:
        effects: functions by name: ``EFFECTS``, or others that replace some of them.
    """
    state = app.state
    for finish in app.background.finished():
        _try(state, finish)
    if not state.effects:
        return
    asked, state.effects = state.effects, []
    once = dict.fromkeys(effect for effect in asked if effect[0] in OF_A_PICTURE)
    for effect in (*once, *(effect for effect in asked if effect not in once)):
        name, *words = effect
        if name in OF_A_PICTURE and not (app.session.idle and app.stands):
            state.effects.append(effect)
        else:
            _try(state, partial(_run, app, effects, name, *words))


def run_at_once(app: ProgramActions, effects: Mapping[str, Callable[..., None]]) -> None:
    """Run the requested actions that change where keys are sent; keep the others pending.

    Args:
        effects: functions by name, as for ``run_effects``.
    """
    state = app.state
    asked = [effect for effect in state.effects if effect[0] in TAKING_KEYS]
    state.effects = [effect for effect in state.effects if effect not in asked]
    for name, *words in asked:
        _try(state, partial(_run, app, effects, name, *words))


def _run(
    app: ProgramActions, effects: Mapping[str, Callable[..., None]], name: str, *words: str
) -> None:
    """Run one effect (action). Raises ``ValueError`` if this window may not write or open files."""
    if name in (*WRITING, *OPENING):
        app.state.bounds.refuse_if_read_only()
    effects[name](app, *words)


def _try(state: ViewerState, effect: Callable[[], None]) -> None:
    """Run an effect (action) or the completion of one; report any failure to the user."""
    try:
        effect()
    except MemoryError:
        state.report_error("not enough memory; nothing changed")
    except (OSError, ValueError, Unavailable) as error:
        state.report_error(str(error))
        if isinstance(error, Refused):
            state.refused = error.finding
    except ImportError as error:  # what is imported late may be of another version by then
        state.report_error(f"the program's files have changed ({error}); restart it")


NAMED_AS_FUNCTIONS: Mapping[str, str] = {
    "writing": """
        screenshot, save all, save cloud, show file, edit file, record, copy line, save preset,
        delete preset, save settings, save panel, copy picture""",
    "opening": "reload, read changed, open source, rectify, next layout, calibrate by",
    "starting": """
        open recent, open scene, note source, press, tour, type path, take files, close dialog""",
    "browser": "show in browser, share, share now, stop sharing, open address, copy address",
    "sources": """
        open as B, show source, step source, close source, compare source, exchange sources""",
    "remedies": "change source, change parameter, use truth, use network, search, dismiss",
    "looking": """
        fit range, fit depths, pin, pin another, click pixel, copy pins, copy panel, copy values,
        explain, show costs, template here, range from here, range to here, copy messages,
        measure to, measure from, measure in, worst region""",
    "learning": "lesson",
    "kernels": "sanitize kernel",
}
"""The effects that are named as their functions are, by the module in this package."""
PLACES: Mapping[str, str] = {
    **{
        name: f"{module}:{name.replace(' ', '_').lower()}"
        for module, names in NAMED_AS_FUNCTIONS.items()
        for name in map(str.strip, names.split(","))
    },
    "figure": "figure:save_figure",
    "screenshots folder": "writing:open_folder",
    "open": "opening:open_files",
    **{f"open a {kind}": f"starting:open_{kind}" for kind in ("file", "folder", "camera")},
    "load": "starting:open_file",
}
"""The functions of the effects, by name: the module in this package and the function in it."""

EFFECTS: Mapping[str, Callable[..., None]] = {
    name: lazy_function(f"{__name__}.{place}") for name, place in PLACES.items()
}
"""Effects by name: functions called with the program and the effect's other words."""
