"""Rectification of a pair without a calibration, from matched features of its views.

The fundamental matrix of matched features determines which rows of both views correspond. It does
not determine a pixel's column in its row; columns are chosen so that both views change as little
as possible. Depth of such a pair is relative: its unit and its zero are not known.

Source: Hartley and Zisserman, "Multiple View Geometry", 2nd edition, section 11.12; Loop and Zhang,
"Computing Rectifying Homographies for Stereo Vision", CVPR 1999, on choosing the columns.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines.sgm.params import HELD_BY_ALL, SgmParams
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.calibration import assumed
from wheatstone.viewer.io.cameras.matching import Grey, Matches, match_views
from wheatstone.viewer.io.cameras.rectification import Rectification, ViewMap, apply_map, map_of
from wheatstone.viewer.io.cameras.rig import Camera, Matrix
from wheatstone.viewer.io.cameras.rows import LEAST, RowError, measure_rows, rows_of

FEATURES = 3000  # looked for in each view
LIVE = 2_000_000  # pixels; a larger view is scaled down, so that it is matched while one watches
GRID = 9  # points across, and down, at which the distortion of a view is judged
AREA = (0.5, 2.0)  # of the image: a rectified view of a smaller or larger one is refused
SEEN = 0.5  # share of the image that both rectified views must fill
NEIGHBOURS = 8  # matches whose disparities a match's is compared with
STRAY = 0.03  # of the width: farther from its neighbours' disparity, a match is taken for wrong
NEAR, FAR = 0.25, 0.3  # of the range of disparities, kept free for what nothing was matched of
SLACK = 2.0  # px kept free besides


@dataclass(frozen=True, eq=False)
class Uncalibrated:
    """The rectification of a pair without a calibration, and its quality.

    Attributes:
        rectification: the maps; its disparities are a proposed range, its calibration has the unit
            ``relative``.
        homographies: (3, 3) float64 each, from the original left and right view to the rectified
            ones; the maps are made from them.
        before, after: the row differences before and after rectification.
        matches, tried: number of matches that fit one geometry, and of all matches.
    """

    rectification: Rectification
    homographies: tuple[Matrix, Matrix]
    before: RowError
    after: RowError
    matches: int
    tried: int

    @property
    def notes(self) -> tuple[str, ...]:
        """Describe the rectification and its effect on depth, in lines for the user."""
        first, count = self.rectification.disparities or (0, 0)
        return (
            f"rectified by {self.matches} matches of {self.tried}: rows differ by "
            f"{_median(self.after)}, before by {_median(self.before)} (median)",
            Finding("features", first=first, count=count),
        )


def rectify_uncalibrated(left: Grey, right: Grey) -> Uncalibrated:
    """Compute the rectification of a pair from its views alone.

    Args:
        left, right: (H, W) grey levels, of one size, which is also that of the rectified views.

    Raises:
        ValueError: too few features match, or the cameras are not approximately side by side; the
            message is one line for the user.
    """
    height, width = left.shape
    matches = match_views(left, right, FEATURES)
    both = _homographies(matches, width, height)
    matches = _matched_levelled(left, right, both) or matches
    both = _homographies(matches, width, height)
    both, disparities = _with_positive_disparities(both, matches, width)
    left_map, right_map = (_map_by(view, width, height) for view in both)
    rectification = Rectification(left_map, right_map, assumed(width, height), "auto", disparities)
    after = measure_rows(apply_map(left, left_map), apply_map(right, right_map))
    before = rows_of(matches, width, height)
    return Uncalibrated(rectification, both, before, after, matches.count, matches.tried)


def divisor(width: int, height: int) -> int:
    """Return the integer factor by which to reduce a pair of images so that matching is fast."""
    factor = 1
    while (width // factor) * (height // factor) > LIVE:
        factor += 1
    return factor


def scaled_down(view: NDArray[np.uint8], by: int) -> NDArray[np.uint8]:
    """Scale a view, (H, W) or (H, W, C), down by an integer; remaining pixels are cut off."""
    import cv2

    if by == 1:
        return view
    height, width = view.shape[0] // by, view.shape[1] // by
    whole = view[: height * by, : width * by]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _median(error: RowError) -> str:
    return f"{error.median:.2f} px" if error.known else "an unknown number"


def _map_by(view: Matrix, width: int, height: int) -> ViewMap:
    """Make the rectification map of a view from the homography that rectifies it."""
    return map_of(Camera(np.eye(3)), view, np.eye(3), width, height)


def _matched_levelled(left: Grey, right: Grey, both: tuple[Matrix, Matrix]) -> Matches | None:
    """Match the views again after a first rectification, by which they have become more similar.

    Returns:
        Points of the original views; None if too few match.
    """
    height, width = left.shape
    maps = [_map_by(view, width, height) for view in both]
    matches = match_views(apply_map(left, maps[0]), apply_map(right, maps[1]), FEATURES)
    if matches.fundamental is None or matches.count < LEAST:
        return None
    p, q = (
        _mapped(points, np.asarray(np.linalg.inv(view), np.float64)).astype(np.float32)
        for points, view in zip((matches.left, matches.right), both, strict=True)
    )
    return Matches(p, q, both[1].T @ matches.fundamental @ both[0], matches.tried)


def _homographies(matches: Matches, width: int, height: int) -> tuple[Matrix, Matrix]:
    """Compute the homographies of both views that bring matching points into the same row.

    Raises:
        ValueError: too few points match, or an image would be folded.
    """
    if matches.fundamental is None or matches.count < LEAST:
        problem = f"{matches.count} points match, {LEAST} are needed"
        raise ValueError(f"the pair cannot be rectified: {problem}")
    left, right = _levelled(matches.fundamental, width, height)
    views = [_undistorted(view, width, height) for view in _in_place(left, right, width, height)]
    for view in views:
        _check_shape(view, width, height)
    return views[0], views[1]


def _levelled(fundamental: Matrix, width: int, height: int) -> tuple[Matrix, Matrix]:
    """Compute homographies that map epipolar lines to common rows; columns are chosen later.

    The right view's homography maps its epipole to infinity along the rows. The epipolar line of
    each left point, which goes through the epipole, becomes a row of the right view, and that row
    also becomes the point's row.
    """
    centred = np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, width]]) / width
    back = np.linalg.inv(centred)
    epipolar = back.T @ fundamental @ back
    x, y, w = np.linalg.svd(epipolar)[0][:, 2]
    if x < 0:  # turn by less than a quarter, so that nothing stands on its head
        x, y, w = -x, -y, -w
    away = np.hypot(x, y)
    right = np.array([[x / away, y / away, 0], [-y / away, x / away, 0], [0, 0, 1]])
    right = np.array([[1, 0, 0], [0, 1, 0], [-w / away, 0, 1]]) @ right
    lines = np.linalg.inv(right).T @ epipolar
    left = np.array([[1, 0, 0], -lines[2], lines[1]])
    return left @ centred / left[2, 2], right @ centred / right[2, 2]


def _grid(width: int, height: int) -> Matrix:
    """Return a regular grid of points over the image, with a 1 appended to each: (N, 3)."""
    x, y = np.meshgrid(np.linspace(0, width - 1, GRID), np.linspace(0, height - 1, GRID))
    return np.column_stack([x.ravel(), y.ravel(), np.ones(GRID * GRID)])


def _in_place(left: Matrix, right: Matrix, width: int, height: int) -> tuple[Matrix, Matrix]:
    """Scale and shift the rows of both views equally, so that pixels move as little as possible."""
    places = _grid(width, height)
    rows = np.concatenate([places @ view[1] / (places @ view[2]) for view in (left, right)])
    terms = np.column_stack([rows, np.ones(len(rows))])
    (scale, shift), *_ = np.linalg.lstsq(terms, np.tile(places[:, 1], 2), rcond=None)
    alike = np.array([[1, 0, 0], [0, scale, shift], [0, 0, 1]])
    return alike @ left, alike @ right


def _undistorted(view: Matrix, width: int, height: int) -> Matrix:
    """Compute the first row of a homography so that it distorts the image as little as possible.

    There is no distortion where the columns' gradient is the rows' gradient rotated by 90 degrees;
    this is solved by least squares over the image. The image's centre stays in its column.
    """
    places = _grid(width, height)
    w, rows = places @ view[2], places @ view[1]
    nothing = np.zeros_like(w)
    along_x = np.column_stack([w, nothing, nothing]) - places * view[2, 0]
    along_y = np.column_stack([nothing, w, nothing]) - places * view[2, 1]
    down = view[1, 1] * w - rows * view[2, 1]
    across = view[1, 0] * w - rows * view[2, 0]
    terms = np.vstack([along_x / w[:, None] ** 2, along_y / w[:, None] ** 2])
    units = np.array([1, 1, width])
    wanted = np.concatenate([down / w**2, -across / w**2])
    columns = np.linalg.lstsq(terms * units, wanted, rcond=None)[0] * units
    middle = np.array([(width - 1) / 2, (height - 1) / 2, 1])
    columns += view[2] * (middle[0] - (columns @ middle) / (view[2] @ middle))
    return np.vstack([columns, view[1], view[2]])


def _check_shape(view: Matrix, width: int, height: int) -> None:
    """Raise ``ValueError`` for a homography that folds an image or distorts it too much."""
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], np.float64)
    w = corners @ view[2]
    x, y = corners @ view[0] / w, corners @ view[1] / w
    area = 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / (width * height)
    seen = _share_inside(x, y, width, height)
    if not ((w > 0).all() and AREA[0] <= area <= AREA[1] and seen >= SEEN):
        raise ValueError(
            "the pair cannot be rectified: the cameras do not lie side by side, or too little "
            "tells how they lie"
        )


def _share_inside(x: Matrix, y: Matrix, width: int, height: int) -> float:
    """Compute the fraction of an image that a quadrilateral covers."""
    import cv2

    image = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    corners = np.column_stack([x, y]).astype(np.float32)
    if not (np.isfinite(corners).all() and cv2.isContourConvex(corners)):
        return 0.0
    return float(cv2.intersectConvexConvex(corners, image)[0]) / (width * height)


def _with_positive_disparities(
    views: tuple[Matrix, Matrix], matches: Matches, width: int
) -> tuple[tuple[Matrix, Matrix], tuple[int, int]]:
    """Shift the right view to make disparities positive; also return the search range to propose.

    Returns:
        The homographies; and the first disparity to search, and how many.
    """
    left, right = views
    p = _mapped(matches.left, left)
    consistent = _consistent(p, (p - _mapped(matches.right, right))[:, 0], width)
    least, most = np.percentile(consistent, (1, 99))
    first = least - FAR * (most - least) - SLACK
    wanted = most + NEAR * (most - least) + SLACK - first
    right = np.vstack([right[0] + first * right[2], right[1:]])
    count = controls(SgmParams)["disparities"]
    wanted = count.stride * np.ceil(wanted / count.stride)
    return (left, right), (0, int(np.clip(wanted, count.low, HELD_BY_ALL)))


def _consistent(places: Matrix, disparities: Matrix, width: int) -> Matrix:
    """Return the disparities that are close to the median of neighbouring matches."""
    from_each = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    nearest = np.argsort(from_each, axis=1, kind="stable")[:, 1 : NEIGHBOURS + 1]
    around = np.median(disparities[nearest], axis=1)
    good = np.abs(disparities - around) <= STRAY * width
    return disparities[good] if good.sum() >= LEAST / 2 else disparities


def _mapped(points: NDArray[np.float32], view: Matrix) -> Matrix:
    """Map points (N, 2) by a homography, to points (N, 2)."""
    ahead = np.column_stack([points, np.ones(len(points))]) @ view.T
    return np.asarray(ahead[:, :2] / ahead[:, 2:], np.float64)
