"""Pairing of the frames of two videos by the times at which they were taken."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.footage.index import FrameIndex

Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PairedFrames:
    """The pairs of corresponding frames of two videos.

    Attributes:
        left, right: (N,) positions of the frames of each pair.
        aligned: whether both are treated as starting together, because their clocks differ.
    """

    left: Positions
    right: Positions
    aligned: bool


def pair_frames(left: FrameIndex, right: FrameIndex) -> PairedFrames:
    """Pair frames by the nearest time, no farther apart than half a frame.

    Times are those of the files; if these leave more than half of the shorter video without a
    partner, times since the first frame of each are used.
    """
    paired = _paired(left.seconds, right.seconds)
    if 2 * len(paired[0]) >= min(len(left), len(right)):
        return PairedFrames(*paired, aligned=False)
    begun = (index.seconds - index.seconds[0] for index in (left, right))
    return PairedFrames(*_paired(*begun), aligned=True)


def _paired(left: NDArray[np.float64], right: NDArray[np.float64]) -> tuple[Positions, Positions]:
    """Pair times that are mutually nearest, and at most half a frame apart."""
    nearest = _nearest(right, left)
    mutual = _nearest(left, right)[nearest] == np.arange(len(left))
    periods = [float(np.median(np.diff(times))) for times in (left, right) if len(times) > 1]
    reach = min(periods, default=np.inf) / 2 + 1e-9
    close = np.abs(right[nearest] - left) <= reach
    kept = np.flatnonzero(mutual & close)
    return kept, nearest[kept]


def _nearest(times: NDArray[np.float64], wanted: NDArray[np.float64]) -> Positions:
    """Return the position of the nearest time for each wanted time; of two, the earlier."""
    after = np.clip(np.searchsorted(times, wanted), 1, max(len(times) - 1, 1))
    after = np.minimum(after, len(times) - 1)
    before = np.maximum(after - 1, 0)
    earlier = wanted - times[before] <= times[after] - wanted
    return np.where(earlier, before, after).astype(np.int64)
