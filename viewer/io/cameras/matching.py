"""Matching of points between two views, and their epipolar geometry without a calibration."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.rig import Matrix

RATIO = 0.8  # of the best match's distance to the second best one's, at most
WINDOW = 15  # px; what is compared where a match is refined
FARTHEST = 3.0  # px by which refining may move a match
CONTRAST = 31  # px; the window in which brightness and contrast are evened out
EVENED = 40.0, 8.0  # grey levels: the contrast afterwards, and noise that is not to be amplified
LARGEST = 1_500_000  # pixels; larger views are scaled down first
SMALLEST = 64  # px; in views of a smaller width or height no features are found
OFF = 1.0  # px; matches farther off the common geometry are taken for wrong
SEED = 1

Grey = NDArray[np.uint8]
Points = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Matches:
    """The matching points of a left and a right view, and their epipolar geometry.

    Attributes:
        left, right: (N, 2) float32, column and row in pixels of the views as they were given.
        fundamental: (3, 3) float64, the geometry that all of them fit: q F p = 0 for a point p of
            the left view and its match q, each with a 1 appended; None if too few match.
        tried: number of matches before those that do not fit the geometry were removed.
    """

    left: Points
    right: Points
    fundamental: Matrix | None
    tried: int

    @property
    def count(self) -> int:
        """Return the number of matching points."""
        return len(self.left)


NONE = Matches(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), None, 0)


def match_views(left: Grey, right: Grey, features: int) -> Matches:
    """Match features of two views with subpixel accuracy, and remove wrong matches.

    ORB features are matched in both directions and by their ratio of distances, then moved to
    where the views agree best, independent of exposure. Matches that do not fit the fundamental
    matrix of most matches are removed. It fits any two views of a scene, so matches in different
    rows remain. The same views give the same matches.

    Args:
        left, right: (H, W) grey levels, of one size.
        features: maximum number of features in each view.
    """
    if min(left.shape) < SMALLEST:
        return NONE
    ratio = min(1.0, (LARGEST / left.size) ** 0.5)
    a, b = _scaled(left, ratio), _scaled(right, ratio)
    p, q = _refined(_evened(a), _evened(b), *_matched(a, b, features))
    fits, fundamental = _fitting(p, q)
    if fundamental is None:
        return Matches(NONE.left, NONE.right, None, len(p))
    width, height = left.shape[1] / a.shape[1], left.shape[0] / a.shape[0]
    back = np.array([[1 / width, 0, (1 / width - 1) / 2], [0, 1 / height, (1 / height - 1) / 2]])
    back = np.vstack([back, [0, 0, 1]])
    ratios = np.array([width, height])  # from the centre of a pixel, as all places count
    p, q = (np.asarray((at[fits] + 0.5) * ratios - 0.5, np.float32) for at in (p, q))
    return Matches(p, q, back.T @ fundamental @ back, len(fits))


def _scaled(view: Grey, ratio: float) -> Grey:
    """Scale a view down by a ratio; return it unchanged for a ratio of 1."""
    import cv2

    if ratio == 1.0:
        return view
    size = round(view.shape[1] * ratio), round(view.shape[0] * ratio)
    return np.asarray(cv2.resize(view, size, interpolation=cv2.INTER_AREA), np.uint8)


def _matched(left: Grey, right: Grey, features: int) -> tuple[Points, Points]:
    """Match ORB features that are each other's best match, clearly better than the second best."""
    import cv2

    orb, matcher = cv2.ORB.create(features, fastThreshold=10), cv2.BFMatcher(cv2.NORM_HAMMING)
    (p, of_p), (q, of_q) = (orb.detectAndCompute(view, None) for view in (left, right))
    if of_p is None or of_q is None or len(p) < 2 or len(q) < 2:
        return NONE.left, NONE.right
    back = {match.queryIdx: match.trainIdx for match in matcher.match(of_q, of_p)}
    matches = [
        (p[best.queryIdx].pt, q[best.trainIdx].pt)
        for best, second in matcher.knnMatch(of_p, of_q, k=2)
        if best.distance < RATIO * second.distance and back[best.trainIdx] == best.queryIdx
    ]
    both = np.array(matches, np.float32).reshape(-1, 2, 2)
    return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])


def _evened(view: Grey) -> Grey:
    """Normalise local brightness and contrast, so that views of different exposure are similar."""
    import cv2

    levels, window = view.astype(np.float32), (CONTRAST, CONTRAST)
    mean = cv2.blur(levels, window)
    spread = cv2.sqrt(cv2.max(cv2.blur(levels * levels, window) - mean * mean, 0.0))
    contrast, noise = EVENED
    evened = cv2.addWeighted(levels, contrast, mean, -contrast, 0.0) / (spread + noise)
    return np.asarray(cv2.convertScaleAbs(cv2.max(evened + 128, 0.0)), np.uint8)


def _refined(left: Grey, right: Grey, p: Points, q: Points) -> tuple[Points, Points]:
    """Move points of the right view to where it matches best; remove those that move too far."""
    import cv2

    if not len(p):
        return p, q
    moved, status, _ = cv2.calcOpticalFlowPyrLK(
        left,
        right,
        p[:, None],
        q[:, None].copy(),
        winSize=(WINDOW, WINDOW),
        maxLevel=0,
        criteria=(cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 0.01),
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
    )
    moved = np.asarray(moved, np.float32)[:, 0]
    near = np.hypot(*(moved - q).T) <= FARTHEST
    good = (status.ravel() > 0) & near
    return p[good], moved[good]


def _fitting(p: Points, q: Points) -> tuple[NDArray[np.bool_], Matrix | None]:
    """Compute the fundamental matrix that most matches fit, and mark those that fit it."""
    import cv2

    none = np.zeros(len(p), bool)
    if len(p) < 8:  # which any geometry fits
        return none, None
    # Of a perfect pair, whose matches all lie in their rows, the search sometimes finds nothing: it
    # draws others from the same matches in another order.
    for order in (slice(None), slice(None, None, -1)):
        a, b = (np.ascontiguousarray(each[order]) for each in (p, q))
        cv2.setRNGSeed(SEED)
        try:
            matrix, fits = cv2.findFundamentalMat(a, b, cv2.USAC_MAGSAC, OFF, 0.999, 5000)
        except cv2.error:  # what OpenCV 5 says of some matches that no geometry fits
            continue
        if matrix is not None and matrix.shape == (3, 3):
            return fits.ravel()[order] > 0, np.asarray(matrix, np.float64)
    return none, None
