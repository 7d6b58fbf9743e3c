"""Run a program whose window rests after each frame, as it does on a screen; Xvfb never waits.

Run as ``python -m tests.refreshed MODULE WORDS...``.
"""

import runpy
import sys
import time

from wheatstone.viewer.display.screen.window import Window

REST = 0.03  # seconds; without it frames take a core while a test presses keys
show = Window.swap


def show_and_rest(window: Window) -> None:
    """Show the drawn picture, and rest."""
    show(window)
    time.sleep(REST)


if __name__ == "__main__":
    Window.swap = show_and_rest  # type: ignore[method-assign, assignment]
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
