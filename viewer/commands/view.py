"""``wheatstone view``: show what the command line says in a window, until the window is closed."""

import argparse
from contextlib import ExitStack, closing

from viewer.app import App
from viewer.commands.messages import say
from viewer.commands.record import ask_to_record
from viewer.commands.signals import closing_at_signals
from viewer.commands.start import open_view
from viewer.frames.session import Session
from viewer.screen.display import Display
from viewer.screen.overlay import Overlay
from viewer.screen.window import Window
from viewer.settings import user_settings


def view(options: argparse.Namespace) -> int:
    """Open a window and run the program in it until the user closes it; return the exit code.

    What the window showed last is saved for the next start, however the window ends.
    """
    with ExitStack() as stack:
        state, source = open_view(options)
        stack.enter_context(closing(source))
        state.bars = options.bars is not False
        ask_to_record(options, state, source)
        signals = stack.enter_context(closing_at_signals(state))
        for note in source.notes:
            say(note)
        width, height = options.size or (1280, 800)
        window = stack.enter_context(closing(Window(width, height, "Wheatstone")))
        display = stack.enter_context(closing(Display()))
        session = stack.enter_context(closing(Session(state, source, display, options.display)))
        overlay = stack.enter_context(closing(Overlay(window.scale)))
        app = stack.enter_context(closing(App(window, session, overlay)))
        run_and_save(app)
        window.hide()  # at once, though a step that computes may go on for seconds
        for told in app.finish():
            say(told)
    return 128 + signals[0] if signals else 0


def run_and_save(app: App) -> None:
    """Run the program until it ends, and save its settings, whatever ends it.

    What was chosen when the program broke may be what broke it: then what was shown last is saved.
    """
    good = True
    try:
        app.run()
    except Exception:
        good = False
        good = app.choose_last_shown()
        raise
    finally:
        if good:
            user_settings.save_quietly(app.state, app.recipe)
