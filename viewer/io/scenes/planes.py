"""Flat surfaces of a scene: rectangles and infinite planes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.scenes.surfaces import (
    EVERYWHERE,
    Bounds,
    Field,
    Material,
    SceneCamera,
    Vector,
    affine,
    bounds_of,
)


@dataclass(frozen=True)
class ScenePlane:
    """A rectangle or an infinite plane, visible from one side only.

    It is visible from the side from which ``across`` x ``along`` points away: with x right, y down
    and z forward, a wall ahead has across (1, 0, 0) and along (0, 1, 0).

    Attributes:
        origin: the centre of the rectangle.
        across, along: unit vectors that span it.
        half: half its extent along each of these, in world units; None: it is infinite.
    """

    origin: Vector
    across: Vector
    along: Vector
    half: tuple[float, float] | None
    material: Material
    backdrop: bool = False

    def seen_by(self, camera: SceneCamera) -> "PlaneView | None":
        """Return the plane's view from a camera; None if it faces away or is behind the camera."""
        origin, across, along = (
            camera.see(self.origin),
            camera.turn(self.across),
            camera.turn(self.along),
        )
        normal = np.cross(across, along)
        distance = float((normal * origin).sum())
        if distance <= 1e-6:
            return None
        depth = normal / distance
        axes = np.stack([across, along, -normal])
        rows = np.stack(
            [
                across - (across * origin).sum() * depth,
                along - (along * origin).sum() * depth,
                depth,
            ]
        )
        if self.half is None:
            return PlaneView(rows, None, EVERYWHERE, axes, origin, distance)
        corners = [
            origin + i * self.half[0] * across + j * self.half[1] * along
            for i in (-1, 1)
            for j in (-1, 1)
        ]
        bounds = bounds_of(corners, 0.0)
        return PlaneView(rows, self.half, bounds, axes, origin, distance) if bounds else None


@dataclass(frozen=True, eq=False)
class PlaneView:
    """The ``SurfaceView`` of a plane from one camera.

    Attributes:
        rows: the homography from (u, v, 1) to (s/Z, t/Z, 1/Z).
        half: as in the plane.
        axes: across, along and the normal towards the camera, as rows in camera coordinates.
        origin: the plane's, in camera coordinates.
        distance: from the camera to the infinite plane, in world units.
    """

    rows: NDArray[np.float64]
    half: tuple[float, float] | None
    bounds: Bounds
    axes: NDArray[np.float64]
    origin: NDArray[np.float64]
    distance: float

    def place(self, point: NDArray[np.float64], shift: float = 1.0) -> Vector:
        """Convert a point in camera coordinates to coordinates on the plane and a height above it.

        Args:
            shift: 1 for a point, 0 for a direction.
        """
        across, along, above = (self.axes * (point - shift * self.origin)).sum(axis=1).tolist()
        return float(across), float(along), float(above)

    def inverse_depth(self, u: Field, v: Field) -> Field:
        w = affine(self.rows[2], u, v)
        if self.half is None:
            return np.maximum(w, 0)
        inside = np.abs(affine(self.rows[0], u, v)) <= w * self.half[0]
        inside &= np.abs(affine(self.rows[1], u, v)) <= w * self.half[1]
        return w * inside

    def coordinates(self, u: Field, v: Field, w: Field) -> tuple[Field, Field]:
        return affine(self.rows[0], u, v) / w, affine(self.rows[1], u, v) / w

    def normal(self, u: Field, v: Field, w: Field) -> Sequence[Field | float]:
        x, y, z = self.axes[2].tolist()
        return x, y, z

    def spacing(self, w: Field) -> Field:
        # The homography's determinant is 1 / distance: the square root of the area a pixel covers.
        return np.float32(self.distance**-0.5) / (w * np.sqrt(w))
