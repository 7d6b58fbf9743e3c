"""The calibration panel: the calibration of the source's cameras."""

from wheatstone.viewer.cameras.calibration import RELATIVE
from wheatstone.viewer.cameras.facts import Fact
from wheatstone.viewer.cameras.rows import RowError
from wheatstone.viewer.frames.runner import Runner
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.panels.camera.camera_words import (
    NO_BASELINE,
    NO_CALIBRATION,
    depth_facts,
    rectification_facts,
    row_facts,
    view_facts,
)
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.panels.widgets import AMBER, draw_pairs, draw_wrapped
from wheatstone.viewer.screen.dear_imgui import imgui
from wheatstone.viewer.sources.frame import Frame


class CameraPanel:
    """The body of the calibration panel.

    Attributes:
        facts: the known properties, by heading.
        remark: the missing properties, and how to supply them; empty if nothing is missing.
        rows: by how many rows the views are apart; None if not measured.
    """

    def __init__(self) -> None:
        self.facts: dict[str, list[Fact]] = {}
        self.remark = ""
        self.rows: RowError | None = None

    def update(self, context: PanelContext) -> None:
        """Collect the calibration of the frame on screen."""
        session = context.session
        runner = session.a if context.state.mixing.uses_a else session.b
        self.rows = session.rows.newest
        if runner.frame:
            self.facts, self.remark = _facts(session, runner, runner.frame), _remark(runner.frame)

    def draw(self, context: PanelContext) -> None:
        """Draw the calibration under its headings, then the vertical offset of the views."""
        if self.remark:
            draw_wrapped(self.remark, AMBER)
        for heading, facts in self.facts.items():
            imgui.separator_text(heading)
            _draw_facts(heading, facts)
        if self.rows:
            imgui.separator_text("rows of left and right")
            _draw_facts("rows", row_facts(self.rows))
            draw_wrapped(self.rows.warning or self.rows.cause, AMBER if self.rows.apart else None)

    def close(self) -> None:
        """Release nothing: this panel holds no resources."""


def _facts(session: Session, runner: Runner, frame: Frame) -> dict[str, list[Fact]]:
    """List the calibration of a frame's cameras, by heading."""
    found: dict[str, list[Fact]] = {}
    width, height = session.source.width, session.source.height
    if frame.raw:
        found["cameras as they are"] = rectification_facts(frame.raw.rectification)
    if not frame.calibration:
        return found
    found[f"rectified pair, {width} x {height}"] = view_facts(frame.calibration, width, height)
    slot = runner.shown.slot if runner.shown else None
    image = slot.pipeline.image(slot.pipeline.output) if slot else None
    if slot and image and image.disparity and image.limits:
        step, searched = image.resolution(slot.params), image.limits(slot.params)
        found["depth"] = depth_facts(frame.calibration, searched, step)
    return found


def _remark(frame: Frame) -> str:
    """Return which calibration of a frame is missing; empty if nothing is."""
    if not frame.calibration:
        return NO_CALIBRATION
    return NO_BASELINE if frame.calibration.unit == RELATIVE else ""


def _draw_facts(name: str, facts: list[Fact]) -> None:
    """Draw names on the left and values on the right."""
    draw_pairs(name, [(*fact, "") for fact in facts])
