"""Point clouds of the frame shown by a session."""

from typing import TYPE_CHECKING

from wheatstone.viewer.files.cloud import EVERYWHERE, PointCloud, cloud_of
from wheatstone.viewer.files.values import in_units
from wheatstone.viewer.frames.worker import Task

if TYPE_CHECKING:
    from wheatstone.viewer.frames.session import Session


def begin_cloud(session: "Session") -> Task[PointCloud]:
    """Start to compute a point cloud of the visible pixels of A, or of all if none is visible.

    Raises:
        ValueError: A's pipeline has no disparity.
    """
    state = session.state
    slot, frame = state.slot, session.frames.frame(state.frame)
    image = slot.image(slot.pipeline.output)
    if not image.disparity:
        raise ValueError(f"{slot.pipeline.name} has no disparity to make points of")
    stored, axes = session.values_task(image.name), state.look.axes
    region = session.display.drawn.visible(0) or EVERYWHERE

    def job(_: Task[PointCloud]) -> PointCloud:
        disparity = in_units(stored.result(), image, slot.params)
        return cloud_of(disparity, frame.calibration_or_assumed, frame.left, axes, region)

    return session.worker.submit("cloud", job)
