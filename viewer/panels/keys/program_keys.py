"""The functions that keys call on frames, panels and the program; ``*_actions.py`` assign keys."""

import time
from collections.abc import Callable
from dataclasses import replace

from wheatstone.gpu.steps import Setup
from wheatstone.viewer.choices import zooming
from wheatstone.viewer.choices.cloud import ASIDE, FROM_CAMERA
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.choices.zooming import zoom_at, zoom_to_fit
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.kernels.kernel_card import chosen_slots
from wheatstone.viewer.panels.kernels.kernel_parts import parts
from wheatstone.viewer.panels.panel import Panel

LEAVING = 4.0  # seconds in which a second Esc ends the program
ANY_SIZE = (64, 64)  # a variant has the same kernels at every size


def step_frame(state: ViewerState, position: int) -> None:
    """Pause, and show the previous or the next frame."""
    state.stepped, state.paused = state.stepped or not state.paused, True
    state.frame += (-1, 1)[position]
    state.hint(f"frame {state.frame}")


def jump_frame(state: ViewerState, position: int) -> None:
    """Pause, and show the first or the last frame."""
    state.paused = True
    state.frame = (0, -1)[position]
    state.hint(("first frame", "last frame")[position])


def fit(state: ViewerState, position: int) -> None:
    """Zoom out so that the whole picture fits in the window."""
    zoom_to_fit(state)
    state.hint("fitted to the window")


def go_home(state: ViewerState, position: int) -> None:
    """Show a point cloud from its first viewpoint, or from the left camera's position."""
    zooming.go_home(state, (ASIDE, FROM_CAMERA)[position])


def switch(name: str) -> Callable[[ViewerState, int], None]:
    """Return a function that toggles a boolean field of the viewer state."""

    def turn(state: ViewerState, position: int) -> None:
        setattr(state, name, not getattr(state, name))

    return turn


def toggle(panel: Panel) -> Callable[[ViewerState, int], None]:
    """Return a function that shows a panel, or closes it if it is visible."""

    def run(state: ViewerState, position: int) -> None:
        if state.panels and panel.name in state.open_panels - state.behind:
            state.open_panels.discard(panel.name)
        else:
            state.show_panel(panel.name)

    return run


def stepper(name: str) -> Callable[[ViewerState, int], None]:
    """Return a function that decreases or increases a parameter by one step."""
    return lambda state, position: state.step_param(name, (-1, 1)[position])


def race(state: ViewerState, position: int) -> None:
    """Start a race of the variants or a sweep over a parameter; stop one that is running."""
    state.racing = "" if state.racing else "sweep" if position else "race"
    if state.racing:
        state.show_panel("race")


def card(state: ViewerState, position: int) -> None:
    """Show the next kernel in the kernel panel, or switch between whole files and lines in use."""
    state.show_panel("kernels")
    card = state.kernel_card
    if position:
        choose(state, "kernel_card.whole", not card.whole)
        return
    left, _ = chosen_slots(state)
    setup = Setup(left.pipeline, left.declaration, left.params, *ANY_SIZE)
    names = [part.name for part in parts(setup)]
    if not names:
        return  # the panel says why
    index = names.index(card.left_part) if card.left_part in names else 0
    name = names[(index + 1) % len(names)]
    state.kernel_card = replace(card, left_part=name, right_part="")


ZOOM, PAN = 1.2, 0.1  # factor of the zoom; part of what is seen that the picture moves by
WAYS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def zoom(state: ViewerState, position: int) -> None:
    """Zoom at the middle of the picture; in a 3D view, approach the points or move away."""
    factor = ZOOM ** (1, -1)[position]
    if state.view.cloud:
        zooming.approach(state, factor)
    else:
        zoom_at(state, factor, state.center)


def pan(state: ViewerState, position: int) -> None:
    """Move the visible part of the picture a little to the left, right, up or down."""
    (x, y), (right, down) = state.center, WAYS[position]
    step = PAN / state.zoom
    state.look_at(x + right * step, y + down * step)


def focus(state: ViewerState, position: int) -> None:
    """Move the keyboard focus to the next visible panel, or to the previous one."""
    opened = [panel.name for panel in PANELS if state.panels and panel.name in state.open_panels]
    if not opened:
        state.focus = ""
        state.hint("no panel is open; F2 to F12 open them")
        return
    place = opened.index(state.focus) if state.focus in opened else (-1, 0)[position]
    state.focus = opened[(place + (1, -1)[position]) % len(opened)]
    state.hint("arrows, Space and Enter control the panel; Esc returns to the picture")


def menus(state: ViewerState, position: int) -> None:
    """Open the first menu, and show the bars and panels if they are hidden."""
    state.panels = state.bars = state.asks_for_menus = True


def close(state: ViewerState, position: int) -> None:
    """Cancel or close the topmost item, such as a race or a panel; finally end the program.

    Panels close in reverse order of the list of panels, after the keyboard focus has left them. The
    program asks first: it ends only if the key is pressed again soon after, and in browsers never.
    """
    opened = [panel for panel in PANELS if panel.name in state.open_panels and state.panels]
    large = [panel for panel in opened if panel.place == "beside"]
    small = [panel for panel in opened if panel.place not in ("beside", "foot")]
    if state.picks:
        state.picks = ""
        state.hint("no pixel was chosen")
    elif state.focus:
        state.focus = ""
    elif state.help or state.stages:
        state.help = state.stages = False
    elif state.look.pins:
        state.look = replace(state.look, pins=state.look.pins[:-1])
        state.hint(f"pin {len(state.look.pins) + 1} was removed")
    elif state.racing == "grid":
        _stop_racing(state)
    elif large:
        state.open_panels.discard(large[-1].name)
    elif state.racing:
        _stop_racing(state)
    elif small:
        state.open_panels.discard(small[-1].name)
    elif state.served:
        pass
    elif time.monotonic() < state.leaving:
        state.closing = True
    else:
        state.leaving = time.monotonic() + LEAVING


def _stop_racing(state: ViewerState) -> None:
    """Stop the running race of variants or parameter sweep, with a message."""
    state.hint(f"the {state.racing} was stopped; its results stay")
    state.racing = ""
