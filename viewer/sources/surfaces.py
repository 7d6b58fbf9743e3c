"""What scenes are made of: rectangles, spheres and cylinders, and how a pinhole camera sees them.

A ray of the camera is (u, v, 1), so its length is the depth Z, and 1/Z is affine in (u, v) on a plane. Surfaces
therefore answer with inverse depth: 0 is a miss, larger is nearer, and disparity = focal * baseline / Z.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]
Field = NDArray[np.float32]
Bounds = tuple[float, float, float, float]
EVERYWHERE: Bounds = (-np.inf, np.inf, -np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class Camera:
    """A pose: ``axes`` (3, 3) has the camera's right, down and forward directions as rows; ``eye`` (3,) in world units."""

    axes: NDArray[np.float64]
    eye: NDArray[np.float64]

    def moved(self, right: float) -> "Camera":
        """Return the same camera, moved along its own right direction."""
        return Camera(self.axes, self.eye + right * self.axes[0])

    def see(self, point: Vector) -> NDArray[np.float64]:
        """Return a world point in camera coordinates."""
        return self.turn(np.asarray(point) - self.eye)

    def turn(self, direction: NDArray[np.float64] | Vector) -> NDArray[np.float64]:
        """Return a world direction in camera coordinates."""
        return (self.axes * np.asarray(direction)).sum(axis=1)


@dataclass(frozen=True)
class Material:
    """Which tile of the atlas covers a surface, and how many world units one tile spans."""

    tile: int
    repeat: float


class View(Protocol):
    """A surface as one camera sees it. ``u`` and ``v`` broadcast against each other.

    Attributes:
        bounds: (u low, u high, v low, v high) outside which the surface is not seen.
        flat: True when every point has the same normal.
    """

    bounds: Bounds
    flat: bool

    def inverse_depth(self, u: Field, v: Field) -> Field:
        """Return 1/Z where the ray hits and 0 where it misses."""

    def coordinates(self, u: Field, v: Field, w: Field) -> tuple[Field, Field]:
        """Return where on the surface the hits at inverse depths ``w`` lie, in world units."""

    def normal(self, u: Field, v: Field, w: Field) -> Sequence[Field | float]:
        """Return x, y, z of the unit normals that face the camera, in camera coordinates; single numbers when flat."""

    def spacing(self, w: Field) -> Field:
        """Return how far apart on the surface rays lie that are 1 apart in u and v, in world units."""


class Surface(Protocol):
    """A surface in the world.

    Attributes:
        material: what covers it.
        backdrop: True for what never hides anything: floor, walls, sky.
    """

    material: Material
    backdrop: bool

    def seen_by(self, camera: Camera) -> View | None:
        """Return the camera's view; None when the surface faces away or lies behind."""


@dataclass(frozen=True)
class Plane:
    """A rectangle around ``origin``, spanned by unit vectors; it shows on the side from which ``across`` x ``along`` points away.

    With x right, y down and z forward, a wall ahead has across (1, 0, 0) and along (0, 1, 0). ``half`` is half its
    extent along each, in world units; None makes it endless.
    """

    origin: Vector
    across: Vector
    along: Vector
    half: tuple[float, float] | None
    material: Material
    backdrop: bool = False

    def seen_by(self, camera: Camera) -> "PlaneView | None":
        """Return the camera's view; None when the plane faces away or lies behind."""
        origin, across, along = camera.see(self.origin), camera.turn(self.across), camera.turn(self.along)
        normal = np.cross(across, along)
        distance = float((normal * origin).sum())
        if distance <= 1e-6:
            return None
        depth = normal / distance
        rows = np.stack([across - (across * origin).sum() * depth, along - (along * origin).sum() * depth, depth])
        if self.half is None:
            return PlaneView(rows, None, EVERYWHERE, (-normal).tolist(), distance)
        corners = [
            origin + i * self.half[0] * across + j * self.half[1] * along for i in (-1, 1) for j in (-1, 1)
        ]
        bounds = bounds_of(corners, 0.0)
        return PlaneView(rows, self.half, bounds, (-normal).tolist(), distance) if bounds else None


@dataclass(frozen=True, eq=False)
class PlaneView:
    """See ``View``. ``rows`` is the homography from (u, v, 1) to (s/Z, t/Z, 1/Z)."""

    rows: NDArray[np.float64]
    half: tuple[float, float] | None
    bounds: Bounds
    facing: Sequence[float]
    distance: float
    flat: bool = True

    def inverse_depth(self, u: Field, v: Field) -> Field:
        w = self._affine(2, u, v)
        if self.half is None:
            return np.maximum(w, 0)
        inside = np.abs(self._affine(0, u, v)) <= w * self.half[0]
        inside &= np.abs(self._affine(1, u, v)) <= w * self.half[1]
        return w * inside

    def coordinates(self, u: Field, v: Field, w: Field) -> tuple[Field, Field]:
        return self._affine(0, u, v) / w, self._affine(1, u, v) / w

    def normal(self, u: Field, v: Field, w: Field) -> Sequence[Field | float]:
        return self.facing

    def spacing(self, w: Field) -> Field:
        # The homography's determinant is 1 / distance: the square root of the area a pixel covers.
        return np.float32(self.distance**-0.5) / (w * np.sqrt(w))

    def _affine(self, row: int, u: Field, v: Field) -> Field:
        a, b, c = self.rows[row].tolist()
        return u * a + (v * b + c)


@dataclass(frozen=True)
class Sphere:
    """A ball; ``turned`` spins its texture about the vertical, in turns."""

    centre: Vector
    radius: float
    material: Material
    turned: float = 0.0
    backdrop: bool = False

    def seen_by(self, camera: Camera) -> "RoundView | None":
        """Return the camera's view; None when it lies behind."""
        centre = camera.see(self.centre)
        bounds = bounds_of([centre], self.radius)
        cosine, sine = np.cos(2 * np.pi * self.turned), np.sin(2 * np.pi * self.turned)
        axes = np.stack([camera.turn((cosine, 0, sine)), camera.turn((-sine, 0, cosine)), camera.turn((0, 1, 0))])
        return RoundView(centre, self.radius, axes, None, bounds) if bounds else None


@dataclass(frozen=True)
class Cylinder:
    """A pole or bar around ``centre`` with open ends; ``half`` is half its length along the unit vector ``axis``."""

    centre: Vector
    axis: Vector
    radius: float
    half: float
    material: Material
    backdrop: bool = False

    def seen_by(self, camera: Camera) -> "RoundView | None":
        """Return the camera's view; None when it lies behind."""
        centre, axis = camera.see(self.centre), camera.turn(self.axis)
        bounds = bounds_of([centre - self.half * axis, centre + self.half * axis], self.radius)
        side = camera.turn(np.cross(self.axis, (0.6, 0.0, 0.8)))
        side /= np.sqrt((side * side).sum())
        axes = np.stack([side, np.cross(axis, side), axis])
        return RoundView(centre, self.radius, axes, self.half, bounds) if bounds else None


@dataclass(frozen=True, eq=False)
class RoundView:
    """See ``View``: a sphere, or with ``half`` a cylinder about the third of ``axes``."""

    centre: NDArray[np.float64]
    radius: float
    axes: NDArray[np.float64]
    half: float | None
    bounds: Bounds
    flat: bool = False

    def inverse_depth(self, u: Field, v: Field) -> Field:
        # Nearest root of |Z (u, v, 1) - centre|^2 = radius^2, in 1/Z; a cylinder leaves its axis out of the length.
        x, y, z = self.centre.tolist()
        a, b = u * u + (v * v + 1), u * x + (v * y + z)
        c = x * x + y * y + z * z - self.radius**2
        if self.half is None:
            root = b * b - a * c
            return np.where(root > 0, (b + np.sqrt(np.maximum(root, 0))) / c, 0)
        along, offset = self._along(u, v), float((self.axes[2] * self.centre).sum())
        a, b, c = a - along * along, b - along * offset, c - offset * offset
        root = b * b - a * c
        w = np.where(root > 0, (b + np.sqrt(np.maximum(root, 0))) / c, 0)
        return w * (np.abs(along - w * offset) <= w * self.half)

    def coordinates(self, u: Field, v: Field, w: Field) -> tuple[Field, Field]:
        # The angle is measured along a diamond, y / (|x| + |y|): no arc tangent, so the same bits everywhere.
        x, y = self._local(0, u, v, w), self._local(1, u, v, w)
        turn = x / (np.abs(x) + np.abs(y) + 1e-12)
        angle = np.where(y < 0, 3 + turn, 1 - turn) * np.float32(np.pi / 2)
        return angle * self.radius, self._local(2, u, v, w)

    def normal(self, u: Field, v: Field, w: Field) -> Sequence[Field | float]:
        x, y, z = ((ray / w - place) / self.radius for ray, place in zip((u, v, 1), self.centre.tolist(), strict=True))
        if self.half is None:
            return x, y, z
        a, b, c = self.axes[2].tolist()
        along = x * a + y * b + z * c
        return x - along * a, y - along * b, z - along * c

    def spacing(self, w: Field) -> Field:
        return 1 / w

    def _along(self, u: Field, v: Field) -> Field:
        a, b, c = self.axes[2].tolist()
        return u * a + (v * b + c)

    def _local(self, axis: int, u: Field, v: Field, w: Field) -> Field:
        a, b, c = self.axes[axis].tolist()
        return (u * a + (v * b + c)) / w - float((self.axes[axis] * self.centre).sum())


def bounds_of(points: list[NDArray[np.float64]], radius: float) -> Bounds | None:
    """Enclose balls of a radius around points in (u, v); None when all lie behind the camera."""
    if all(point[2] <= radius for point in points):
        return None
    if any(point[2] <= radius + 0.05 for point in points):
        return EVERYWHERE
    return (*_tangents(points, 0, radius), *_tangents(points, 1, radius))


def _tangents(points: list[NDArray[np.float64]], axis: int, radius: float) -> tuple[float, float]:
    ends = []
    for point in points:
        side, depth = float(point[axis]), float(point[2])
        reach = radius * (side * side + depth * depth - radius * radius) ** 0.5
        ends += [(side * depth + sign * reach) / (depth * depth - radius * radius) for sign in (-1, 1)]
    return min(ends), max(ends)
