"""Survey of all disparities of a pair at a reduced size: their range, sign and order in rows.

It answers what a search within one range cannot: whether the range is too small, whether the
views are exchanged, and which of two views in one picture is the left one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.pipelines.sgm.params import HELD_BY_ALL
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.matching import Grey, match_views
from wheatstone.viewer.io.cameras.rows import RowError
from wheatstone.viewer.io.sources.truth import not_searched

WIDTH = 320  # pixels that the views are scaled down to
REACH = 0.8  # of the width: the largest disparity, of either sign
LEAST = 0.15  # of the pixels that must match before anything is concluded
FEATURES = 600
LEAST_FEATURES = 30  # below which nothing is certain
OUTSIDE = 0.1  # of the matches outside the range searched before the user is told
FEATURES_OUTSIDE = 0.05  # of the features: repeating patterns match densely at wrong places
REPEATED = 3  # times the features' disparities, beyond which dense ones are of repeating patterns
CERTAIN = 0.9  # of the matches outside the range, which too few features need not confirm
NEGATIVE = 0.9  # of the matches: the views are exchanged
UNSHIFTED = 0.99  # of the matches: the views are the same picture
BLANK = 2  # grey levels that the pixels of a view differ by if it shows nothing
EMPTY = 0.01  # of the pixels with a disparity, below which the user is told
TREND = 0.4  # correlation of row and disparity from which the order of the views is certain
MOST_SEARCHED = HELD_BY_ALL
"""The largest number of disparities that is searched without the user's choice."""
Condition = Callable[[NDArray[np.float32]], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class DisparitySurvey:
    """The disparities of a pair, matched at a reduced size over nearly the whole width.

    Attributes:
        disparity: (h, w) pixels of the original views, NaN where nothing matches.
        features: (N,) those of matched features, in pixels; to confirm the dense ones.
        blank: the views that show nothing, as the subject of a sentence; empty: none.
        same: whether all grey levels are equal.
    """

    disparity: NDArray[np.float32]
    features: NDArray[np.float32]
    blank: str = ""
    same: bool = False

    @cached_property
    def known(self) -> NDArray[np.float32]:
        """Return the disparities of all matching pixels; empty if too few match."""
        known = self.disparity[np.isfinite(self.disparity)]
        return known if known.size >= LEAST * self.disparity.size else known[:0]

    @property
    def trend(self) -> float:
        """Return the correlation of row and disparity: positive if lower things are nearer."""
        if not self.known.size:
            return 0.0
        rows = np.nonzero(np.isfinite(self.disparity))[0]
        if not (np.ptp(rows) and np.ptp(self.known) > 1):
            return 0.0
        return float(np.corrcoef(rows, self.known)[0, 1])

    @property
    def right_first(self) -> bool | None:
        """Return whether the first view is the right view; None if that is not certain."""
        return None if abs(self.trend) < TREND else self.trend < 0

    def warning(self, searched: tuple[int, int] | None, exchange: str) -> str:
        """Return a warning that explains best why the pair's disparities are wrong, else empty.

        Args:
            searched: the first disparity searched, and their number; None: none are searched.
            exchange: the layout that exchanges the views; empty: none does.
        """
        if self.blank:
            return Finding("blank views", views=self.blank)
        if self.same or self._share_of(np.abs(self.known) < 0.25) >= UNSHIFTED:
            return Finding("same views")
        negative = self._share_of(self.known < -0.5)
        # Photographs are shifted sideways at will: lower things that are nearer confirm the order.
        if exchange and negative >= NEGATIVE and self.right_first is not False:
            return Finding("exchanged", share=negative, opposite=exchange)
        return self.outside(*searched) if searched else ""

    def _share_of(self, fitting: NDArray[np.bool_]) -> float:
        return float(np.mean(fitting)) if fitting.size else 0.0

    def outside(self, first: int, count: int) -> str:
        """Return a warning if many matches lie outside the range searched, else an empty text.

        Args:
            first: the first disparity searched.
            count: number of disparities searched.
        """
        last = first + count - 1
        above, below = self._share(lambda d: d > last + 0.5), self._share(lambda d: d < first - 0.5)
        if not (above or below):
            return ""
        where, share = ("above", above) if above >= below else ("below", below)
        advice = self._advice(first, last, bool(above), bool(below))
        return Finding("range", share=share, where=where, first=first, last=last, **advice)

    def _share(self, fits: Condition) -> float:
        """Return the share of matches that fit a condition; 0 if it is too small to be certain."""
        share, by_features = (self._share_of(fits(of)) for of in (self.known, self.features))
        if self.features.size < LEAST_FEATURES:
            return share if share >= CERTAIN else 0.0
        return share if share >= OUTSIDE and by_features >= FEATURES_OUTSIDE else 0.0

    def _advice(self, first: int, last: int, above: bool, below: bool) -> dict[str, str | int]:
        """Return values for a warning: a range that covers nearly all matches, and its options."""
        lowest, highest = np.percentile(self.known, (2, 99)).tolist()
        if self.features.size >= LEAST_FEATURES:
            confirmed = float(np.percentile(self.features, 95))
            highest = 1.25 * confirmed if 0 < REPEATED * confirmed < highest else highest
        begin = min(first, 16 * int(lowest // 16)) if below else first
        end = highest * 1.1 if above else last
        count = 16
        while count < end - begin + 1:
            count *= 2
        options = [f"--disparities {count}"] * (count != last - first + 1)
        options += [f"--min-disparity {begin}"] * below
        if count <= MOST_SEARCHED:
            search = f"{count} from {begin}" if begin else str(count)
            return {"count": count, "begin": begin, "search": search, "options": " ".join(options)}
        begin = max(0, 16 * int((highest * 1.1 - MOST_SEARCHED) // 16))
        return {
            "count": MOST_SEARCHED,
            "begin": begin,
            "search": f"{MOST_SEARCHED} from {begin}",
            "options": f"--disparities {MOST_SEARCHED} --min-disparity {begin} for the nearest, "
            "or scale the images down",
        }


def survey_disparities(left: Grey, right: Grey) -> DisparitySurvey:
    """Match two rectified views densely at a reduced size, and by their features.

    Args:
        left, right: (H, W) grey levels, of one size.
    """
    matches = match_views(left, right, FEATURES)
    features = np.asarray((matches.left - matches.right)[:, 0], np.float32)
    both = zip(("left", "right"), (left, right), strict=True)
    blank = [name for name, view in both if np.ptp(np.percentile(view, (1, 99))) <= BLANK]
    views = "both views are" if len(blank) == 2 else f"the {blank[0]} view is" if blank else ""
    return DisparitySurvey(_dense(left, right), features, views, np.array_equal(left, right))


def pair_warnings(
    rows: RowError | None,
    survey: DisparitySurvey | None,
    searched: tuple[int, int] | None,
    exchange: str,
    truth: NDArray[np.float32] | None = None,
) -> tuple[str, ...]:
    """List warnings about a pair: on misaligned rows, else on disparities; and on its ground truth.

    Args:
        rows, survey: None while they are not measured.
        searched, exchange: as for ``DisparitySurvey.warning``.
        truth: as for ``not_searched``; None without ground truth.
    """
    misaligned = rows.warning if rows else ""
    unfit = survey.warning(searched, exchange) if survey and not misaligned else ""
    lost = not_searched(truth, *searched) if truth is not None and searched else ""
    return tuple(filter(None, (misaligned, unfit, lost)))


def empty_warning(share: float, variant: Variant) -> str:
    """Return a warning if hardly any pixel has a disparity, else an empty text.

    Args:
        variant: that computed it; the range of a peer may be no parameter.
    """
    name = "empty of a peer" if variant.peer else "empty"
    return Finding(name, share=share, variant=variant.name) if share < EMPTY else ""


def _dense(left: Grey, right: Grey) -> NDArray[np.float32]:
    """Match two views at a reduced size by OpenCV's semi-global matching."""
    import cv2

    ratio = min(1.0, WIDTH / left.shape[1])
    a, b = (_scaled(view, ratio) for view in (left, right))
    height, width = a.shape
    reach = 16 * int(np.ceil(REACH * width / 16))
    # OpenCV skips the columns where part of the range leaves the image: noise widens it.
    noise = np.random.default_rng(0).integers(0, 256, (4, height, reach), np.uint8)
    matcher = cv2.StereoSGBM.create(
        minDisparity=-reach,
        numDisparities=2 * reach,
        blockSize=5,
        P1=200,
        P2=800,
        disp12MaxDiff=1,
        preFilterCap=31,
        uniquenessRatio=15,
        speckleWindowSize=50,
        speckleRange=2,
        mode=cv2.STEREO_SGBM_MODE_SGBM_3WAY,
    )
    wide = (np.hstack([noise[2 * n], view, noise[2 * n + 1]]) for n, view in enumerate((a, b)))
    disparities = matcher.compute(*wide)[:, reach : reach + width].astype(np.float32) / 16
    partner = np.arange(width) - disparities
    known = (disparities > -reach) & (partner >= 0) & (partner < width)
    return np.where(known, disparities / np.float32(ratio), np.float32(np.nan))


def _scaled(view: Grey, ratio: float) -> Grey:
    """Scale a view down, to at least 8 rows."""
    import cv2

    height, width = view.shape
    size = max(1, round(width * ratio)), max(8, round(height * ratio))
    return np.asarray(cv2.resize(view, size, interpolation=cv2.INTER_AREA), np.uint8)
