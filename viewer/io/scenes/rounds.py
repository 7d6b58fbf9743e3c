"""Round surfaces of a scene: spheres and cylinders."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.scenes.surfaces import (
    Bounds,
    Field,
    Material,
    SceneCamera,
    Vector,
    affine,
    bounds_of,
)


@dataclass(frozen=True)
class Sphere:
    """A sphere with a texture.

    Attributes:
        turned: rotation of its texture about the vertical, in turns.
    """

    centre: Vector
    radius: float
    material: Material
    turned: float = 0.0
    backdrop: bool = False

    def seen_by(self, camera: SceneCamera) -> "RoundView | None":
        """Return the sphere's view from a camera; None if it is behind the camera."""
        centre = camera.see(self.centre)
        bounds = bounds_of([centre], self.radius)
        cosine, sine = np.cos(2 * np.pi * self.turned), np.sin(2 * np.pi * self.turned)
        axes = np.stack(
            [
                camera.turn((cosine, 0, sine)),
                camera.turn((-sine, 0, cosine)),
                camera.turn((0, 1, 0)),
            ]
        )
        repeats = max(1, round(2 * np.pi * self.radius / self.material.repeat))
        quarter = repeats * self.material.repeat / 4
        return RoundView(centre, self.radius, axes, None, quarter, bounds) if bounds else None


@dataclass(frozen=True)
class Cylinder:
    """A cylinder with open ends, such as a pole or a bar.

    Attributes:
        axis: unit vector along it.
        half: half its length, in world units.
        hollow: whether the inside is visible through the open ends.
    """

    centre: Vector
    axis: Vector
    radius: float
    half: float
    material: Material
    backdrop: bool = False
    hollow: bool = False

    def seen_by(self, camera: SceneCamera) -> "RoundView | None":
        """Return the cylinder's view from a camera; None if it is behind the camera."""
        centre, axis = camera.see(self.centre), camera.turn(self.axis)
        bounds = bounds_of([centre - self.half * axis, centre + self.half * axis], self.radius)
        side = camera.turn(np.cross(self.axis, (0.6, 0.0, 0.8)))
        side /= np.sqrt((side * side).sum())
        axes = np.stack([side, np.cross(axis, side), axis])
        quarter = self.radius * np.pi / 2
        return (
            RoundView(centre, self.radius, axes, self.half, quarter, bounds, self.hollow)
            if bounds
            else None
        )


@dataclass(frozen=True, eq=False)
class RoundView:
    """The ``SurfaceView`` of a sphere or a cylinder from one camera.

    Attributes:
        centre, axes: in camera coordinates; a cylinder's axis is the third of ``axes``.
        half: half a cylinder's length; None: it is a sphere.
        quarter: length of texture in a quarter of a turn: on a sphere four quarters are an integer
            number of tiles, so that no seam is visible; a cylinder's back mirrors its front.
        hollow: whether a cylinder's inside is visible through its open ends.
    """

    centre: NDArray[np.float64]
    radius: float
    axes: NDArray[np.float64]
    half: float | None
    quarter: float
    bounds: Bounds
    hollow: bool = False

    def inverse_depth(self, u: Field, v: Field) -> Field:
        # Nearest root of |Z (u, v, 1) - centre|^2 = radius^2, in 1/Z; a cylinder leaves its axis
        # out of the length.
        x, y, z = self.centre.tolist()
        a, b = u * u + (v * v + 1), affine(self.centre, u, v)
        c = x * x + y * y + z * z - self.radius**2
        if self.half is None:
            return _root(a, b, c, 1)
        along, offset = affine(self.axes[2], u, v), float((self.axes[2] * self.centre).sum())
        square = a - along * along, b - along * offset, c - offset * offset
        outer = self._cut(_root(*square, 1), along, offset)
        if not self.hollow:
            return outer
        inner = self._cut(_root(*square, -1), along, offset)
        return np.where(outer > 0, outer, inner)

    def _cut(self, w: Field, along: Field, offset: float) -> Field:
        """Remove hits beyond a cylinder's ends: set their inverse depth to 0."""
        assert self.half is not None
        return w * (np.abs(along - w * offset) <= w * self.half)

    def coordinates(self, u: Field, v: Field, w: Field) -> tuple[Field, Field]:
        # The angle is measured along a diamond, x / (|x| + |y|): no arc tangent, so the same bits
        # everywhere.
        x, y = self._local(0, u, v, w), self._local(1, u, v, w)
        quarters, z = 1 - x / (np.abs(x) + np.abs(y) + 1e-12), self._local(2, u, v, w)
        if self.half is None:
            quarters = np.where(y < 0, 4 - quarters, quarters)
            z = z / (np.abs(z) + np.sqrt(x * x + y * y)) * (self.radius * np.pi / 2)
        return quarters * self.quarter, z

    def normal(self, u: Field, v: Field, w: Field) -> Sequence[Field | float]:
        x, y, z = self.centre.tolist()
        scale = 1 / self.radius
        x, y, z = (u / w - x) * scale, (v / w - y) * scale, (1 / w - z) * scale
        if self.half is None:
            return x, y, z
        a, b, c = self.axes[2].tolist()
        along = x * a + y * b + z * c
        x, y, z = x - along * a, y - along * b, z - along * c
        if not self.hollow:
            return x, y, z
        side = np.where(x * u + y * v + z > 0, np.float32(-1), np.float32(1))  # seen from inside
        return x * side, y * side, z * side

    def spacing(self, w: Field) -> Field:
        return 1 / w

    def _local(self, axis: int, u: Field, v: Field, w: Field) -> Field:
        """Compute the offsets of hits from the centre along one of the object's axes."""
        local: Field = affine(self.axes[axis], u, v) / w - float(
            (self.axes[axis] * self.centre).sum()
        )
        return local


def _root(a: Field, b: Field, c: float, sign: int) -> Field:
    """Solve c w^2 - 2 b w + a = 0 for the larger w, the nearer hit (sign 1), or the smaller (-1).

    Without a hit, w is 0.
    """
    discriminant = b * b - a * c
    return np.where(discriminant > 0, (b + sign * np.sqrt(np.maximum(discriminant, 0))) / c, 0)
