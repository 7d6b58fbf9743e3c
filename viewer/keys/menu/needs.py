"""Check the needs of actions on the source and the view, and explain why they are not met."""

from collections.abc import Mapping

from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.keys.action import DISPARITY, LAYOUTS, MIXED, SEQUENCE, SLOWED, SPACE, TRUTH


def lacking(session: Session) -> Mapping[str, str]:
    """Return for every need of an action why it is not met; empty for those that are met."""
    state, source, frame = session.state, session.source, session.frame_shown
    pipeline = state.slot.pipeline
    disparity = bool(pipeline.image(pipeline.output).disparity)
    truth = frame is None or frame.truth is not None
    reasons = {
        SEQUENCE: "" if source.length > 1 else f"{source.name} is a single frame",
        LAYOUTS: "" if len(source.layouts) > 1 else f"{source.name} has no layout to choose",
        SPACE: "" if state.view.cloud else f"view {state.view.name} is not seen in space",
        MIXED: "" if state.mixing.adjustable else "nothing to adjust: compare A and B first",
        DISPARITY: "" if disparity else f"{pipeline.name} computes no disparity",
        SLOWED: "" if watched(state) else "no stage is watched: Shift+F3 shows which there are",
        TRUTH: "" if truth else f"{source.name} has no ground truth",
    }
    if not disparity:
        reasons[TRUTH] = reasons[DISPARITY]
    return reasons
