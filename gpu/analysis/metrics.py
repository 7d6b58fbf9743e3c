"""Measure the errors of a disparity against the truth, as stereo benchmarks do.

Disparities are (H, W) floats in pixels. In the truth, a value that is not finite is unknown; in an
estimate, it is a pixel without a result. ``mask`` marks the pixels judged:
``gpu.analysis.conventions`` declares how benchmarks choose it, and how they treat pixels without a
result.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import Float32, Float64, Uint8

Disparity = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]


def in_pixels(stored: NDArray[np.integer[Any]], scale: float, invalid: float) -> Float32:
    """Convert stored integers to pixels by ``scale``; NaN where they are ``invalid``."""
    pixels = stored.astype(np.float32) * np.float32(scale)
    pixels[stored == invalid] = np.nan
    return pixels


def bad(disparity: Disparity, truth: Disparity, mask: Mask, threshold: float) -> float:
    """Compute the percentage of pixels in ``mask`` off by over ``threshold``, or without a result.

    Middlebury calls this totbad. ETH3D's judges only pixels with a result: pass
    ``mask & np.isfinite(disparity)``.

    Args:
        mask: (H, W) the pixels judged; the truth must be known there.
        threshold: largest error that is not bad, in pixels.

    Returns:
        NaN where no pixel is judged.
    """
    error = np.abs(disparity[mask] - truth[mask])
    return _percentage(~(error <= threshold))


def outliers(disparity: Disparity, truth: Disparity, mask: Mask) -> float:
    """Compute the percentage of pixels in ``mask`` wrong by over 3 px and 5 %, or without a result.

    KITTI calls it D1. The arguments and the result are those of ``bad``.
    """
    error = np.abs(disparity[mask] - truth[mask])
    return _percentage(~((error <= 3) | (error <= 0.05 * np.abs(truth[mask]))))


def average_error(disparity: Disparity, truth: Disparity, mask: Mask) -> float:
    """Average the absolute error of pixels in ``mask`` with a result, in pixels; NaN if none."""
    error = _errors(disparity, truth, mask)
    return float(error.mean()) if error.size else math.nan


def root_mean_square(disparity: Disparity, truth: Disparity, mask: Mask) -> float:
    """Compute the root mean square error over the pixels in ``mask`` that have a result."""
    error = _errors(disparity, truth, mask)
    return math.sqrt(float(np.square(error).mean())) if error.size else math.nan


def error_quantile(disparity: Disparity, truth: Disparity, mask: Mask, percent: int) -> float:
    """Return the ``percent``-th percentile of the absolute errors in ``mask``, such as A50 or A95.

    Of n errors in order it is the one at index floor(n * percent / 100), as ETH3D counts: no
    interpolation between two errors.

    Args:
        percent: in [0, 99].
    """
    error = _errors(disparity, truth, mask)
    if not error.size:
        return math.nan
    index = error.size * percent // 100
    return float(np.partition(error, index)[index])


def _errors(disparity: Disparity, truth: Disparity, mask: Mask) -> Float64:
    judged = mask & np.isfinite(disparity)
    return np.abs(disparity[judged] - truth[judged]).astype(np.float64)


def density(disparity: Disparity, mask: Mask) -> float:
    """Compute the percentage of pixels in ``mask`` that have a result; NaN if ``mask`` is empty."""
    return _percentage(np.isfinite(disparity[mask]))


def _percentage(flags: Mask) -> float:
    return 100 * float(flags.mean()) if flags.size else math.nan


def inside(shape: tuple[int, ...], border: int) -> Mask:
    """Return a mask of the pixels at least ``border`` away from every edge of an image."""
    mask = np.zeros(shape, bool)
    mask[border : shape[0] - border, border : shape[1] - border] = True
    return mask


def seen_by_both(truth: Disparity, right_truth: Disparity) -> Mask:
    """Return a mask of left pixels that both views see, by left and right ground truth.

    The partner of (y, x) is (y, x - d), rounded to the nearest column, halves up. Where it lies
    outside the image, or its truth is unknown or differs by more than a pixel, the left pixel
    counts as occluded.
    """
    partner, rows, exists = _partners(truth)
    returned = np.full(truth.shape, np.nan)
    returned[exists] = right_truth[rows[exists], partner[exists]]
    with np.errstate(invalid="ignore"):  # infinite minus infinite
        return exists & (np.abs(returned - truth) <= 1.0)


def not_covered(truth: Disparity) -> Mask:
    """Return a mask of left pixels that both views see, by the left ground truth alone.

    Every pixel is mapped to its partner, as in ``seen_by_both``. A pixel is occluded where its
    partner lies outside the image, or where another pixel has that partner and a disparity larger
    by more than a pixel: slanted surfaces map several own pixels to one partner.
    """
    partner, rows, exists = _partners(truth)
    nearest = np.full(truth.shape, -np.inf)
    np.maximum.at(nearest, (rows[exists], partner[exists]), truth[exists])
    visible = np.zeros(truth.shape, bool)
    visible[exists] = nearest[rows[exists], partner[exists]] - truth[exists] <= 1.0
    return visible


def _partners(truth: Disparity) -> tuple[NDArray[np.intp], NDArray[np.intp], Mask]:
    """Return the column, row and existence of each left pixel's match in the right view."""
    grid: NDArray[np.intp] = np.indices(truth.shape, np.intp)
    rows: NDArray[np.intp] = grid[0]
    known: Mask = np.isfinite(truth)
    arrival = np.floor(grid[1] - np.where(known, truth, 0) + 0.5)
    arrival = np.clip(arrival, -1, truth.shape[1])  # no index holds what a float can
    partner: NDArray[np.intp] = arrival.astype(np.intp)
    exists: Mask = known & (partner >= 0) & (partner < truth.shape[1])
    return partner, rows, exists


def consistent(disparity: Disparity) -> float:
    """Compute the percentage of pixels whose match in the right view no nearer pixel hides.

    A left-right check of a left disparity alone, without any truth; see ``not_covered``. A
    pixel without a result, or whose partner lies outside the image, is not consistent.
    """
    return _percentage(not_covered(disparity))


def warp_error(disparity: Disparity, left: Uint8, right: Uint8) -> float:
    """Compute the mean absolute difference of the left and the warped right view, in grey levels.

    The right view is read at (y, x - d), linear between columns. Pixels without a result and those
    that lead outside the image are ignored; NaN if all are.

    Args:
        left, right: (H, W) grey levels.
    """
    grid: NDArray[np.intp] = np.indices(disparity.shape, np.intp)
    rows, place = grid[0], grid[1] - disparity
    with np.errstate(invalid="ignore"):
        inside: Mask = (place >= 0) & (place <= disparity.shape[1] - 1)
    if not inside.any():
        return math.nan
    y, x = rows[inside], place[inside].astype(np.float64)
    first = np.floor(x).astype(np.intp)
    share = x - first
    near, far = right[y, first], right[y, np.minimum(first + 1, right.shape[1] - 1)]
    return float(np.abs(left[inside] - (near * (1 - share) + far * share)).mean())
