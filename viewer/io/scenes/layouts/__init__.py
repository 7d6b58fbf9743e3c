"""Layouts of the built-in scenes, one per file: the objects and their movement in time.

World axes: x right, y down, z forward. The nearest surface of every scene is about 2.4 units away
and the farthest about 14. With ``FOCAL`` and ``BASELINE`` of ``io.sources.stereo`` disparity is
1.5 % to 9.5 % of the width, about 10 to 61 pixels at 640x480.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wheatstone.viewer.io.scenes.lighting import Light
from wheatstone.viewer.io.scenes.planes import ScenePlane
from wheatstone.viewer.io.scenes.rounds import Cylinder
from wheatstone.viewer.io.scenes.surfaces import Material, SceneCamera, Surface, Vector
from wheatstone.viewer.io.scenes.textures import Colour, Painter

RIGHT, DOWN, AHEAD = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LEFT, UP, BACK = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)

CREAM: Colour = (0.95, 0.91, 0.82)
PALETTES: tuple[tuple[Colour, ...], ...] = (
    ((0.93, 0.36, 0.23), (0.98, 0.75, 0.28), (0.13, 0.55, 0.56), (0.16, 0.25, 0.45), CREAM),
    ((0.86, 0.25, 0.39), (0.99, 0.62, 0.42), (0.36, 0.30, 0.62), (0.20, 0.62, 0.60), CREAM),
    ((0.20, 0.48, 0.78), (0.97, 0.80, 0.33), (0.90, 0.42, 0.30), (0.17, 0.30, 0.35), CREAM),
    ((0.36, 0.60, 0.35), (0.95, 0.70, 0.30), (0.83, 0.33, 0.28), (0.22, 0.28, 0.42), CREAM),
)
"""Palettes of five matching colours; the seed selects one."""


@dataclass(frozen=True)
class Layout:
    """The definition of a built-in scene; a random seed selects a variation of it.

    Attributes:
        painters: makes the painters of textures from a palette, in the order of material numbers.
        place: makes the left camera, the surfaces and the light from eight random numbers in
            [0, 1), fixed by the seed, and the phase in [0, 1). Phase 1 would look like phase 0.
        noise: largest change of a colour by the cameras' noise, in levels.
    """

    painters: Callable[[Sequence[Colour]], list[Painter]]
    place: Callable[[Sequence[float], float], tuple[SceneCamera, list[Surface], Light]]
    noise: int = 0


def turn(phase: float) -> tuple[float, float]:
    """Compute cosine and sine of an angle given in turns, where 1 is a full circle."""
    return float(np.cos(2 * np.pi * phase)), float(np.sin(2 * np.pi * phase))


def unit(x: float, y: float, z: float) -> Vector:
    """Scale a vector to length 1."""
    length = float(np.sqrt(x * x + y * y + z * z))
    return x / length, y / length, z / length


def look_at(eye: Vector, target: Vector) -> SceneCamera:
    """Make a level camera that looks from ``eye`` to ``target``."""
    forward = np.asarray(unit(target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]))
    right = np.asarray(unit(float(forward[2]), 0.0, -float(forward[0])))
    return SceneCamera(np.stack([right, np.cross(forward, right), forward]), np.asarray(eye))


def bar(start: Vector, end: Vector, radius: float, material: Material) -> Cylinder:
    """Make a round bar between two points."""
    x, y, z = (b - a for a, b in zip(start, end, strict=True))
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, (start[2] + end[2]) / 2)
    return Cylinder(
        middle, unit(x, y, z), radius, float(np.sqrt(x * x + y * y + z * z)) / 2, material
    )


def panel(
    centre: Vector,
    half: tuple[float, float],
    material: Material,
    turned: float = 0.0,
    lean: float = 0.0,
) -> ScenePlane:
    """Make a board that faces the camera, rotated about the vertical and leaning, both in turns."""
    (cosine, sine), (upright, slope) = turn(turned), turn(lean)
    return ScenePlane(
        centre, (cosine, 0.0, sine), (sine * slope, upright, -cosine * slope), half, material
    )


def box(centre: Vector, half: Vector, material: Material, turned: float = 0.0) -> list[Surface]:
    """Make the four sides and the top of a box, rotated about the vertical by ``turned`` turns."""
    (x, y, z), (a, b, c) = centre, half
    cosine, sine = turn(turned)
    return [
        ScenePlane((x + sine * c, y, z - cosine * c), (cosine, 0.0, sine), DOWN, (a, b), material),
        ScenePlane(
            (x - sine * c, y, z + cosine * c), (-cosine, 0.0, -sine), DOWN, (a, b), material
        ),
        ScenePlane((x + cosine * a, y, z + sine * a), (-sine, 0.0, cosine), DOWN, (c, b), material),
        ScenePlane((x - cosine * a, y, z - sine * a), (sine, 0.0, -cosine), DOWN, (c, b), material),
        ScenePlane((x, y - b, z), (cosine, 0.0, sine), (sine, 0.0, -cosine), (a, c), material),
    ]
