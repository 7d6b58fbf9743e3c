"""Fitting of a plane to the points of a rectangle, and their distances from the plane."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.regions import Rectangle
from wheatstone.viewer.io.cameras.calibration import Calibration, depths, rays

Array = NDArray[np.float64]
TRIMMED = 0.005
"""The share of points ignored on either side of the first plane, as makers of cameras do."""


@dataclass(frozen=True, eq=False)
class FittedPlane:
    """A plane in space, fitted to points.

    Attributes:
        normal: (3,) of length 1, away from the camera.
        distance: from the camera, along the normal.
    """

    normal: Array
    distance: float

    def distances(self, points: Array) -> Array:
        """Compute the distances of points (N, 3) from the plane; negative in front of the plane."""
        distances: Array = points @ self.normal - self.distance
        return distances

    @property
    def tilt(self) -> float:
        """Compute the angle in degrees between the plane and the image plane."""
        return math.degrees(math.acos(min(abs(float(self.normal[2])), 1.0)))


@dataclass(frozen=True)
class PlaneFigures:
    """The measurements of a plane fitted to a rectangle's points; NaN if no plane could be fitted.

    Lengths are in the calibration's unit.

    Attributes:
        fill_rate: percentage of them that have a depth.
        depth: mean depth of those that the plane is fitted to.
        rms: root mean square of their distances to the plane.
        tilt: between the plane and the picture, in degrees.
        disparity_noise: root mean square difference of their disparities, in pixels, from those
            of the plane.
    """

    pixels: int
    fill_rate: float
    depth: float = math.nan
    rms: float = math.nan
    tilt: float = math.nan
    disparity_noise: float = math.nan

    @property
    def fits(self) -> bool:
        """Return whether a plane could be fitted."""
        return math.isfinite(self.rms)


def plane_figures(
    calibration: Calibration, disparity: NDArray[np.floating], rectangle: Rectangle
) -> PlaneFigures:
    """Fit a plane to the points of a rectangle in two passes, and measure the deviations.

    The second pass ignores ``TRIMMED`` of the points on either side of the first plane; so do
    all figures except the fill rate.

    Args:
        disparity: (height, width) of the rectangle, in pixels; NaN where there is none.
    """
    x, y, _, _ = rectangle
    depth = depths(calibration, disparity)
    known = np.isfinite(depth)
    count, filled = depth.size, 100 * float(known.mean())
    rows, columns = np.nonzero(known)
    ray = rays(calibration, np.asarray(columns + x, float), np.asarray(rows + y, float))
    z, disparities = depth[known], disparity[known].astype(np.float64)
    points = ray * z[:, None]
    first = fitted(points)
    if not first:
        return PlaneFigures(count, filled)
    kept = trimmed(first.distances(points))
    points, ray, z, disparities = points[kept], ray[kept], z[kept], disparities[kept]
    plane = fitted(points) or first
    nearness = ray @ plane.normal / plane.distance if plane.distance else np.full(len(ray), np.nan)
    expected = calibration.focal * calibration.baseline * nearness - calibration.offset
    return PlaneFigures(
        count,
        filled,
        float(z.mean()),
        root_mean_square(plane.distances(points)),
        plane.tilt,
        root_mean_square(disparities - expected),
    )


def fitted(points: Array) -> FittedPlane | None:
    """Fit the least-squares plane to points; None if they do not determine a plane.

    Args:
        points: (N, 3), finite; fewer than three, or points on a line, determine none.
    """
    if len(points) < 3:
        return None
    middle = points.mean(axis=0)
    centred = points - middle
    spreads, axes = np.linalg.eigh(centred.T @ centred)
    if spreads[1] <= 1e-12 * spreads[2] or spreads[2] <= 0:
        return None
    normal = axes[:, 0] * (1 if axes[:, 0] @ middle >= 0 else -1)
    return FittedPlane(normal, float(normal @ middle))


def trimmed(values: Array) -> NDArray[np.bool_]:
    """Return a mask (N,) that omits the smallest and the largest ``TRIMMED`` part of values."""
    ignored = int(len(values) * TRIMMED)
    kept = np.ones(len(values), bool)
    if ignored:
        order = np.argsort(values, kind="stable")
        kept[order[:ignored]] = kept[order[-ignored:]] = False
    return kept


def root_mean_square(values: Array) -> float:
    """Compute the root mean square of values; NaN for no values."""
    return math.sqrt(float(np.square(values).mean())) if values.size else math.nan


FRAMES = 40
"""The number of frames from which temporal noise is measured."""
MOST_PIXELS = 100_000  # watched; of a larger rectangle every so many rows and columns
Disparities = NDArray[np.float32]


class DisparityHistory:
    """The disparities of a rectangle in the newest frames, each frame only once."""

    def __init__(self) -> None:
        self._kept: dict[int, Disparities] = {}

    def add(self, index: int, disparity: Disparities) -> None:
        """Add the disparities of a frame; beyond ``FRAMES`` frames the oldest is removed.

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
    """Copy evenly spaced rows and columns of disparities: at most about ``MOST_PIXELS`` pixels."""
    every = math.ceil(math.sqrt(disparity.size / MOST_PIXELS)) or 1
    return disparity[::every, ::every].copy()


def temporal_noise(calibration: Calibration, frames: tuple[Disparities, ...]) -> float:
    """Compute the median, over pixels, of the standard deviation of depth over frames.

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
