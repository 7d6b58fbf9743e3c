"""The built-in scenes: what stands where at which moment. World axes: x right, y down, z forward.

Every layout keeps its nearest surface some 2.4 units away and its farthest some 14, which with `scene.FOCAL` and `scene.BASELINE`
gives disparities of about 1.5 % to 9.5 % of the width (10 to 61 pixels at 640x480), and comes back to where it began at phase 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from viewer.sources.lighting import Light
from viewer.sources.painters import bands, boards, bricks, checks, cloudy, plain, terrazzo
from viewer.sources.surfaces import Camera, Cylinder, Material, Plane, Sphere, Surface, Vector
from viewer.sources.textures import Colour, Painter

RIGHT, DOWN, AHEAD = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LEFT, UP, BACK = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
CREAM: Colour = (0.95, 0.91, 0.82)
PALETTES: tuple[tuple[Colour, ...], ...] = (
    ((0.93, 0.36, 0.23), (0.98, 0.75, 0.28), (0.13, 0.55, 0.56), (0.16, 0.25, 0.45), CREAM),
    ((0.86, 0.25, 0.39), (0.99, 0.62, 0.42), (0.36, 0.30, 0.62), (0.20, 0.62, 0.60), CREAM),
    ((0.20, 0.48, 0.78), (0.97, 0.80, 0.33), (0.90, 0.42, 0.30), (0.17, 0.30, 0.35), CREAM),
    ((0.36, 0.60, 0.35), (0.95, 0.70, 0.30), (0.83, 0.33, 0.28), (0.22, 0.28, 0.42), CREAM),
)


@dataclass(frozen=True)
class Layout:
    """A scene but for its seed.

    Attributes:
        painters: from a palette of five colours, the tiles, in the order that materials number them.
        place: from four fixed random numbers in [0, 1) and the phase in [0, 1), the camera, surfaces and light.
    """

    painters: Callable[[Sequence[Colour]], list[Painter]]
    place: Callable[[Sequence[float], float], tuple[Camera, list[Surface], Light]]


def _unit(x: float, y: float, z: float) -> Vector:
    length = float(np.sqrt(x * x + y * y + z * z))
    return x / length, y / length, z / length


def _camera(eye: Vector, target: Vector) -> Camera:
    forward = np.asarray(_unit(*(b - a for a, b in zip(eye, target, strict=True))))
    right = np.asarray(_unit(float(forward[2]), 0.0, -float(forward[0])))
    return Camera(np.stack([right, np.cross(forward, right), forward]), np.asarray(eye))


def _turn(phase: float) -> tuple[float, float]:
    return float(np.cos(2 * np.pi * phase)), float(np.sin(2 * np.pi * phase))


def _box(centre: Vector, half: Vector, material: Material, turned: float = 0.0) -> list[Surface]:
    """Return a box's four sides and its top; ``turned`` is in turns about the vertical."""
    (x, y, z), (a, b, c) = centre, half
    cosine, sine = _turn(turned)
    side, front = (cosine, 0.0, sine), (-sine, 0.0, cosine)
    walls: list[Surface] = []
    for sign in (-1, 1):
        out = tuple(sign * part for part in front)
        across = tuple(-sign * part for part in side)
        walls.append(Plane(_offset(centre, out, c), _vector(across), DOWN, (a, b), material))
        out = tuple(sign * part for part in side)
        across = tuple(sign * part for part in front)
        walls.append(Plane(_offset(centre, out, a), _vector(across), DOWN, (c, b), material))
    return [*walls, Plane((x, y - b, z), side, _vector(tuple(-part for part in front)), (a, c), material)]


def _vector(parts: Sequence[float]) -> Vector:
    return parts[0], parts[1], parts[2]


def _offset(place: Vector, direction: Sequence[float], length: float) -> Vector:
    return _vector([a + length * b for a, b in zip(place, direction, strict=True)])


def _orbit_painters(palette: Sequence[Colour]) -> list[Painter]:
    red, yellow, teal, navy, cream = palette
    return [
        terrazzo((0.88, 0.85, 0.79), (red, cream, teal, (0.5, 0.47, 0.44), yellow, navy)),
        bricks((0.80, 0.76, 0.70), ((0.62, 0.30, 0.22), (0.78, 0.45, 0.32), (0.70, 0.52, 0.40)), 12, 4),
        plain((0.62, 0.76, 0.74)),
        checks(cream, navy, 8),
        bands((red, yellow, cream, teal, navy), 1),
        bands((teal, cream, navy, yellow), 3),
        boards(((0.36, 0.22, 0.13), (0.62, 0.42, 0.26), (0.78, 0.58, 0.38)), 6),
        cloudy(((0.20, 0.20, 0.24), (0.62, 0.60, 0.60), (0.92, 0.90, 0.86)), 0.3),
        bands((red, cream), 4),
    ]


def _orbit(chance: Sequence[float], phase: float) -> tuple[Camera, list[Surface], Light]:
    cosine, sine = _turn(phase)
    camera = _camera((1.0 * sine, -0.35 + 0.12 * cosine, -0.05 * cosine), (0.12 * sine, 0.3, 5.0))
    floor, wall, plaster, check, swirl, ripple, wood, stone, candy = (
        Material(tile, repeat) for tile, repeat in enumerate((2.4, 2.4, 3.0, 1.2, 2.2, 1.6, 2.0, 1.6, 0.9))
    )
    balls = [
        Sphere((0.0, 0.02, 4.9), 0.52, swirl, phase),
        Sphere((1.35 * cosine, 0.05 + 0.12 * sine, 4.9 + 1.35 * sine), 0.24, ripple, -2 * phase),
        Sphere((-1.35 * cosine, -0.15, 4.9 - 1.35 * sine), 0.17, candy, 3 * phase),
        Sphere((-1.9, 0.82, 5.6 + 0.5 * chance[0]), 0.38, ripple, chance[0]),
        Sphere((1.5, 0.93, 3.7 + 0.3 * chance[1]), 0.27, swirl, chance[1]),
        Sphere((2.6, 0.5, 6.9), 0.7, candy, chance[2]),
    ]
    surfaces: list[Surface] = [
        Plane((0, 1.2, 5), RIGHT, BACK, None, floor, backdrop=True),
        Plane((0, 0, 9.4), RIGHT, DOWN, None, wall, backdrop=True),
        Plane((-4.2, 0, 5), AHEAD, DOWN, None, plaster, backdrop=True),
        Plane((4.2, 0, 5), BACK, DOWN, None, plaster, backdrop=True),
        Plane((0, -2.9, 5), RIGHT, AHEAD, None, wood, backdrop=True),
    ]
    return camera, surfaces + list(balls), Light(UP, (1, 1, 1), (0, 0, 0), (0, 0, 0), 0)
