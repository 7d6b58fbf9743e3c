"""Resize a window, open and close panels, and compare each picture with one of a new display.

Import while OpenGL is bound: windows on and off the screen are checked alike.
"""

from collections.abc import Callable
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from tests.offscreen_app import settle
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.window.app import App

WORDS = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu")
PANEL = "stages"
Size = tuple[int, int]
RESIZES: tuple[str | Size, ...] = (
    *("cloud", "disparity", (401, 299), PANEL, "left", PANEL),
    *("cloud", (350, 350), "disparity", PANEL, (450, 250)),
)
"""What happens to a window, step by step: a view, the panel opens or closes, another size."""


def by_new_display(display: Display, width: int, height: int) -> NDArray[np.uint8]:
    """Draw the picture that a display drew last by another one, which drew nothing before."""
    from OpenGL import GL

    with closing(Display(computes=display._painter.computes)) as new:
        new.style = display.style
        for name in display._images:
            new.upload_image(name, display.values(name))
        new.draw(display.drawn.picture, width, height)
        drawn = new.read()
    GL.glUseProgram(0)  # one that was deleted would be bound again after Dear ImGui drew
    return drawn


def resized(
    app: App, resize: Callable[[int, int], None], shown: Callable[[], NDArray[np.uint8]]
) -> list[str]:
    """Do all of ``RESIZES`` to a program; say for each step what is wrong, or ``right``.

    Args:
        resize: gives the program's window another size.
        shown: returns what the window shows.
    """
    answers = []
    for step in RESIZES:
        if isinstance(step, tuple):
            resize(*step)
        elif step == PANEL:
            app.state.open_panels ^= {PANEL}
        else:
            app.state.choose_view(app.state.slot, step)
        app.step()
        settle(app)
        answers.append(_answer(app, shown()))
    return answers


def _answer(app: App, shown: NDArray[np.uint8]) -> str:
    """Compare display and window with what a new display draws."""
    area, display = app.layout.area, app.session.display
    right, drawn = by_new_display(display, area.width, area.height), display.read()
    if not np.array_equal(drawn, right):
        return "the display differs"
    part = shown[area.y : area.y + area.height, area.x : area.x + area.width]
    return "right" if np.array_equal(part, right) else "the window differs"
