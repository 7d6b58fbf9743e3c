"""Errands: what the user asks of the program: files, the clipboard, other sources.

Keys, the palette and panels write an errand into ``ViewerState.errands``; the program runs errands
after the frame. Whatever goes wrong is said in the message and ends nothing.
"""

from collections.abc import Callable, Mapping
from functools import partial

from gpu import Unavailable
from viewer.choices.state import ViewerState
from viewer.errands import looking, opening, writing
from viewer.errands.program import Program

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


ERRANDS: Mapping[str, Callable[..., None]] = {
    "screenshot": writing.screenshot,
    "save all": writing.save_all,
    "save cloud": writing.save_cloud,
    "record": writing.record,
    "copy line": writing.copy_line,
    "reload": opening.reload,
    "open": opening.open_files,
    "open source": opening.open_source,
    "rectify": opening.rectify,
    "next layout": opening.next_layout,
    "calibrate by": opening.calibrate_by,
    "save preset": writing.save_preset,
    "delete preset": writing.delete_preset,
    "save settings": writing.save_settings,
    "fit range": looking.fit_range,
    "pin": looking.pin,
    "pin another": looking.pin_another,
    "copy pins": looking.copy_pins,
    "measure to": looking.measure_to,
    "measure in": looking.measure_in,
    "worst region": looking.worst_region,
}
"""Errands by name: functions called with the program and the errand's other words."""
