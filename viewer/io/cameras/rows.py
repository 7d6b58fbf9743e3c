"""Measurement of the row differences between the views of a pair: 0 px if it is rectified."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.matching import Grey, Matches, match_views
from wheatstone.viewer.io.cameras.rig import Matrix

FEATURES = 1200  # looked for in each view
LEAST = 30  # matches below which nothing is said
MISALIGNED = 0.7  # px; a larger median is that of a pair that is not rectified


@dataclass(frozen=True)
class RowError:
    """The row differences between matching points of a left and a right view.

    Attributes:
        count: number of matched points.
        median, p95: median and 95th percentile of the absolute difference in pixels; NaN: unknown.
        lower: median of the difference in pixels; positive: lower in the right view.
        turn: degrees by which the right view is rotated clockwise against the left one.
        scale: scale of the right view relative to the left one, by its rows.
        calibrated: whether the calibration of a rig rectified the views.
    """

    count: int
    median: float = math.nan
    p95: float = math.nan
    lower: float = math.nan
    turn: float = math.nan
    scale: float = math.nan
    calibrated: bool = False

    @property
    def known(self) -> bool:
        """Return whether enough matching points were detected to measure the row differences."""
        return self.count >= LEAST

    @property
    def misaligned(self) -> bool:
        """Return whether the row differences prove that the pair is not rectified."""
        return self.known and self.median > MISALIGNED

    @property
    def words(self) -> str:
        """Return the median row difference as a short text for the status line."""
        return f"rows {self.median:.2f} px" if self.known else "rows unknown"

    @cached_property
    def warning(self) -> str:
        """Return a warning if the pair is not rectified, else an empty text."""
        name = "rows calibrated" if self.calibrated else "rows"
        return Finding(name, median=self.median) if self.misaligned else ""

    @property
    def cause(self) -> str:
        """Describe how the right view is shifted, rotated and scaled; empty if that is unknown."""
        if not self.known:
            return ""
        way = "lower" if self.lower >= 0 else "higher"
        turned = "clockwise" if self.turn >= 0 else "counter-clockwise"
        size = f"{abs(self.scale - 1):.1%} {'larger' if self.scale >= 1 else 'smaller'}"
        return (
            f"right view {abs(self.lower):.1f} px {way}, turned {abs(self.turn):.2f} degrees "
            f"{turned}, {size}"
        )


def measure_rows(left: Grey, right: Grey, *, calibrated: bool = False) -> RowError:
    """Match features of two views and measure their row differences.

    Args:
        left, right: (H, W) grey levels, of one size. Large views are matched at a reduced size;
            results are in pixels of the original views.
        calibrated: as for ``RowError``.
    """
    rows = rows_of(match_views(left, right, FEATURES), left.shape[1], left.shape[0])
    return replace(rows, calibrated=calibrated)


def rows_of(matches: Matches, width: int, height: int) -> RowError:
    """Measure the row differences between matching points of two views."""
    if matches.count < LEAST:
        return RowError(matches.count)
    p, q = matches.left.astype(np.float64), matches.right.astype(np.float64)
    lower = q[:, 1] - p[:, 1]
    median, p95 = np.percentile(np.abs(lower), (50, 95))
    turn, scale = _turn_and_scale(q - ((width - 1) / 2, (height - 1) / 2), lower)
    return RowError(matches.count, float(median), float(p95), float(np.median(lower)), turn, scale)


def _turn_and_scale(places: Matrix, lower: Matrix) -> tuple[float, float]:
    """Fit the rotation (degrees) and scale of the right view that explain its row differences.

    If the right view is rotated clockwise by an angle t and enlarged by s, a point at (x, y) from
    its centre came from the row y cos(t) / s - x sin(t) / s.
    """
    terms = np.column_stack([places, np.ones(len(places))])
    (x, y, _), *_ = np.linalg.lstsq(terms, lower, rcond=None)
    return math.degrees(math.atan2(x, 1 - y)), 1 / math.hypot(x, 1 - y)
