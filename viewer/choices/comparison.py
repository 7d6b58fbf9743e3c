"""Functions that begin and end a comparison of two runs, A and B, in the window."""

from dataclasses import replace
from typing import TYPE_CHECKING

from wheatstone.viewer.choices.panel_choices import START
from wheatstone.viewer.choices.slot import unlike

if TYPE_CHECKING:
    from wheatstone.viewer.choices.state import ViewerState


def compare(state: "ViewerState", mode: str) -> None:
    """Set the mode that compares runs A and B, such as ``wipe``; see ``follow_mode``."""
    before = state.mixing.mode
    state.mix(mode=mode)
    follow_mode(state, before)


def follow_mode(state: "ViewerState", before: str) -> None:
    """Select the run (A or B) that the parameter panel changes, after the comparison mode changed.

    It is B when a comparison begins, and A when it has ended. A comparison that begins without a B
    gets one; the panel opens unless panels are hidden.

    Args:
        before: the mode of comparison until now.
    """
    if not state.mixing.shows_b:
        state.tuned = "a"
        return
    if replace(state.mixing, mode=before).shows_b:
        return
    if state.b is None and not (state.sources.other or state.ahead.values):
        state.b, state.linked = unlike(state.slot, state.absent), False
    if state.b and not state.linked:
        state.tuned = "b"
        show_parameters(state)


def show_parameters(state: "ViewerState") -> None:
    """Open the parameter panel in place of the start page, unless all panels are hidden."""
    if state.panels and not state.lesson:
        state.open_panels.discard(START)
        state.show_panel("parameters")
