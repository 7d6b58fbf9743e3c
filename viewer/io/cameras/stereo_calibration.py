"""The result of a rig's calibration, with its errors and quality."""

from dataclasses import dataclass

import numpy as np

from wheatstone.viewer.io.cameras.board_views import BoardView, Coverage
from wheatstone.viewer.io.cameras.boards import Board
from wheatstone.viewer.io.cameras.rig import Matrix, Rig

GOOD_ROWS = 0.5
"""Maximum median and mean of the row errors of a good calibration, in pixels."""


@dataclass(frozen=True)
class ViewErrors:
    """The RMS reprojection errors of a board view's corners, in pixels.

    Attributes:
        left, right: by each camera alone.
        stereo: by the rig, over all corners of both images.
    """

    left: float
    right: float
    stereo: float


@dataclass(frozen=True, eq=False)
class UsedView:
    """A view of the board that was used in a calibration, and its errors.

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
        """Return the reason why the row errors are too large; empty if they are not."""
        off = {"median": self.median, "mean": self.mean}
        beyond = [f"{name} {value:.2f} px" for name, value in off.items() if value > GOOD_ROWS]
        return f"rows are off by more than {GOOD_ROWS:g} px: {' and '.join(beyond)}" * bool(beyond)


@dataclass(frozen=True)
class CameraDeviations:
    """The standard deviations of a camera's parameters.

    Attributes:
        focal: of fx and fy, in pixels.
        mean_focal: of their mean.
        center: of cx and cy, in pixels.
        distortion: of the coefficients.
    """

    focal: tuple[float, ...]
    mean_focal: float
    center: tuple[float, ...]
    distortion: tuple[float, ...]

    @staticmethod
    def of(covariance: Matrix) -> "CameraDeviations":
        """Compute the standard deviations from the covariance of fx, fy, cx, cy and distortion."""
        each = tuple(np.sqrt(np.diag(covariance)).tolist())
        mean = float(np.sqrt(covariance[:2, :2].mean()))
        return CameraDeviations(each[:2], mean, each[2:4], each[4:])


@dataclass(frozen=True)
class Deviations:
    """The standard deviations of a rig's parameters; NaN where they are not determined.

    They follow from the noise of the corners. Errors of the board are not included.

    Attributes:
        rotation: about X, Y and Z, in degrees.
        translation, baseline: in the rig's unit.
    """

    left: CameraDeviations
    right: CameraDeviations
    rotation: tuple[float, ...]
    translation: tuple[float, ...]
    baseline: float

    @staticmethod
    def of(rig: Rig, covariance: Matrix) -> "Deviations":
        """Compute the standard deviations of a rig from the covariance of its parameters."""
        count = (len(covariance) - 6) // 2
        pose = covariance[-6:, -6:]
        with np.errstate(invalid="ignore"):  # a negative variance of what is not determined
            each = np.sqrt(np.diag(pose))
            along = rig.translation / rig.baseline
            return Deviations(
                CameraDeviations.of(covariance[:count, :count]),
                CameraDeviations.of(covariance[count : 2 * count, count : 2 * count]),
                tuple(np.degrees(each[:3]).tolist()),
                tuple(each[3:].tolist()),
                float(np.sqrt(along @ pose[3:, 3:] @ along)),
            )


@dataclass(frozen=True, eq=False)
class StereoCalibration:
    """A calibrated rig, with the errors and coverage of its calibration.

    Attributes:
        views: the usable views in their order, including the dropped ones.
        skipped: name and reason of each view that cannot be used.
        rms: of the left camera, of the right one and of the rig, over all corners used.
        deviations: standard deviations of the rig's parameters.
        limited: number of corners whose error is so large that they have less weight.
        rows: of the corners used.
        coverage: of the left and the right image, by the corners used.
    """

    board: Board
    rig: Rig
    views: tuple[UsedView, ...]
    skipped: tuple[tuple[str, str], ...]
    rms: ViewErrors
    deviations: Deviations
    limited: int
    rows: RowErrors
    coverage: tuple[Coverage, Coverage]

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height of the calibrated images."""
        assert self.rig.size
        return self.rig.size

    @property
    def spreads(self) -> tuple[float, float]:
        """Return the standard deviations of the left and right focal lengths, in pixels."""
        return self.deviations.left.mean_focal, self.deviations.right.mean_focal

    @property
    def used(self) -> tuple[UsedView, ...]:
        """List the views of the board from which the calibration was computed."""
        return tuple(one for one in self.views if not one.dropped)

    @property
    def dropped(self) -> tuple[UsedView, ...]:
        """List the views of the board that were dropped as outliers."""
        return tuple(one for one in self.views if one.dropped)
