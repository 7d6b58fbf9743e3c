"""How often values occur: counts of what is shown, percentiles, and a range made of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viewer.choices.look import Range

EXACT = 65536  # different values that are counted each for itself
BINS = 4096  # of equal width, where there are more
PERCENTILES = (1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0)
FITTED = (1.0, 99.0)
"""Percentiles that a fitted range goes from and to."""


@dataclass(frozen=True, eq=False)
class Counts:
    """How many pixels have each value.

    Attributes:
        first: value of the first bin, in the image's unit.
        step: from one bin's value to the next.
        counts: pixels by bin; without any the array is empty.
        invalid: pixels without a value.
    """

    first: float
    step: float
    counts: NDArray[np.int64]
    invalid: int

    @property
    def valid(self) -> int:
        """Pixels with a value."""
        return int(self.counts.sum())

    def percentile(self, percent: float) -> float | None:
        """The smallest value that at least so many per cent of the pixels do not exceed.

        None if no pixel has a value.
        """
        sums = np.cumsum(self.counts)
        if not sums.size or not sums[-1]:
            return None
        rank = max(percent / 100 * sums[-1], 1)
        return self.first + self.step * int(np.searchsorted(sums, rank - 1e-9))

    def bars(self, low: float, high: float, most: int) -> tuple[NDArray[np.float64], float]:
        """Pixels by bars of equal width that cover a range; values beyond it are left out.

        A bar holds the same number of bins as every other, so that none looks high by chance.

        Args:
            low, high: in the image's unit; the first bar's middle is at ``low`` or less.
            most: how many bars there may be.

        Returns:
            (N, 2) the middle of every bar and its pixels, and the width of a bar.
        """
        begin, end = round((low - self.first) / self.step), round((high - self.first) / self.step)
        each = max(-(-(end - begin + 1) // most), 1)
        number = -(-(end - begin + 1) // each)
        padded = np.zeros(number * each, np.int64)
        kept = slice(max(begin, 0), max(min(begin + padded.size, len(self.counts)), 0))
        if kept.start < kept.stop:
            padded[kept.start - begin : kept.stop - begin] = self.counts[kept]
        middles = self.first + self.step * (begin + (each - 1) / 2 + each * np.arange(number))
        return np.stack([middles, padded.reshape(number, each).sum(1)], 1), each * self.step


def count(stored: NDArray[Any], scale: float, invalid: float | None) -> Counts:
    """Count an image's values.

    Args:
        stored: (H, W) values as stored.
        scale: multiplies a stored value into the unit.
        invalid: the stored value without meaning; what is not finite has none either.
    """
    valid = np.isfinite(stored) if stored.dtype.kind == "f" else np.ones(stored.shape, bool)
    if invalid is not None:
        valid &= stored != invalid
    return _count(stored, valid, scale)


def count_difference(
    a: NDArray[Any],
    b: NDArray[Any],
    scale: float,
    invalid: tuple[float | None, float | None],
    signed: bool,
) -> Counts:
    """Count A less B, or how far apart they are, where both have a value.

    Args:
        a, b: (H, W) values as stored, of one scale.
        invalid: for each the stored value without meaning.
        signed: whether A less B is counted, not its absolute value.
    """
    valid = np.ones(a.shape, bool)
    for stored, without in zip((a, b), invalid, strict=True):
        if stored.dtype.kind == "f":
            valid &= np.isfinite(stored)
        if without is not None:
            valid &= stored != without
    whole = a.dtype.kind in "iu" and b.dtype.kind in "iu"
    kind = (
        (np.int32 if max(a.dtype.itemsize, b.dtype.itemsize) < 4 else np.int64)
        if whole
        else (np.float32)
    )
    apart = a.astype(kind) - b.astype(kind)
    return _count(apart if signed else np.abs(apart), valid, scale)


def _count(values: NDArray[Any], valid: NDArray[np.bool_], scale: float) -> Counts:
    """Count the values of valid pixels."""
    import cv2

    missing = int(valid.size - np.count_nonzero(valid))
    if missing == valid.size:
        return Counts(0.0, scale, np.zeros(0, np.int64), missing)
    mask = valid.astype(np.uint8)
    kept = values if not missing else values[valid]
    low, high = kept.min().item(), kept.max().item()
    if values.dtype.kind in "iu" and high - low < EXACT:
        indices = (values - values.dtype.type(low)).astype(np.uint16)
        counts = cv2.calcHist([indices], [0], mask, [EXACT], [0, EXACT]).ravel()
        return Counts(low * scale, scale, _whole(counts[: high - low + 1]), missing)
    width = (high - low) / BINS or 1.0
    bins = np.histogram(kept, BINS, (low, low + BINS * width))[0]
    return Counts((low + width / 2) * scale, width * scale, bins.astype(np.int64), missing)


def _whole(counts: NDArray[Any]) -> NDArray[np.int64]:
    return np.asarray(np.rint(counts), np.int64)


def fitted(counts: Counts) -> Range | None:
    """The range that holds all but the extreme values; None if no pixel has a value."""
    low, high = (counts.percentile(percent) for percent in FITTED)
    if low is None or high is None:
        return None
    return (low, high) if high > low else (low, low + counts.step)
