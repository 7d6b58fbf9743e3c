"""Calibrate a rig from views of a board, without those that are outliers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.cameras.board_corners import Grey
from wheatstone.viewer.cameras.board_views import BoardView, find_board
from wheatstone.viewer.cameras.boards import Board
from wheatstone.viewer.cameras.coverage import Coverage, coverage
from wheatstone.viewer.cameras.fitting import CameraFit, fit_camera, fit_rig, flattened, levelled
from wheatstone.viewer.cameras.rig import Matrix, Model, Rig
from wheatstone.viewer.cameras.stereo_calibration import (
    RowErrors,
    StereoCalibration,
    UsedView,
    ViewErrors,
)

FEWEST_VIEWS = 4
"""Views that a calibration needs."""
OUTLIER, LEAST_OUTLIER = 2.5, 0.3
RULE = (
    f"A view is dropped while its stereo error, the largest, is above {OUTLIER:g} times the median "
    f"of all views' and above {LEAST_OUTLIER:g} px."
)
LEAST_TILT = 8.0
"""Degrees: views of boards that are nearly parallel do not tell a focal length."""


class Calibrator:
    """Collects views of a board, one after the other, and calibrates the rig that took them."""

    def __init__(self, board: Board, model: Model = "plumb-bob") -> None:
        """Begin without views.

        Args:
            model: of the distortion of both cameras.
        """
        self.board, self.model = board, model
        self.views: list[BoardView] = []
        self.left_out: list[tuple[str, str]] = []

    def add(self, name: str, left: Grey, right: Grey) -> BoardView:
        """Find the board in a pair of images, (H, W) grey levels each, and take the view."""
        view = find_board(self.board, (name, left, right))
        self.take(view)
        return view

    def take(self, view: BoardView) -> None:
        """Take a view; one that does not count is left out, and the reason kept."""
        if self.views and view.size != self.views[0].size:
            (width, height), (first, second) = view.size, self.views[0].size
            self.leave_out(view.name, f"it is {width}x{height}, those before {first}x{second}")
        elif view.why:
            self.leave_out(view.name, view.why)
        else:
            self.views.append(view)

    def leave_out(self, name: str, why: str) -> None:
        """Note a view that does not count."""
        self.left_out.append((name, why))

    def result(self) -> StereoCalibration:
        """Calibrate the rig, without the views that are outliers.

        Raises:
            ValueError: there are too few views, the board lay alike in all of them, no rig fits
                them, or left and right are exchanged or above each other.
        """
        views = self.views
        if len(views) < FEWEST_VIEWS:
            raise ValueError(self._too_few())
        dropped: dict[int, UsedView] = {}
        while True:
            kept = [index for index in range(len(views)) if index not in dropped]
            fit = _fit(self.board, [views[index] for index in kept], self.model)
            worst = _outlier([one.errors.stereo for one in fit.used])
            if worst is None:
                break
            bad = fit.used[worst]
            dropped[kept[worst]] = UsedView(bad.view, bad.errors, bad.distances, dropped=True)
        _require_tilt(fit.tilt)
        _require_side_by_side(fit.rig)
        told = dropped | dict(zip(kept, fit.used, strict=True))
        return StereoCalibration(
            self.board,
            fit.rig,
            tuple(told[index] for index in range(len(views))),
            tuple(self.left_out),
            _overall(fit.used),
            (fit.cameras[0].spread, fit.cameras[1].spread),
            row_errors(fit.rig, [one.view for one in fit.used]),
            _covered(fit.used),
        )

    def _too_few(self) -> str:
        found = len(self.views)
        if found or not self.left_out:
            return f"at least {FEWEST_VIEWS} views of the board are needed (found {found})"
        return f"{self.board}: found in no view; check its kind, columns x rows and dictionary"


@dataclass(frozen=True, eq=False)
class _Fit:
    """A rig that fits some views, and how well."""

    rig: Rig
    cameras: tuple[CameraFit, CameraFit]
    used: tuple[UsedView, ...]
    tilt: float


def _fit(board: Board, views: Sequence[BoardView], model: Model) -> _Fit:
    """Fit each camera to all it saw, then the rig to what both saw."""
    size = views[0].size
    sides = [view.left for view in views], [view.right for view in views]
    left, right = (
        fit_camera([board.points[c.ids] for c in side], [c.places for c in side], size, model)
        for side in sides
    )
    shared = [board.points[view.common] for view in views]
    places = [v.left.of(v.common) for v in views], [v.right.of(v.common) for v in views]
    rig = fit_rig((left.camera, right.camera), shared, places, size)
    stereo = [_rms(np.concatenate(both)) for both in zip(*rig.errors, strict=True)]
    alone = list(zip(left.errors, right.errors, strict=True))
    errors = [ViewErrors(_rms(a), _rms(b), c) for (a, b), c in zip(alone, stereo, strict=True)]
    used = tuple(map(UsedView, views, errors, alone))
    return _Fit(rig.rig, (left, right), used, rig.tilt)


def _rms(distances: Matrix) -> float:
    return float(np.sqrt(np.mean(distances**2)))


def outlier_bound(errors: Sequence[float]) -> float:
    """Compute the stereo error in pixels above which the worst of some views is an outlier."""
    return max(OUTLIER * float(np.median(errors)), LEAST_OUTLIER)


def _outlier(errors: Sequence[float]) -> int | None:
    """Find the view to drop; None if there is none, or if no view can be spared."""
    worst = int(np.argmax(errors))
    spare = len(errors) > FEWEST_VIEWS
    return worst if spare and errors[worst] > outlier_bound(errors) else None


def _overall(used: Sequence[UsedView]) -> ViewErrors:
    """Combine the errors of views to those of all corners."""

    def combined(errors: Sequence[float], counts: Sequence[int]) -> float:
        return float(np.sqrt(np.average(np.square(errors), weights=counts)))

    views = [one.view for one in used]
    return ViewErrors(
        combined([one.errors.left for one in used], [len(view.left) for view in views]),
        combined([one.errors.right for one in used], [len(view.right) for view in views]),
        combined([one.errors.stereo for one in used], [len(view.common) for view in views]),
    )


def _covered(used: Sequence[UsedView]) -> tuple[Coverage, Coverage]:
    views = [one.view for one in used]
    left, right = [view.left.places for view in views], [view.right.places for view in views]
    return coverage(left, views[0].size), coverage(right, views[0].size)


def row_errors(rig: Rig, views: Sequence[BoardView]) -> RowErrors:
    """Compute how far the rows of corners differ once a rig has rectified both views.

    In pixels of the images as they are: rectified views that are zoomed have other ones.
    """
    focal = (rig.left.focal + rig.right.focal) / 2
    turned, projection = levelled(rig), np.diag([focal, focal, 1.0])

    def rows(side: int, places: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        together = np.concatenate(places)
        return flattened(rig.cameras[side], together, turned[side], projection)[:, 1]

    left = rows(0, [view.left.of(view.common) for view in views])
    off = np.abs(left - rows(1, [view.right.of(view.common) for view in views]))
    numbers = (np.mean(off), np.median(off), np.percentile(off, 95), np.max(off))
    return RowErrors(*map(float, numbers))


def _require_tilt(tilt: float) -> None:
    """Raise ``ValueError`` if the board lay nearly alike in all views."""
    if not tilt >= LEAST_TILT:
        raise ValueError(
            f"the board lies alike in all views, within {tilt:.1f} degrees: tilt it by 20 and more"
        )


def _require_side_by_side(rig: Rig) -> None:
    """Raise ``ValueError`` unless the right camera lies to the right of the left one."""
    x, y, _ = cast(list[float], rig.translation.tolist())
    if abs(y) > abs(x):
        raise ValueError("the cameras stand above each other: such rigs are not rectified here")
    if x > 0:
        raise ValueError(
            "the right camera lies to the left of the left one: give the views the other way round"
        )
