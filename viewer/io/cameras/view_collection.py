"""Collection of calibration views from live frames: still views of a board in new positions."""

import numpy as np

from wheatstone.viewer.io.cameras.board_views import BoardView, Coverage, coverage
from wheatstone.viewer.io.cameras.calibrating import Calibrator

STILL = 0.002
"""Maximum movement of a still board's corners between two frames, as a share of the width."""
ANOTHER = 0.02
"""Minimum average distance of corners between two views, as a share of the image's width."""
MOST_VIEWS = 60


class BoardCollector:
    """A collector that keeps only those views of a board that add information to a calibration.

    Args:
        moves: whether frames follow each other in time, so that the board may be moving.

    Attributes:
        outcome: a message for the user about the view considered last.
    """

    def __init__(self, calibrator: Calibrator, *, moves: bool) -> None:
        self.calibrator, self._moves, self.outcome = calibrator, moves, ""
        self._before: BoardView | None = None

    @property
    def count(self) -> int:
        """Return the number of collected views of the board."""
        return len(self.calibrator.views)

    def consider(self, view: BoardView) -> bool:
        """Collect a view of the board if it adds information; return whether it was collected."""
        before, self._before = self._before, view
        self.outcome = self._why_not(view, before)
        if self.outcome:
            return False
        self.calibrator.take(view)
        self.outcome = f"view {self.count} taken: {len(view.common)} corners in both images"
        return True

    def _why_not(self, view: BoardView, before: BoardView | None) -> str:
        if view.why:
            return view.why
        views, width = self.calibrator.views, view.size[0]
        if views and views[0].size != view.size:
            return "the images have another size than those before"
        if len(views) >= MOST_VIEWS:
            return f"{MOST_VIEWS} views are enough: calibrate"
        if self._moves and not (before and distance(view, before) <= STILL * width):
            return "hold the board still"
        if any(distance(view, known) < ANOTHER * width for known in views):
            seen = "as in a view taken before"
            return f"{seen}: move or tilt the board" if self._moves else seen
        return ""

    def coverage(self) -> tuple[Coverage, Coverage]:
        """Return the coverage of the left and the right image by the corners collected."""
        views = self.calibrator.views
        size = views[0].size if views else (1, 1)
        sides = [view.left.places for view in views], [view.right.places for view in views]
        left, right = (coverage(places, size) for places in sides)
        return left, right


def distance(one: BoardView, other: BoardView) -> float:
    """Compute the average distance between two views' corners in the left image.

    In pixels; infinite for views without common corners.
    """
    common = np.intersect1d(one.left.ids, other.left.ids)
    if not len(common):
        return float("inf")
    moved = one.left.of(common) - other.left.of(common)
    return float(np.linalg.norm(moved, axis=1).mean())
