"""The scene "basket": a basket of crossing rods on a lawn, with objects inside and behind it.

The camera sways in front of it. The openings are about 10 to 30 pixels wide at 640x480.
"""

from collections.abc import Sequence
from itertools import pairwise

from wheatstone.viewer.io.scenes.layouts import (
    BACK,
    DOWN,
    RIGHT,
    Layout,
    bar,
    look_at,
    panel,
    turn,
    unit,
)
from wheatstone.viewer.io.scenes.lighting import Light
from wheatstone.viewer.io.scenes.painters import bands, boards, bricks, checks, cloudy
from wheatstone.viewer.io.scenes.planes import ScenePlane
from wheatstone.viewer.io.scenes.rounds import Sphere
from wheatstone.viewer.io.scenes.surfaces import Material, SceneCamera, Surface, Vector
from wheatstone.viewer.io.scenes.textures import Colour, Painter

LAWN, HEDGE, BRICKS, CLOTH, ROD, RIM, APPLE, BALL = (
    Material(tile, repeat) for tile, repeat in enumerate((2.4, 2.4, 2.0, 2.4, 0.8, 0.8, 1.0, 1.4))
)
GROUND = 1.2
"""The lawn's height, y down."""


def painters(palette: Sequence[Colour]) -> list[Painter]:
    """Create the painters of the scene's textures, in the order of the material numbers."""
    red, yellow, teal, navy, cream = palette
    return [
        cloudy(
            ((0.20, 0.34, 0.14), (0.34, 0.50, 0.20), (0.48, 0.62, 0.28), (0.66, 0.72, 0.40)),
            0.45,
            16,
            0.85,
        ),
        cloudy(
            ((0.08, 0.22, 0.12), (0.16, 0.38, 0.18), (0.30, 0.52, 0.24), (0.50, 0.66, 0.32)),
            0.4,
            16,
            0.85,
        ),
        bricks((0.80, 0.76, 0.70), ((0.62, 0.36, 0.28), (0.78, 0.50, 0.40), red), 10, 4),
        checks(cream, red, 8),
        boards(((0.46, 0.31, 0.18), (0.66, 0.47, 0.28), (0.84, 0.66, 0.44)), 6),
        boards(((0.32, 0.20, 0.11), (0.46, 0.30, 0.17), (0.58, 0.40, 0.24)), 6),
        cloudy(((0.66, 0.10, 0.08), (0.82, 0.22, 0.12), (0.93, 0.70, 0.26)), 0.25, 4, 0.6),
        bands((teal, cream, navy, yellow), 1),
    ]


def place(chance: Sequence[float], phase: float) -> tuple[SceneCamera, list[Surface], Light]:
    """Place the left camera, surfaces and light of the scene at a phase, 0..1, of its movement."""
    cosine, sine = turn(phase)
    camera = look_at((0.55 * sine, -0.5 + 0.08 * cosine, 0.0), (0.1 * sine, 0.25, 4.5))
    foot = (-0.45 + 0.2 * chance[0], GROUND, 3.9)
    apples = _apples(foot, chance)
    ball = Sphere((1.75, GROUND - 0.3, 5.0 + 0.5 * chance[1]), 0.3, BALL, -phase)
    light = Light(
        towards=unit(0.5, -1.0, -0.5),
        sun=(0.86, 0.79, 0.62),
        ambient=(0.42, 0.46, 0.52),
        haze=(206.0, 222.0, 232.0),
        haze_most=0.2,
        casters=[(one.centre, one.radius) for one in (*apples, ball)],
    )
    surfaces = [*_grounds(foot), *_basket(foot, chance[2]), *apples, ball]
    return camera, surfaces, light


def _grounds(foot: Vector) -> list[Surface]:
    cloth = (foot[0] + 0.3, GROUND - 0.004, foot[2] - 0.1)
    return [
        ScenePlane((0.0, GROUND, 6.0), RIGHT, BACK, None, LAWN, backdrop=True),
        ScenePlane((0.0, 0.0, 10.0), RIGHT, DOWN, None, HEDGE, backdrop=True),
        ScenePlane(cloth, unit(1.0, 0.0, 0.25), unit(0.25, 0.0, -1.0), (1.5, 0.95), CLOTH),
        panel((0.0, 0.75, 8.2), (9.0, 0.45), BRICKS),
    ]


def _apples(foot: Vector, chance: Sequence[float]) -> list[Sphere]:
    """Place apples (spheres) in the scene's basket, and one next to it."""
    x, y, z = foot
    apples = []
    for number in range(5):
        cosine, sine = turn(number / 5 + chance[3])
        centre = (x + 0.32 * cosine, y - 0.17, z + 0.32 * sine)
        apples.append(Sphere(centre, 0.16, APPLE, chance[4] + 0.3 * number))
    apples.append(Sphere((x + 0.05, y - 0.4, z), 0.17, APPLE, chance[5]))
    apples.append(Sphere((x + 1.15, y - 0.16, z - 0.5), 0.16, APPLE, chance[6]))
    return apples


def _basket(foot: Vector, chance: float) -> list[Surface]:
    """Make the scene's basket: crossing rods, rims, and a handle."""
    count, twist = 20, 0.17
    low, high = (0.62, 0.0), (0.86, 0.95)  # radius and height
    rods = [
        bar(_on(foot, low, place), _on(foot, high, place + way * twist), 0.018, ROD)
        for step in range(count)
        for way in (-1, 1)
        for place in [(step + chance) / count]
    ]
    rims = [*_ring(foot, low, 0.03), *_ring(foot, high, 0.035), *_ring(foot, (0.86, 0.86), 0.02)]
    return [*rods, *rims, *_handle(foot, high)]


def _ring(foot: Vector, at: tuple[float, float], radius: float) -> list[Surface]:
    """Create a ring of a given thickness around the basket's axis, at a radius and a height."""
    return _bent([_on(foot, at, piece / 20) for piece in range(21)], radius)


def _handle(foot: Vector, rim: tuple[float, float]) -> list[Surface]:
    arch = [turn(piece / 24) for piece in range(13)]
    ends = [_on(foot, (rim[0] * cosine, rim[1] + 0.7 * sine), 0.07) for cosine, sine in arch]
    return _bent(ends, 0.035)


def _bent(ends: Sequence[Vector], radius: float) -> list[Surface]:
    """Make a bent rod from straight pieces, which overlap a little so that there are no gaps."""
    pieces: list[Surface] = []
    for start, end in pairwise(ends):
        x, y, z = unit(*(b - a for a, b in zip(start, end, strict=True)))
        over = radius / 5
        first = start[0] - over * x, start[1] - over * y, start[2] - over * z
        last = end[0] + over * x, end[1] + over * y, end[2] + over * z
        pieces.append(bar(first, last, radius, RIM))
    return pieces


def _on(foot: Vector, at: tuple[float, float], angle: float) -> Vector:
    """Compute a point near the basket, given by radius, height and angle (turns) about its axis."""
    (radius, height), (cosine, sine) = at, turn(angle)
    return foot[0] + radius * cosine, foot[1] - height, foot[2] + radius * sine


LAYOUT = Layout(painters, place)
