"""The panel that shows the calibration of the source's cameras."""

import math

from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.io.cameras.calibration import RELATIVE, Calibration
from wheatstone.viewer.io.cameras.facts import Fact, pair_facts
from wheatstone.viewer.io.cameras.rectification import Rectification
from wheatstone.viewer.io.cameras.rows import RowError
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.measure.distance import depth_step, length
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import AMBER, draw_pairs, draw_wrapped

NO_CALIBRATION = (
    "The cameras are not calibrated: depth is relative. Open the file of their calibration, or "
    "store it next to the images as Middlebury, ETH3D and KITTI do."
)
NO_BASELINE = "The distance between the cameras is unknown: depth is relative, not in metres."


def view_facts(known: Calibration, width: int, height: int) -> list[Fact]:
    """List the calibration of a rectified pair of images of a given size."""
    across, down = field_of_view(known, width, height)
    degree = "\N{DEGREE SIGN}"
    seen = ("field of view", f"{across:.1f}{degree} x {down:.1f}{degree}")
    focal, *others = pair_facts(known)
    return [focal, seen, *others]


def field_of_view(known: Calibration, width: int, height: int) -> tuple[float, float]:
    """Compute the field of view of the left view in degrees: across and down."""
    angles = [
        math.degrees(math.atan((middle + 0.5) / known.focal))
        + math.degrees(math.atan((pixels - 0.5 - middle) / known.focal))
        for middle, pixels in zip(known.principal, (width, height), strict=True)
    ]
    return angles[0], angles[1]


def depth_facts(known: Calibration, searched: tuple[float, float], step: float) -> list[Fact]:
    """List the range and the steps of depth that a range of disparities in pixels can measure."""
    low, high = searched
    listed = [
        ("disparities", f"{low:g} to {high:g} px, steps of {step:g} px"),
        ("depths", f"{_depth(known, high)} to {_depth(known, low)}"),
    ]
    depths = [1.0] if known.unit == "m" else []
    middle = known.depth((low + high) / 2)
    for z in depths + ([middle] if middle else []):
        where = f"one step at {length(z, known.unit)}"
        listed.append((where, length(depth_step(known, z, step), known.unit)))
    return listed


def _depth(known: Calibration, disparity: float) -> str:
    depth = known.depth(disparity)
    return "infinity" if depth is None else length(depth, known.unit)


def rectification_facts(rectification: Rectification) -> list[Fact]:
    """List how a pair was rectified, and the calibration of its unrectified cameras."""
    left, right = (view.outside for view in (rectification.left, rectification.right))
    return [
        ("rectified by", rectification.origin or "its source"),
        ("pixels from outside", f"left {left:.1%}, right {right:.1%}"),
        *rectification.facts,
    ]


def row_facts(rows: RowError) -> list[Fact]:
    """List the measured vertical offset between the rows of the left and the right view."""
    if not rows.known:
        return [("row offset", f"unknown: {rows.count} points match")]
    return [
        ("row offset, median", f"{rows.median:.2f} px"),
        ("row offset, p95", f"{rows.p95:.2f} px"),
        ("matching points", f"{rows.count}"),
    ]


class CameraPanel(Body):
    """The contents of the panel that shows the cameras' calibration.

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
            draw_wrapped(self.rows.cause, AMBER if self.rows.misaligned else None)


def _facts(session: Session, runner: Runner, frame: Frame) -> dict[str, list[Fact]]:
    """List the calibration of a frame's cameras, by heading."""
    listed: dict[str, list[Fact]] = {}
    width, height = session.source.width, session.source.height
    if frame.raw:
        listed["cameras before rectification"] = rectification_facts(frame.raw.rectification)
    if not frame.calibration:
        return listed
    listed[f"rectified pair, {width} x {height}"] = view_facts(frame.calibration, width, height)
    slot = runner.shown.slot if runner.shown else None
    image = slot.pipeline.image(slot.pipeline.output) if slot else None
    if slot and image and image.disparity and image.limits:
        step, searched = image.resolution(slot.params), image.limits(slot.params)
        listed["depth"] = depth_facts(frame.calibration, searched, step)
    return listed


def _remark(frame: Frame) -> str:
    """Return a text on which calibration values a frame lacks; empty if it has all."""
    if not frame.calibration:
        return NO_CALIBRATION
    return NO_BASELINE if frame.calibration.unit == RELATIVE else ""


def _draw_facts(name: str, facts: list[Fact]) -> None:
    draw_pairs(name, [(*fact, "") for fact in facts])
