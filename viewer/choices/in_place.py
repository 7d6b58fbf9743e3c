"""Determine whether something else is shown in place of A's chosen view."""

from wheatstone.viewer.choices.judging import SHOWN_AS, is_disparity
from wheatstone.viewer.choices.mixing import DIFFERENCES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched


def in_place(state: ViewerState) -> str:
    """Describe briefly the content shown in place of A's view; empty if the view is shown."""
    if watched(state):
        return f"slow motion: {state.unfolding.stage}"
    pipeline = state.slot.pipeline
    if not is_disparity(pipeline.image(pipeline.output)):
        return ""
    if state.temporal.show != "off":
        return f"over time: {state.temporal.show}"
    if state.truth.show != "off" and state.mixing.mode not in DIFFERENCES:
        return SHOWN_AS[state.truth.show].removeprefix("the ")
    return ""
