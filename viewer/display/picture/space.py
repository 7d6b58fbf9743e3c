"""Geometry of point clouds: from disparities to points in space, and from those to pixels.

Pure arithmetic in float64, without OpenGL. Points are (X right, Y down, Z ahead) from the left
camera, in the calibration's unit; the eye is a camera of the same lens that was moved and turned.
"""

import math
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.cloud import FROM_CAMERA, Orbit
from wheatstone.viewer.display.picture.layout import Axis, Cell, axes
from wheatstone.viewer.display.picture.legend import SMALLEST_TEXT
from wheatstone.viewer.io.cameras.calibration import Calibration

Matrix = NDArray[np.float64]
Distances = TypeVar("Distances", float, NDArray[np.float64])
CLOSEST = 1e-3  # points nearer to the eye than this share of the pivot's depth are not drawn


@dataclass(frozen=True)
class Viewport:
    """The part of a framebuffer that shows a 3D view, and its level of detail.

    Attributes:
        bottom: pixels between the framebuffer's bottom and the cell.
        stride: texels from one point to the next, along rows and columns.
        text: size of texts, in pixels.
    """

    cell: Cell
    bottom: int
    zoom: float = 1.0
    center: tuple[float, float] = (0.5, 0.5)
    stride: int = 1
    text: int = SMALLEST_TEXT

    def axes(self, size: tuple[int, int]) -> tuple[Axis, Axis]:
        """Return the position and scale of an image of a size (height, width) along both axes."""
        return axes(*size, self.cell, self.zoom, self.center)


@dataclass(frozen=True)
class CloudScene:
    """The viewpoint and geometry of a point cloud, for an image of a size (height, width).

    Attributes:
        orbit: where the eye is.
        pivot: depth of the point turned about, on the ray through the image's middle.
    """

    calibration: Calibration
    size: tuple[int, int]
    orbit: Orbit
    pivot: float

    @property
    def turned(self) -> bool:
        """Return whether the user has turned the view away from the left camera."""
        return self.orbit != FROM_CAMERA

    @property
    def center(self) -> NDArray[np.float64]:
        """Return the point in space about which the viewer's eye turns: (3,)."""
        height, width = self.size
        return self.place((width - 1) / 2, (height - 1) / 2, self.pivot)

    def place(self, column: float, row: float, depth: float) -> NDArray[np.float64]:
        """Return the point in space that a pixel shows at a depth: (3,)."""
        return np.array(self.calibration.point_at(column, row, depth))

    @property
    def eye(self) -> Matrix:
        """Return the matrix from the left camera's coordinates to the eye's: (4, 4).

        It turns about the center, which then lies in its old direction at its new distance.
        """
        yaw, pitch, distance = self.orbit
        turned = rotation(math.radians(yaw), math.radians(pitch))
        matrix = np.eye(4)
        matrix[:3, :3] = turned
        matrix[:3, 3] = distance * self.center - turned @ self.center
        return matrix

    def clip(self, viewport: Viewport) -> Matrix:
        """Return the matrix from left camera coordinates to a cell's clip coordinates: (4, 4).

        Seen from the left camera every point lies in the middle of its pixel, where the cell shows
        it. The third row is 0: ``depth_shares`` gives the depth instead.
        """
        lens, known, cell = np.zeros((4, 4)), self.calibration, viewport.cell
        rows, columns = viewport.axes(self.size)
        sides = (columns, known.principal[0], cell.width), (rows, known.principal[1], cell.height)
        for line, (axis, middle, length) in enumerate(sides):
            way = (1, -1)[line]  # rows count from the top, clip coordinates from below
            lens[line, line] = way * 2 * axis.scale * known.focal / length
            lens[line, 2] = way * (2 * axis.pixel(middle + 0.5) / length - 1)
        lens[3, 2] = 1.0
        return lens @ self.eye


def rotation(yaw: float, pitch: float) -> Matrix:
    """Return the rotation of an eye that moved to the right by yaw and up by pitch, in radians.

    Its rows are the eye's right, down and ahead, seen from the left camera: (3, 3).
    """
    (across, along), (up, level) = ((math.sin(angle), math.cos(angle)) for angle in (yaw, pitch))
    right = (along, 0.0, across)
    down = (up * across, level, -up * along)
    ahead = (-across * level, up, along * level)
    return np.array((right, down, ahead))


def depth_shares(depths: Distances, pivot: float) -> Distances:
    """Convert distances ahead of the eye to depth buffer values, from 0 to 1.

    z / (z + pivot) resolves near and far alike: it needs no nearest and no farthest place, and a
    step of the buffer is at most about the same share of any depth near the pivot's.
    """
    return depths / (depths + pivot)


def median_depth(
    values: NDArray[Any], scale: float, invalid: float | None, calibration: Calibration
) -> float | None:
    """Compute the depth of an image's median disparity, to four digits; None without valid pixels.

    Args:
        values: (H, W) disparities as stored.
        scale: pixels of disparity per stored unit.
        invalid: the stored value of pixels without a disparity.
    """
    valid = values if invalid is None else values[values != invalid]
    depth = calibration.depth(float(np.median(valid)) * scale) if valid.size else None
    return float(f"{depth:.4g}") if depth else None
