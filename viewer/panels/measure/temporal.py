"""Temporal noise: how much the depths of a rectangle change from frame to frame."""

import math

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.cameras.calibration import Calibration
from wheatstone.viewer.cameras.points import depths

FRAMES = 40
"""The number of frames from which temporal noise is measured."""
MOST_PIXELS = 100_000  # watched; of a larger rectangle every so many rows and columns
Disparities = NDArray[np.float32]


class DisparityHistory:
    """The disparities of a rectangle in the newest frames, each frame once."""

    def __init__(self) -> None:
        self._kept: dict[int, Disparities] = {}

    def add(self, index: int, disparity: Disparities) -> None:
        """Add a frame; beyond ``FRAMES`` the frame added first is removed.

        Args:
            disparity: (H, W) of the rectangle, in pixels; NaN where there is none.
        """
        self._kept.pop(index, None)
        self._kept[index] = watched(disparity)
        if len(self._kept) > FRAMES:
            del self._kept[next(iter(self._kept))]

    @property
    def frames(self) -> tuple[Disparities, ...]:
        """List the disparities of all frames, the newest last."""
        return tuple(self._kept.values())


def watched(disparity: Disparities) -> Disparities:
    """Copy evenly spread rows and columns with about ``MOST_PIXELS`` pixels or fewer."""
    every = math.ceil(math.sqrt(disparity.size / MOST_PIXELS)) or 1
    return disparity[::every, ::every].copy()


def temporal_noise(calibration: Calibration, frames: tuple[Disparities, ...]) -> float:
    """Compute the median over pixels of the standard deviation of their depths over frames.

    In the calibration's unit. Only pixels with a depth in at least half of the frames count; NaN
    without any, and for fewer than two frames.

    Args:
        frames: (H, W) each, in pixels; NaN where there is none.
    """
    if len(frames) < 2:
        return math.nan
    depth = depths(calibration, np.stack(frames))
    count = np.isfinite(depth).sum(axis=0)
    steady = (count >= 2) & (2 * count >= len(frames))
    if not steady.any():
        return math.nan
    return float(np.median(np.nanstd(depth[:, steady], axis=0, ddof=1)))
