"""The result of a rig's calibration, with its errors and quality."""

from dataclasses import dataclass

from wheatstone.viewer.io.cameras.board_views import BoardView
from wheatstone.viewer.io.cameras.boards import Board
from wheatstone.viewer.io.cameras.coverage import Coverage
from wheatstone.viewer.io.cameras.rig import Matrix, Rig

GOOD_ROWS = 0.5
"""Maximum median and mean of the row errors of a good calibration, in pixels."""


@dataclass(frozen=True)
class ViewErrors:
    """The RMS reprojection errors of a view's corners, in pixels.

    Attributes:
        left, right: by each camera alone.
        stereo: by the rig, over both images.
    """

    left: float
    right: float
    stereo: float


@dataclass(frozen=True, eq=False)
class UsedView:
    """A view that was used in a calibration, and its errors.

    Attributes:
        errors: in the final calibration; of a dropped view, in the calibration that dropped it.
        distances: (N,) reprojection errors for each image, by each camera alone.
        dropped: whether the view was an outlier.
    """

    view: BoardView
    errors: ViewErrors
    distances: tuple[Matrix, Matrix]
    dropped: bool = False


@dataclass(frozen=True)
class RowErrors:
    """The row differences of corners between the rectified views, in pixels."""

    mean: float
    median: float
    p95: float
    largest: float

    @property
    def why_bad(self) -> str:
        """Return why the rows are not good enough; empty if they are."""
        off = {"median": self.median, "mean": self.mean}
        beyond = [f"{name} {value:.2f} px" for name, value in off.items() if value > GOOD_ROWS]
        return f"rows are off by more than {GOOD_ROWS:g} px: {' and '.join(beyond)}" * bool(beyond)


@dataclass(frozen=True, eq=False)
class StereoCalibration:
    """A calibrated rig, with the errors and coverage of its calibration.

    Attributes:
        views: the usable views in their order, including the dropped ones.
        left_out: name and reason of each view that cannot be used.
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
        """Return width and height of the images."""
        assert self.rig.size
        return self.rig.size

    @property
    def used(self) -> tuple[UsedView, ...]:
        """List the views from which the calibration was computed."""
        return tuple(one for one in self.views if not one.dropped)

    @property
    def dropped(self) -> tuple[UsedView, ...]:
        """List the views that were dropped as outliers."""
        return tuple(one for one in self.views if one.dropped)
