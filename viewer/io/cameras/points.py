"""Depths and rays of many pixels at once."""

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.calibration import Calibration

Array = NDArray[np.float64]


def depths(calibration: Calibration, disparity: NDArray[np.floating]) -> Array:
    """Compute the depths of disparities of any shape, in the calibration's unit.

    NaN without a disparity, at infinity and beyond.

    Args:
        disparity: in pixels; NaN where it is missing.
    """
    away = disparity.astype(np.float64) + calibration.offset
    ahead = np.where(away > 0, away, np.nan)
    return calibration.baseline * calibration.focal / ahead


def rays(calibration: Calibration, columns: Array, rows: Array) -> Array:
    """Compute the (N, 3) points at depth 1 seen in (N,) pixels: X right, Y down, Z forward."""
    x, y = calibration.principal
    across, down = (columns - x) / calibration.focal, (rows - y) / calibration.focal
    return np.stack([across, down, np.ones(len(columns))], -1)
