"""``wheatstone view``: show what the command line says in a window, until the window is closed."""

import argparse
from contextlib import ExitStack, closing

from viewer.app import App
from viewer.commands.messages import say
from viewer.commands.start import open_view
from viewer.frames.session import Session
from viewer.screen.display import Display
from viewer.screen.overlay import Overlay
from viewer.screen.window import Window
from viewer.settings import user_settings


def view(options: argparse.Namespace) -> int:
    """Open a window and run the program in it until the user closes it; return the exit code.

    What the window showed last is saved for the next start.
    """
    with ExitStack() as stack:
        state, source = open_view(options)
        stack.enter_context(closing(source))
        for note in source.notes:
            say(note)
        width, height = options.size or (1280, 800)
        window = stack.enter_context(closing(Window(width, height, "Wheatstone")))
        display = stack.enter_context(closing(Display()))
        session = stack.enter_context(closing(Session(state, source, display, options.display)))
        overlay = stack.enter_context(closing(Overlay(window.scale)))
        app = stack.enter_context(closing(App(window, session, overlay)))
        app.run()
        window.hide()  # at once, though a step that computes may go on for seconds
        user_settings.save_quietly(state, session.source.recipe)
    return 0
