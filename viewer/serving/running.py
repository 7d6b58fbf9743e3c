"""The loop of the program while it is served: it draws while somebody looks and something moves."""

import gc
import time
from collections.abc import Callable
from contextlib import ExitStack, closing

from wheatstone.viewer.app import App
from wheatstone.viewer.jobs.isolated import IsolatedCalls
from wheatstone.viewer.serving.audience import Audience
from wheatstone.viewer.serving.encoder import Encoder
from wheatstone.viewer.serving.served_window import ServedWindow

PASS = 1 / 60  # seconds from one picture to the next, unless something is done meanwhile
SHORTEST = 1 / 200  # seconds from one picture to the next at least
ENCODES = 0.05  # seconds that the next picture waits for the last one to be encoded, at most
GLANCE = 0.001  # seconds between two looks whether a picture is read
LINGERS = 0.6  # seconds that pictures are drawn on after something was done: what appears late
OPENING = 60.0  # seconds that opening a file may take
WATCHES = 0.5  # seconds between two looks at files that may change, and at what asks for the end


def run(
    app: App,
    window: ServedWindow,
    audience: Audience,
    encoder: Encoder,
    ended: Callable[[], bool] = lambda: False,
) -> None:
    """Show the program to an audience until it closes.

    Who may only read cannot close the program for all others: it closes the own page.

    Args:
        ended: tells whether the program ends, whatever viewers may do.
    """
    quiet_since, frozen = time.perf_counter(), False
    while not (window.closed or ended()):
        if app.state.closing and not app.state.bounds.read_only:
            return
        if app.state.closing:
            app.state.closing = False
            audience.dismiss("you closed this page; the program goes on")
        audience.rests = app.rests
        if audience.acted or not audience.rests:
            quiet_since = time.perf_counter()
        rests = time.perf_counter() - quiet_since > LINGERS
        if not _has_to_run(app, audience) and (rests or not audience.looks):
            window.hand_on_last()
            audience.wait(_wakes(audience, only_acts=rests), WATCHES)
            app.follow_files()
            continue
        began = time.perf_counter()
        app.step()
        if app.started and not frozen:
            gc.freeze()  # going through all that was imported would hold up a frame for 0.1 s
            frozen = True
        _pace(window, audience, encoder, began)


def isolate_reading(app: App, stack: ExitStack) -> None:
    """Have files opened from a page read in another process first, which may take limited time.

    So no file stops the threads that draw, answer viewers and end the program.
    """
    app.beside.limit = OPENING
    app.beside.isolated = stack.enter_context(closing(IsolatedCalls(OPENING)))


def _has_to_run(app: App, audience: Audience) -> bool:
    """Tell whether pictures are needed although nobody looks."""
    recording = app.session.recordings.running
    return audience.acted or recording or bool(app.state.errands) or app.beside.busy


def _wakes(audience: Audience, *, only_acts: bool) -> Callable[[], bool]:
    """Make what tells that the program has to go on: somebody acts, or looks again."""
    return lambda: audience.acted or (audience.looks and not only_acts)


def _pace(window: ServedWindow, audience: Audience, encoder: Encoder, began: float) -> None:
    """Wait until the next picture is due: no sooner than the last one is taken to be encoded."""
    audience.wait(lambda: encoder.has_taken, began + ENCODES - time.perf_counter())
    while (left := began + PASS - time.perf_counter()) > 0:
        window.hand_on()
        if audience.acted and left < PASS - SHORTEST:
            return
        audience.wait(lambda: audience.acted, min(left, GLANCE))
