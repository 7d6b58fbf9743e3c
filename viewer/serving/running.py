"""The main loop of the served program, which draws only while pictures change and are seen."""

import gc
import time
from collections.abc import Callable
from contextlib import ExitStack, closing

from wheatstone.viewer.app import App
from wheatstone.viewer.jobs.isolated import IsolatedCalls
from wheatstone.viewer.pace import WATCHES
from wheatstone.viewer.serving.audience import Audience
from wheatstone.viewer.serving.encoder import Encoder
from wheatstone.viewer.serving.served_window import ServedWindow

PASS = 1 / 60  # seconds from one picture to the next, unless something is done meanwhile
SHORTEST = 1 / 200  # seconds from one picture to the next at least
ENCODES = 0.05  # seconds that the next picture waits for the last one to be encoded, at most
GLANCE = 0.001  # seconds between two looks whether a picture is read
OPENING = 60.0  # seconds that opening a file may take


def run(
    app: App,
    window: ServedWindow,
    audience: Audience,
    encoder: Encoder,
    ended: Callable[[], bool] = lambda: False,
) -> None:
    """Run the program for its viewers until it closes.

    A read-only viewer cannot close the program for all others: it closes its own page.

    Args:
        ended: returns whether the program has to end, independent of viewers.
    """
    frozen, pace = False, app.pace
    while not (window.closed or ended()):
        if app.state.closing and not app.state.bounds.read_only:
            return
        if app.state.closing:
            app.state.closing = False
            audience.dismiss("you closed this page; the program goes on")
        audience.rests = app.rests
        seconds, looks = pace.seconds(), audience.looks
        if not (audience.acted or app.has_to_run) and (seconds or not looks):
            _wait(app, window, audience, seconds)
            continue
        began = time.perf_counter()
        app.step()
        if app.started and not frozen:
            gc.freeze()  # going through all that was imported would hold up a frame for 0.1 s
            frozen = True
        _pace(window, audience, encoder, began)


def isolate_reading(app: App, stack: ExitStack) -> None:
    """Read files opened from a page in another process first, with a limit of time.

    So no file can block the threads that draw, serve viewers and end the program.
    """
    app.beside.limit = OPENING
    app.beside.isolated = stack.enter_context(closing(IsolatedCalls(OPENING)))


def _wait(app: App, window: ServedWindow, audience: Audience, seconds: float) -> None:
    """Wait until there is input or a viewer again, for at most ``seconds`` if not 0."""
    window.hand_on_last()
    app.session.meters.rest()
    if not audience.looks:
        app.session.hold()
    audience.wait(_wakes(audience, only_acts=seconds > 0), min(seconds or WATCHES, WATCHES))
    app.follow_files()


def _wakes(audience: Audience, *, only_acts: bool) -> Callable[[], bool]:
    """Return the condition for continuing: there is input, or a viewer's page is visible."""
    return lambda: audience.acted or (audience.looks and not only_acts)


def _pace(window: ServedWindow, audience: Audience, encoder: Encoder, began: float) -> None:
    """Wait until the next picture is due, and first for the encoder to take the last one."""
    audience.wait(lambda: encoder.has_taken, began + ENCODES - time.perf_counter())
    while (left := began + PASS - time.perf_counter()) > 0:
        window.hand_on()
        if audience.acted and left < PASS - SHORTEST:
            return
        audience.wait(lambda: audience.acted, min(left, GLANCE))
