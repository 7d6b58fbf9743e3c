"""Calibration of a rig from views of a board, with outlier views dropped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.board_corners import Grey
from wheatstone.viewer.io.cameras.board_views import BoardView, Coverage, coverage, find_board
from wheatstone.viewer.io.cameras.boards import Board
from wheatstone.viewer.io.cameras.bundle_adjustment import AdjustedRig, BoardObservation
from wheatstone.viewer.io.cameras.fitting import (
    fit_camera,
    fit_rig,
    flattened,
    largest_tilt,
    levelled,
)
from wheatstone.viewer.io.cameras.rig import Matrix, Model, Rig
from wheatstone.viewer.io.cameras.stereo_calibration import (
    Deviations,
    RowErrors,
    StereoCalibration,
    UsedView,
    ViewErrors,
)

CHECK = (
    "check its kind, columns x rows (of a chessboard, its inner corners: one less than its squares "
    "each way) and dictionary"
)
FEWEST_VIEWS = 4
"""Minimum number of views for a calibration."""
OUTLIER, LEAST_OUTLIER = 2.5, 0.3
RULE = (
    f"A view is dropped while its stereo error, the largest, is above {OUTLIER:g} times the median "
    f"of all views' and above {LEAST_OUTLIER:g} px."
)
LEAST_TILT = 8.0
"""Degrees: views of nearly parallel boards do not determine the focal length."""


class Calibrator:
    """A collection of views of a board, which calibrates the rig that recorded them."""

    def __init__(self, board: Board, model: Model = "plumb-bob") -> None:
        """Start the calibration of a rig without any views of the board.

        Args:
            model: the distortion model of both cameras.
        """
        self.board, self.model = board, model
        self.views: list[BoardView] = []
        self.skipped: list[tuple[str, str]] = []

    def add(self, name: str, left: Grey, right: Grey) -> BoardView:
        """Detect the board in a pair of images, (H, W) grey levels each, and add the view."""
        view = find_board(self.board, (name, left, right))
        self.take(view)
        return view

    def take(self, view: BoardView) -> None:
        """Add a view, or record it as skipped, with the reason, if it cannot be used."""
        if self.views and view.size != self.views[0].size:
            (width, height), (first, second) = view.size, self.views[0].size
            self.skip(view.name, f"it is {width}x{height}, those before {first}x{second}")
        elif view.why:
            self.skip(view.name, view.why)
        else:
            self.views.append(view)

    def skip(self, name: str, why: str) -> None:
        """Record a view of the board as skipped, with the reason."""
        self.skipped.append((name, why))

    def result(self, report: Callable[[str], None] | None = None) -> StereoCalibration:
        """Calibrate the rig from the views of the board that are not outliers.

        Args:
            report: called with a short text before each round; it may raise to cancel.

        Raises:
            ValueError: there are too few views, the board has the same tilt in all of them, no rig
                fits them, or the cameras are exchanged or above each other.
        """
        views = self.views
        if len(views) < FEWEST_VIEWS:
            raise ValueError(self._too_few())
        dropped: dict[int, UsedView] = {}
        while True:
            kept = [index for index in range(len(views)) if index not in dropped]
            if report:
                report(f"{len(kept)} views, {len(dropped)} dropped")
            fit = _fit(self.board, [views[index] for index in kept], self.model)
            worst = _outlier([one.errors.stereo for one in fit.used])
            if worst is None:
                break
            bad = fit.used[worst]
            dropped[kept[worst]] = UsedView(bad.view, bad.errors, bad.distances, dropped=True)
        adjusted, rig = fit.adjusted, fit.adjusted.rig
        _require_tilt(largest_tilt(adjusted.poses))
        _require_side_by_side(rig)
        judged = dropped | dict(zip(kept, fit.used, strict=True))
        return StereoCalibration(
            self.board,
            rig,
            tuple(judged[index] for index in range(len(views))),
            tuple(self.skipped),
            _overall(fit.used),
            Deviations.of(rig, adjusted.covariance),
            adjusted.limited,
            row_errors(rig, [one.view for one in fit.used]),
            _covered(fit.used),
        )

    def _too_few(self) -> str:
        count = len(self.views)
        if count or not self.skipped:
            return f"at least {FEWEST_VIEWS} views of the board are needed (found {count})"
        return f"{self.board}: found in no view; {CHECK}"


@dataclass(frozen=True, eq=False)
class _Fit:
    """A rig of two cameras fitted to some views of a board, and the errors of the fit."""

    adjusted: AdjustedRig
    used: tuple[UsedView, ...]


def _fit(board: Board, views: Sequence[BoardView], model: Model) -> _Fit:
    """Fit each camera to its corners, then both cameras and their pose jointly to all corners."""
    size = views[0].size
    sides = [view.left for view in views], [view.right for view in views]
    left, right = (
        fit_camera([board.points[c.ids] for c in side], [c.places for c in side], size, model)
        for side in sides
    )
    rig = fit_rig(left, right, [_observation(board, view) for view in views], size)
    stereo = [_rms(np.concatenate(both)) for both in rig.errors]
    alone = list(zip(left.errors, right.errors, strict=True))
    errors = [ViewErrors(_rms(a), _rms(b), c) for (a, b), c in zip(alone, stereo, strict=True)]
    return _Fit(rig, tuple(map(UsedView, views, errors, alone)))


def _observation(board: Board, view: BoardView) -> BoardObservation:
    return BoardObservation(
        (board.points[view.left.ids], board.points[view.right.ids]),
        (view.left.places, view.right.places),
    )


def _rms(distances: Matrix) -> float:
    return float(np.sqrt(np.mean(distances**2)))


def outlier_bound(errors: Sequence[float]) -> float:
    """Compute the stereo error in pixels above which the worst view is an outlier."""
    return max(OUTLIER * float(np.median(errors)), LEAST_OUTLIER)


def _outlier(errors: Sequence[float]) -> int | None:
    """Return the index of the worst view if it is an outlier that can be spared, else None."""
    worst = int(np.argmax(errors))
    spare = len(errors) > FEWEST_VIEWS
    return worst if spare and errors[worst] > outlier_bound(errors) else None


def _overall(used: Sequence[UsedView]) -> ViewErrors:
    """Combine the RMS errors of each view into the RMS errors over the corners of all views."""

    def combined(errors: Sequence[float], counts: Sequence[int]) -> float:
        return float(np.sqrt(np.average(np.square(errors), weights=counts)))

    views = [one.view for one in used]
    both = [len(view.left) + len(view.right) for view in views]
    return ViewErrors(
        combined([one.errors.left for one in used], [len(view.left) for view in views]),
        combined([one.errors.right for one in used], [len(view.right) for view in views]),
        combined([one.errors.stereo for one in used], both),
    )


def _covered(used: Sequence[UsedView]) -> tuple[Coverage, Coverage]:
    views = [one.view for one in used]
    left, right = [view.left.places for view in views], [view.right.places for view in views]
    return coverage(left, views[0].size), coverage(right, views[0].size)


def row_errors(rig: Rig, views: Sequence[BoardView]) -> RowErrors:
    """Compute the row differences of corners after the rig's rectification of both views.

    In pixels of the original images; in rectified views that are zoomed they would differ.
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
    """Raise ``ValueError`` if the board has nearly the same tilt in all views."""
    if not tilt >= LEAST_TILT:
        raise ValueError(
            f"the board lies alike in all views, within {tilt:.1f} degrees: tilt it by 20 and more"
        )


def _require_side_by_side(rig: Rig) -> None:
    """Raise ``ValueError`` if the right camera is not to the right of the left camera."""
    x, y, _ = cast(list[float], rig.translation.tolist())
    if abs(y) > abs(x):
        raise ValueError("the cameras stand above each other: such rigs are not rectified here")
    if x > 0:
        raise ValueError(
            "the right camera lies to the left of the left one: give the views the other way round"
        )
