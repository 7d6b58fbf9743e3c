"""The counts of an image's values for the histogram: counting, percentiles, and fitted ranges."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.look import Range

EXACT = 65536  # whole values at most that are counted each for itself
BINS = 4096  # bins of equal width, where there are more or values are no whole numbers
PERCENTILES = (1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0)
FITTED = (1.0, 99.0)
FITTED_DEPTHS = (2.0, 98.0)  # a few wrong ones may lie a thousand times as far away as the rest
"""The percentiles at which a fitted range begins and ends."""


@dataclass(frozen=True, eq=False)
class Counts:
    """The histogram of an image as numbers: how many pixels have each value.

    Attributes:
        first: value of the first bin, in the image's unit.
        step: from one bin's value to the next.
        counts: pixels by bin; empty if no pixel has a value.
    """

    first: float
    step: float
    counts: NDArray[np.int64]
    invalid: int

    @property
    def valid(self) -> int:
        """Count the pixels that have a valid value."""
        return int(self.counts.sum())

    def percentile(self, percent: float) -> float | None:
        """Compute a percentile: the smallest value that ``percent`` of all values do not exceed.

        None if no pixel has a value.
        """
        sums = np.cumsum(self.counts)
        if not sums.size or not sums[-1]:
            return None
        rank = max(percent / 100 * sums[-1], 1)
        return self.first + self.step * int(np.searchsorted(sums, rank - 1e-9))

    def bars(self, low: float, high: float, most: int) -> tuple[NDArray[np.float64], float]:
        """Count pixels in bars of equal width that cover a range; values outside it are omitted.

        Every bar holds the same number of bins, so that none looks high by chance.

        Args:
            low, high: in the image's unit; the first bar's middle is at ``low`` or less.

        Returns:
            (N, 2) the middle of every bar and its pixel count; and the width of a bar.
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
    """Count how many pixels of an image have each value.

    Args:
        stored: (H, W) values as stored.
        scale: factor from a stored value to the unit.
        invalid: the stored value of pixels without one; non-finite floats are invalid as well.
    """
    return _count(stored, _valid(stored, invalid), scale)


def _valid(stored: NDArray[Any], invalid: float | None) -> NDArray[np.bool_]:
    valid = np.isfinite(stored) if stored.dtype.kind == "f" else np.ones(stored.shape, bool)
    return valid if invalid is None else valid & (stored != invalid)


def count_difference(
    a: NDArray[Any],
    b: NDArray[Any],
    scale: float,
    invalid: tuple[float | None, float | None],
    signed: bool,
) -> Counts:
    """Count the signed or absolute differences of two images, where both have a value.

    Args:
        a, b: (H, W) values as stored, of one scale.
        invalid: for each the stored value of pixels without one.
    """
    valid = _valid(a, invalid[0]) & _valid(b, invalid[1])
    dtype = _wide_enough(a.dtype, b.dtype)
    difference = a.astype(dtype) - b.astype(dtype)
    return _count(difference if signed else np.abs(difference), valid, scale)


def _wide_enough(a: np.dtype[Any], b: np.dtype[Any]) -> type[np.int32 | np.int64 | np.float32]:
    """Choose a type in which values of two types can be subtracted; exact for integer types."""
    if a.kind not in "iu" or b.kind not in "iu":
        return np.float32
    return np.int32 if max(a.itemsize, b.itemsize) < 4 else np.int64


def _count(values: NDArray[Any], valid: NDArray[np.bool_], scale: float) -> Counts:
    """Count the values of valid pixels.

    Integers that are close together are counted individually, other values in bins.
    """
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
        exact = np.rint(counts[: high - low + 1]).astype(np.int64)  # OpenCV returns floats
        return Counts(low * scale, scale, exact, missing)
    width = (high - low) / BINS or 1.0
    bins = np.histogram(kept, BINS, (low, low + BINS * width))[0]
    return Counts((low + width / 2) * scale, width * scale, bins.astype(np.int64), missing)


def fitted_depths(depths: NDArray[Any], invalid: float | None) -> Range | None:
    """Return the range of depths without the extreme ones; None if no pixel has a depth.

    Args:
        depths: as stored, of a scale of 1.
        invalid: the stored value of pixels without one; non-finite floats are invalid as well.
    """
    known = depths[_valid(depths, invalid) & (depths > 0)]
    if not known.size:
        return None
    near, far = np.percentile(known, FITTED_DEPTHS).tolist()
    return (near, far) if far > near else (near, near * 2)


def fitted(counts: Counts) -> Range | None:
    """Return the range of values without the extreme ones; None if no pixel has a value."""
    low, high = (counts.percentile(percent) for percent in FITTED)
    if low is None or high is None:
        return None
    return (low, high) if high > low else (low, low + counts.step)
