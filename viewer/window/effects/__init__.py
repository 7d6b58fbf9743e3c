"""Effects that the user requests from the program: on files, the clipboard and sources.

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
    """Run the effects that the state requests; those of a picture wait until it is shown.

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
    """Run the effects that decide where the next key goes; the others wait until after the frame.

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
    """Run an effect. Raises ``ValueError`` if it may not write or open files here."""
    if name in (*WRITING, *OPENING):
        app.state.bounds.refuse_if_read_only()
    effects[name](app, *words)


def _try(state: ViewerState, effect: Callable[[], None]) -> None:
    """Run an effect, or a function that completes one; report any failure."""
    try:
        effect()
    except MemoryError:
        state.report_error("there is too little memory for that; nothing changed")
    except (OSError, ValueError, Unavailable) as error:
        state.report_error(str(error))
        if isinstance(error, Refused):
            state.refused = error.finding
    except ImportError as error:  # what is imported late may be of another version by then
        state.report_error(f"the program's files have changed ({error}); start it again")


PLACES: Mapping[str, str] = {
    "screenshot": "writing:screenshot",
    "save all": "writing:save_all",
    "save cloud": "writing:save_cloud",
    "figure": "figure:save_figure",
    "screenshots folder": "writing:open_folder",
    "show file": "writing:show_file",
    "edit file": "writing:edit_file",
    "record": "writing:record",
    "copy line": "writing:copy_line",
    "reload": "opening:reload",
    "read changed": "opening:read_changed",
    "open a file": "starting:open_file",
    "open a folder": "starting:open_folder",
    "open a camera": "starting:open_camera",
    "type path": "starting:type_path",
    "take files": "starting:take_files",
    "close dialog": "starting:close_dialog",
    "sanitize kernel": "kernels:sanitize_kernel",
    "show in browser": "browser:show_in_browser",
    "share": "browser:share",
    "share now": "browser:share_now",
    "stop sharing": "browser:stop_sharing",
    "open address": "browser:open_address",
    "copy address": "browser:copy_address",
    "open": "opening:open_files",
    "open source": "opening:open_source",
    "open recent": "starting:open_recent",
    "open as B": "sources:open_as_b",
    "show source": "sources:show_source",
    "step source": "sources:step_source",
    "close source": "sources:close_source",
    "compare source": "sources:compare_source",
    "exchange sources": "sources:exchange_sources",
    "open scene": "starting:open_scene",
    "note source": "starting:note_source",
    "press": "starting:press",
    "tour": "starting:tour",
    "lesson": "learning:lesson",
    "rectify": "opening:rectify",
    "next layout": "opening:next_layout",
    "calibrate by": "opening:calibrate_by",
    "change source": "remedies:change_source",
    "change parameter": "remedies:change_parameter",
    "load": "starting:open_file",
    "use truth": "remedies:use_truth",
    "search": "remedies:search",
    "dismiss": "remedies:dismiss",
    "save preset": "writing:save_preset",
    "delete preset": "writing:delete_preset",
    "save settings": "writing:save_settings",
    "fit range": "looking:fit_range",
    "fit depths": "looking:fit_depths",
    "pin": "looking:pin",
    "pin another": "looking:pin_another",
    "click pixel": "looking:click_pixel",
    "copy pins": "looking:copy_pins",
    "copy panel": "looking:copy_panel",
    "save panel": "writing:save_panel",
    "copy values": "looking:copy_values",
    "copy picture": "writing:copy_picture",
    "explain": "looking:explain",
    "show costs": "looking:show_costs",
    "template here": "looking:template_here",
    "range from here": "looking:range_from_here",
    "range to here": "looking:range_to_here",
    "copy messages": "looking:copy_messages",
    "measure to": "looking:measure_to",
    "measure from": "looking:measure_from",
    "measure in": "looking:measure_in",
    "worst region": "looking:worst_region",
}
"""The functions of the effects, by name: the module in this package and the function in it."""

EFFECTS: Mapping[str, Callable[..., None]] = {
    name: lazy_function(f"{__name__}.{place}") for name, place in PLACES.items()
}
"""Effects by name: functions called with the program and the effect's other words."""
