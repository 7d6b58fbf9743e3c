"""Calibration: what turns a disparity into a place in space."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import DepthScale

RELATIVE = "relative"
"""The unit of lengths where the distance of the cameras is not known; ``calib.txt`` says it so."""


def said_unit(unit: str) -> str:
    """Write a unit as it stands after "in"; lengths of no known scale are in relative units."""
    return "relative units" if unit == RELATIVE else unit


@dataclass(frozen=True)
class Calibration:
    """A rectified pair of cameras.

    Places in the image count from the centre of the top left pixel, (0, 0).

    Attributes:
        focal: focal length in pixels.
        baseline: distance of the cameras, in ``unit``.
        principal: where the left camera's axis meets the image: column, row.
        offset: the right principal point's column less the left one's (Middlebury's ``doffs``).
        unit: of lengths: ``m``, or what the source counts in; ``relative`` where the baseline is
            not known and counts as 1.
    """

    focal: float
    baseline: float
    principal: tuple[float, float]
    offset: float = 0.0
    unit: str = "m"

    def scaled(self, ratio: float) -> "Calibration":
        """Describe the pair for images ``ratio`` times as large."""
        column, row = (place * ratio + (ratio - 1) / 2 for place in self.principal)
        focal, offset = self.focal * ratio, self.offset * ratio
        return replace(self, focal=focal, principal=(column, row), offset=offset)

    @cached_property
    def scale(self) -> DepthScale:
        """What makes depths of disparities."""
        return DepthScale(self.focal * self.baseline, self.offset, self.unit)

    def depth(self, disparity: float) -> float | None:
        """Compute the depth of a disparity, baseline * focal / (disparity + offset), in ``unit``.

        None at infinity and beyond.
        """
        away = disparity + self.offset
        return self.baseline * self.focal / away if away > 0 else None

    def depths(self, disparity: NDArray[np.float32]) -> NDArray[np.float32]:
        """Compute the depth of each disparity in pixels, to the bit as the stage ``depth`` does.

        NaN at infinity and beyond, and where the disparity is NaN.
        """
        away = disparity + np.float32(self.offset)
        found = np.full(away.shape, np.nan, np.float32)
        np.divide(np.float32(self.scale.product), away, out=found, where=away > 0)
        return found

    def point(
        self, column: float, row: float, disparity: float
    ) -> tuple[float, float, float] | None:
        """Compute where a pixel's point lies (X right, Y down, Z ahead) from the left camera.

        None at infinity and beyond.
        """
        z = self.depth(disparity)
        if z is None:
            return None
        x, y = (
            (place - middle) * z / self.focal
            for place, middle in zip((column, row), self.principal, strict=True)
        )
        return x, y, z


@lru_cache(maxsize=8)
def assumed(width: int, height: int) -> Calibration:
    """Assume a calibration for a pair of images, in pixels, that came without one.

    The focal length is the image's width, the principal point its centre. The baseline counts as 1,
    so that depths compare with each other, but not with a ruler.
    """
    return Calibration(float(width), 1.0, ((width - 1) / 2, (height - 1) / 2), unit=RELATIVE)
