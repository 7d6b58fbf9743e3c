"""A calibrated rig, and how good the calibration is."""

from dataclasses import dataclass

from wheatstone.viewer.cameras.board_views import BoardView
from wheatstone.viewer.cameras.boards import Board
from wheatstone.viewer.cameras.coverage import Coverage
from wheatstone.viewer.cameras.rig import Matrix, Rig

GOOD_ROWS = 0.5
"""Pixels that the rows may be off, as median and on average."""


@dataclass(frozen=True)
class ViewErrors:
    """How far a view's corners lie from where the cameras see them, as RMS in pixels.

    Attributes:
        left, right: by each camera alone.
        stereo: by the rig, over both images.
    """

    left: float
    right: float
    stereo: float


@dataclass(frozen=True, eq=False)
class UsedView:
    """A view and what came of it.

    Attributes:
        errors: in the calibration; those of a dropped view, in the one for which it was dropped.
        distances: (N,) for each image, by each camera alone.
        dropped: whether the view was an outlier.
    """

    view: BoardView
    errors: ViewErrors
    distances: tuple[Matrix, Matrix]
    dropped: bool = False


@dataclass(frozen=True)
class RowErrors:
    """How far the rows of corners differ between the rectified views, in pixels."""

    mean: float
    median: float
    p95: float
    largest: float

    @property
    def why_bad(self) -> str:
        """Say why the rows are not good enough; empty if they are."""
        off = {"median": self.median, "mean": self.mean}
        beyond = [f"{name} {value:.2f} px" for name, value in off.items() if value > GOOD_ROWS]
        return f"rows are off by more than {GOOD_ROWS:g} px: {' and '.join(beyond)}" * bool(beyond)


@dataclass(frozen=True, eq=False)
class StereoCalibration:
    """A calibrated rig, and how good it is.

    Attributes:
        views: those that count, in their order, the dropped ones included.
        left_out: name and reason of each view that does not count.
        rms: of the left camera, of the right one and of the rig, over all corners used.
        spreads: standard deviation of each camera's focal length in pixels; NaN: not known.
        rows: of the corners used.
        coverage: of the left and the right image, by the corners used.
    """

    board: Board
    rig: Rig
    views: tuple[UsedView, ...]
    left_out: tuple[tuple[str, str], ...]
    rms: ViewErrors
    spreads: tuple[float, float]
    rows: RowErrors
    coverage: tuple[Coverage, Coverage]

    @property
    def size(self) -> tuple[int, int]:
        """Look up width and height of the images."""
        assert self.rig.size
        return self.rig.size

    @property
    def used(self) -> tuple[UsedView, ...]:
        """List the views that the calibration was made of."""
        return tuple(one for one in self.views if not one.dropped)

    @property
    def dropped(self) -> tuple[UsedView, ...]:
        """List the views that were dropped."""
        return tuple(one for one in self.views if one.dropped)
