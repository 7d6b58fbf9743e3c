"""The distance in space between two pixels, and its uncertainty due to the disparity step."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.calibration import Calibration, rays

SMALL = 0.1  # metres below which a length is told in millimetres


def length(value: float, unit: str) -> str:
    """Format a length with three digits and its unit; small ones in metres as millimetres."""
    if unit == "m" and abs(value) < SMALL:
        value, unit = value * 1000, "mm"
    return f"{three_digits(value)} {unit}"


def three_digits(value: float) -> str:
    """Format a number with three significant digits, or all digits before the point if more."""
    return f"{value:.{_decimals(value, 3)}f}"


def with_deviation(value: float, deviation: float, unit: str) -> str:
    """Format a length with its deviation, which gets two significant digits."""
    digits = _decimals(deviation, 2)
    return f"{value:.{digits}f} \N{PLUS-MINUS SIGN} {deviation:.{digits}f} {unit}"


def _decimals(value: float, count: int) -> int:
    """Return the number of decimals, 0 to 6, that show a number with some significant digits."""
    if not value or not math.isfinite(value):
        return count
    return min(max(count - 1 - math.floor(math.log10(abs(value))), 0), 6)


Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spot:
    """The point in space that a pixel shows.

    Attributes:
        pixel: row and column.
        ray: (3,) the point at depth 1 that the pixel sees: X right, Y down, Z ahead.
        depth: in the calibration's unit.
        deviation: of the depth, the same way up and down, by half a step of disparity.
    """

    pixel: tuple[int, int]
    ray: Vector
    depth: float
    deviation: float

    @property
    def point(self) -> Vector:
        """Compute the point's position relative to the left camera: (3,)."""
        return self.ray * self.depth


@dataclass(frozen=True)
class Distance:
    """The distance between two points in space; lengths are in the calibration's unit.

    Attributes:
        deviation: of the length, from the deviations of both depths.
        along: how far the second point lies to the right, below and behind the first.
    """

    length: float
    deviation: float
    along: tuple[float, float, float]
    pixels: float


def spot(
    calibration: Calibration, pixel: tuple[int, int], disparity: float, step: float
) -> Spot | None:
    """Compute the point in space that a pixel shows; None without a disparity or finite depth.

    Half a step of disparity each way moves the depth z by dz = z^2 / (f b) * step / 2.

    Args:
        pixel: row and column.
        disparity: in pixels; NaN if there is none.
        step: the distance of neighbouring disparities, in pixels.
    """
    z = calibration.depth(disparity)  # None for NaN as well
    if z is None:
        return None
    row, column = pixel
    (ray,) = rays(calibration, np.array([column], float), np.array([row], float))
    return Spot(pixel, ray, z, depth_step(calibration, z, step) / 2)


def depth_step(calibration: Calibration, depth: float, step: float) -> float:
    """Compute the change of a depth z due to one disparity step: z^2 / (f b) * step."""
    return depth**2 / (calibration.focal * calibration.baseline) * step


def distance(first: Spot, second: Spot) -> Distance:
    """Compute the distance between two points, and its deviation.

    Each depth may be wrong along its pixel's ray. The parts of both that lie along the line between
    the points are added in quadrature; if both are the same point, the whole lengths are added.
    """
    between = second.point - first.point
    length = float(np.linalg.norm(between))
    wrong = [each.ray * each.deviation for each in (first, second)]
    parts = [float(w @ between / length if length else np.linalg.norm(w)) for w in wrong]
    across, down = second.pixel[1] - first.pixel[1], second.pixel[0] - first.pixel[0]
    x, y, z = between.tolist()
    return Distance(length, math.hypot(*parts), (x, y, z), math.hypot(across, down))
