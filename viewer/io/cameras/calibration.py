"""Calibration of a rectified pair, which converts disparities to depths and points in space."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import DepthScale

RELATIVE = "relative"
"""The unit of lengths if the baseline is not known; ``calib.txt`` files contain this word."""


def unit_text(unit: str) -> str:
    """Return a unit for use after "in": itself, or ``relative units`` if the scale is unknown."""
    return "relative units" if unit == RELATIVE else unit


@dataclass(frozen=True)
class Calibration:
    """The calibration of a rectified pair of cameras.

    Places in the image count from the centre of the top left pixel, (0, 0).

    Attributes:
        focal: focal length in pixels.
        baseline: distance of the cameras, in ``unit``.
        principal: where the left camera's axis meets the image: column, row.
        offset: the right principal point's column less the left one's (Middlebury's ``doffs``).
        unit: of lengths: ``m``, or the source's own unit; ``relative`` if the baseline is not
            known and counts as 1.
    """

    focal: float
    baseline: float
    principal: tuple[float, float]
    offset: float = 0.0
    unit: str = "m"

    def scaled(self, ratio: float) -> "Calibration":
        """Return the calibration for images that are enlarged by the factor ``ratio``."""
        column, row = (place * ratio + (ratio - 1) / 2 for place in self.principal)
        focal, offset = self.focal * ratio, self.offset * ratio
        return replace(self, focal=focal, principal=(column, row), offset=offset)

    @cached_property
    def scale(self) -> DepthScale:
        """The constants that convert disparities to depths: focal length times baseline, offset."""
        return DepthScale(self.focal * self.baseline, self.offset, self.unit)

    def depth(self, disparity: float) -> float | None:
        """Compute the depth of a disparity, baseline * focal / (disparity + offset), in ``unit``.

        None at infinity and beyond.
        """
        away = disparity + self.offset
        return self.baseline * self.focal / away if away > 0 else None

    def depths(self, disparity: NDArray[np.float32]) -> NDArray[np.float32]:
        """Compute the depths of disparities in pixels, bit for bit as the stage ``depth`` does.

        NaN at infinity and beyond, and where the disparity is NaN.
        """
        away = disparity + np.float32(self.offset)
        depths = np.full(away.shape, np.nan, np.float32)
        np.divide(np.float32(self.scale.product), away, out=depths, where=away > 0)
        return depths

    def point(
        self, column: float, row: float, disparity: float
    ) -> tuple[float, float, float] | None:
        """Compute a pixel's point (X right, Y down, Z forward) in the left camera's coordinates.

        None at infinity and beyond.
        """
        z = self.depth(disparity)
        return None if z is None else self.point_at(column, row, z)

    def point_at(self, column: float, row: float, z: float) -> tuple[float, float, float]:
        """Compute the point in space of a pixel at a depth, in the left camera's coordinates."""
        x, y = (
            (place - middle) * z / self.focal
            for place, middle in zip((column, row), self.principal, strict=True)
        )
        return x, y, z


@lru_cache(maxsize=8)
def assumed(width: int, height: int) -> Calibration:
    """Return an assumed calibration for uncalibrated images of a size in pixels.

    The focal length is the image's width, the principal point its centre. The baseline counts as 1,
    so that depths can be compared with each other, but have no absolute scale.
    """
    return Calibration(float(width), 1.0, ((width - 1) / 2, (height - 1) / 2), unit=RELATIVE)


def depths(calibration: Calibration, disparity: NDArray[np.floating]) -> NDArray[np.float64]:
    """Compute the depths of disparities of any shape, in the calibration's unit.

    NaN without a disparity, at infinity and beyond.

    Args:
        disparity: in pixels; NaN where it is missing.
    """
    away = disparity.astype(np.float64) + calibration.offset
    ahead = np.where(away > 0, away, np.nan)
    return calibration.baseline * calibration.focal / ahead


def rays(
    calibration: Calibration, columns: NDArray[np.float64], rows: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute the (N, 3) points at depth 1 seen in (N,) pixels: X right, Y down, Z forward."""
    x, y = calibration.principal
    across, down = (columns - x) / calibration.focal, (rows - y) / calibration.focal
    return np.stack([across, down, np.ones(len(columns))], -1)
