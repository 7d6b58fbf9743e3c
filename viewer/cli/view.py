"""``wheatstone view``: show a source in a window until the window is closed."""

import atexit
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from wheatstone.viewer.choices.bounds import EVERYWHERE, Bounds
from wheatstone.viewer.choices.panel_choices import START
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.record import ask_to_record
from wheatstone.viewer.cli.signals import closing_at_signals
from wheatstone.viewer.cli.start import (
    NothingShown,
    open_view,
    say_session_ignored,
    show_values_of_b,
)
from wheatstone.viewer.cli.view_request import WindowRequest
from wheatstone.viewer.display.frames.background_tasks import retire
from wheatstone.viewer.display.screen.window import Window
from wheatstone.viewer.io.files.output import set_aside
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.dismissed_findings import read_dismissed
from wheatstone.viewer.settings.recent_sources import recent_sources
from wheatstone.viewer.window.app import App, open_app
from wheatstone.viewer.window.effects.ending import end_lesson, end_tour

BUSY = ("worker", "scene", "fetching", "opening", "closing", "frames")
"""Names of threads that may be in compiled code, or wait for reading, when the user quits."""
_codes: list[int] = []  # that the process ends with, if threads are left behind


def may_leave_threads() -> None:
    """Register an exit function that ends the process without waiting for threads.

    See ``leave_threads``. Call this before any thread starts. Other exit functions run before,
    because the last one registered is the first to be called.
    """
    atexit.register(_leave)


def leave_threads(code: int) -> None:
    """Let the process end with an exit code without waiting for its busy threads.

    Without such threads, the process ends as usual.
    """
    if any(thread.name in BUSY for thread in threading.enumerate()):
        _codes.append(code)


def _leave() -> None:
    """End the process without finalizing Python, if ``leave_threads`` recorded an exit code."""
    if _codes:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(_codes[-1])


P = ParamSpec("P")
Request = TypeVar("Request", bound=WindowRequest)
QUICKLY = 0.1  # seconds that each of those that may compute or read gets to end


def with_defaults_if_broken(
    show: Callable[Concatenate[Request, P], int],
) -> Callable[Concatenate[Request, P], int]:
    """Decorate a function that shows a window, so that it retries with default settings.

    If the last session makes it fail before its first picture, that session is set aside, and it
    starts again with defaults. Threads that still compute or read when it ends are abandoned.
    """

    @wraps(show)
    def shown(request: Request, /, *args: P.args, **options: P.kwargs) -> int:
        may_leave_threads()
        session, kept = user_settings.last_session(), None
        while True:
            try:
                leave_threads(code := show(request, *args, **options))
                return code
            except NothingShown as broken:
                error = broken.__cause__ or broken
            if kept:
                kept.rename(session)  # it was not what broke the start
            if request.fresh or request.settings or not session.exists():
                raise error
            try:
                kept = set_aside(session)
                place = f"kept as {kept}"
            except OSError as why:
                place = f"it cannot be renamed: {why}"
            say_session_ignored(f"{type(error).__name__}: {error}; {place}")
            request = replace(request, fresh=True)

    return shown


@with_defaults_if_broken
def view(request: WindowRequest, first: Callable[[App], None] = lambda app: None) -> int:
    """Run ``wheatstone view`` until the user closes the window; return the exit code.

    The last view of the window is saved for the next start, however the window ends.

    Args:
        first: called with the program before its first frame.
    """
    with ExitStack() as stack:
        state, source = open_view(request)
        stack.callback(retire, source, QUICKLY)
        prepare_state(request, state, source)
        signals = stack.enter_context(closing_at_signals(state))
        width, height = request.size or (1280, 800)
        window = stack.enter_context(closing(Window(width, height, "Wheatstone")))
        if not request.size:
            window.enlarge(max(state.look.scale, 1.0))
        app = open_app(stack, window, state, source, request.display, QUICKLY)
        show_values_of_b(request, app.session)
        first(app)
        with saved_at_end(app):
            app.run()
        window.hide()  # at once, though a step that computes may go on for seconds
        for message in app.finish():
            say(message)
    return 128 + signals[0] if signals else 0


def prepare_state(
    request: WindowRequest, state: ViewerState, source: Source, bounds: Bounds = EVERYWHERE
) -> None:
    """Prepare a new window's state: recent sources, limits, hints, start page and recording.

    The start page is shown with the built-in scene if the command line names nothing to show. The
    hints are those of a first start. Print the notes about the source.

    Args:
        bounds: limits for the files that are opened and written from within the program.
    """
    state.recent, state.dismissed = recent_sources(), read_dismissed()
    state.bounds = replace(bounds, saves=not request.no_save)
    state.bars = request.bars is not False
    state.hints = user_settings.first_start() and not request.no_save
    named = request.names_source or request.settings or source.spec.left
    if not named:
        state.open_panels.add(START)
        state.front = START
    if request.kernel:
        state.show_panel("own_kernel")
    ask_to_record(request, state, source)
    for note in source.notes:
        say(note)


@contextmanager
def saved_at_end(app: App) -> Iterator[None]:
    """Return a context that runs the program, and saves its settings where the bounds allow it.

    If the program fails, its current settings may be the cause: then the last view shown is saved.

    Raises:
        NothingShown: the program failed before its first picture; the cause is the error.
    """
    good, app.fits_depths = True, True
    try:
        yield
    except Exception as error:
        good = False
        good = app.choose_last_shown()
        if not good:
            raise NothingShown from error
        raise
    finally:
        if good and app.state.bounds.saves_session:
            end_tour(app.state)
            end_lesson(app.state)
            user_settings.save_quietly(app.state, app.spec)
