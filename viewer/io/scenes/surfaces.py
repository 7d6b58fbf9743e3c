"""Protocols of surfaces and their views, materials, and the pinhole camera that sees them.

A ray of the camera is (u, v, 1), so its length is the depth Z, and 1/Z is affine in (u, v) on a
plane. Surfaces therefore return inverse depth: 0 is a miss, larger is nearer, and disparity =
focal * baseline / Z.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]
Field = NDArray[np.floating[Any]]
Bounds = tuple[float, float, float, float]
EVERYWHERE: Bounds = (-np.inf, np.inf, -np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class SceneCamera:
    """A pinhole camera: its position and its orientation.

    Attributes:
        axes: (3, 3) the camera's right, down and forward directions as rows.
        eye: (3,) the camera's position, in world units.
    """

    axes: NDArray[np.float64]
    eye: NDArray[np.float64]

    def moved(self, right: float) -> "SceneCamera":
        """Return a copy of the camera, moved along its own right direction."""
        return SceneCamera(self.axes, self.eye + right * self.axes[0])

    def turned(self, rotation: NDArray[np.float64]) -> "SceneCamera":
        """Return a rotated copy of the camera; (3, 3) maps its axes to the axes of the copy."""
        return SceneCamera(rotation @ self.axes, self.eye)

    def see(self, point: Vector) -> NDArray[np.float64]:
        """Convert a point from world coordinates to the camera's coordinates."""
        return self.turn(np.asarray(point) - self.eye)

    def turn(self, direction: NDArray[np.float64] | Vector) -> NDArray[np.float64]:
        """Convert a direction from world to camera coordinates."""
        turned: NDArray[np.float64] = (self.axes * np.asarray(direction)).sum(axis=1)
        return turned


@dataclass(frozen=True)
class Material:
    """The material of a surface: its texture, and how large the texture appears.

    Attributes:
        tile: number of the texture in the atlas.
        repeat: world units that one tile spans.
        glows: whether the surface is independent of light, as the sky.
    """

    tile: int
    repeat: float
    glows: bool = False


class SurfaceView(Protocol):
    """The protocol of a surface as seen from one camera, for rays (u, v, 1).

    The arrays ``u`` and ``v`` may broadcast.

    Attributes:
        bounds: (u low, u high, v low, v high) outside which the surface is not seen.
    """

    @property
    def bounds(self) -> Bounds: ...

    def inverse_depth(self, u: Field, v: Field) -> Field:
        """Return 1/Z where a ray hits the surface, and 0 where it misses."""

    def coordinates(self, u: Field, v: Field, w: Field) -> tuple[Field, Field]:
        """Return the surface coordinates of hits at inverse depths ``w``, in world units."""

    def normal(self, u: Field, v: Field, w: Field) -> Sequence[Field | float]:
        """Return x, y, z of the unit normals towards the camera; single numbers for a plane."""

    def spacing(self, w: Field) -> Field:
        """Return the distance, in world units, between hits of rays that are 1 apart in u and v."""


class Surface(Protocol):
    """The protocol of a surface in a scene.

    Attributes:
        material: its texture.
        backdrop: whether the surface never hides another, as floor, walls and sky.
    """

    @property
    def material(self) -> Material: ...
    @property
    def backdrop(self) -> bool: ...

    def seen_by(self, camera: SceneCamera) -> SurfaceView | None:
        """Return the surface's view from a camera; None if it faces away or lies behind it."""


def affine(row: NDArray[np.float64], u: Field, v: Field) -> Field:
    """Compute the dot product of each ray (u, v, 1) with a vector of three numbers."""
    a, b, c = row.tolist()
    products: Field = u * a + (v * b + c)
    return products


def bounds_of(points: list[NDArray[np.float64]], radius: float) -> Bounds | None:
    """Compute bounds in (u, v) of balls around points; None if all are behind the camera."""
    if all(point[2] <= radius for point in points):
        return None
    if any(point[2] <= radius + 0.05 for point in points):
        return EVERYWHERE
    return (*_tangents(points, 0, radius), *_tangents(points, 1, radius))


def _tangents(points: list[NDArray[np.float64]], axis: int, radius: float) -> tuple[float, float]:
    """Compute the lowest and highest u (axis 0) or v (axis 1) that touch balls around points."""
    ends = []
    for point in points:
        side, depth = float(point[axis]), float(point[2])
        reach = radius * (side * side + depth * depth - radius * radius) ** 0.5
        ends += [
            (side * depth + sign * reach) / (depth * depth - radius * radius) for sign in (-1, 1)
        ]
    return min(ends), max(ends)
