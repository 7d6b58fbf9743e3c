"""The scene "bare wall": a wall with hardly any texture, lit by a lamp; the camera sways.

The only structure for matching on the wall is the fading light, in steps of one grey level, and
the cameras' noise is as large as these steps.
"""

from collections.abc import Sequence

from wheatstone.viewer.io.scenes.layouts import (
    BACK,
    DOWN,
    RIGHT,
    Layout,
    bar,
    box,
    look_at,
    turn,
    unit,
)
from wheatstone.viewer.io.scenes.lighting import Light
from wheatstone.viewer.io.scenes.painters import bands, boards, cloudy, even, plain
from wheatstone.viewer.io.scenes.planes import ScenePlane
from wheatstone.viewer.io.scenes.rounds import Sphere
from wheatstone.viewer.io.scenes.surfaces import Material, SceneCamera, Surface
from wheatstone.viewer.io.scenes.textures import Colour, Painter

WALL, FLOOR, SKIRTING, GLOBE, BRASS, STOOL, BALL = (
    Material(tile, repeat, glows=tile == 3)
    for tile, repeat in enumerate((4.0, 2.4, 1.6, 1.2, 1.0, 1.2, 1.4))
)


def painters(palette: Sequence[Colour]) -> list[Painter]:
    """Create the painters of the scene's textures, in the order of the material numbers."""
    red, yellow, teal, navy, cream = palette
    return [
        even((0.90, 0.87, 0.81)),
        boards(((0.42, 0.28, 0.18), (0.62, 0.44, 0.29), (0.76, 0.58, 0.40)), 8),
        plain((0.96, 0.94, 0.90)),
        plain((0.98, 0.95, 0.86)),
        cloudy(((0.36, 0.29, 0.18), (0.62, 0.51, 0.30), (0.82, 0.70, 0.44)), 0.3, 8, 0.7),
        boards((navy, teal, cream), 4),
        bands((red, cream, yellow, cream, teal, navy), 1),
    ]


def place(chance: Sequence[float], phase: float) -> tuple[SceneCamera, list[Surface], Light]:
    """Place the left camera, surfaces and light of the scene at a phase, 0..1, of its movement."""
    cosine, sine = turn(phase)
    camera = look_at((0.5 * sine, -0.35 + 0.06 * cosine, 0.0), (0.2 * sine, -0.15, 6.0))
    x, z = -1.15 + 0.3 * chance[0], 4.7 + 0.3 * chance[1]
    globe = (x, -0.75, z)
    seat = 0.9 + 0.5 * chance[2]
    ball = Sphere((seat + 0.05, 0.56, 4.9), 0.2, BALL, phase)
    light = Light(
        towards=unit(0.0, -1.0, -0.4),
        sun=(1.12, 0.96, 0.66),
        ambient=(0.30, 0.31, 0.36),
        haze=(60.0, 56.0, 60.0),
        haze_most=0.0,
        casters=[(ball.centre, ball.radius), ((seat, 1.0, 4.9), 0.36)],
        lamp=globe,
        reach=1.9,
    )
    lamp: list[Surface] = [
        Sphere(globe, 0.34, GLOBE),
        bar((x, -0.44, z), (x, 1.2, z), 0.03, BRASS),
        Sphere((x, 1.32, z), 0.26, BRASS),
    ]
    stool = box((seat, 0.98, 4.9), (0.34, 0.22, 0.34), STOOL, 0.06 + 0.1 * chance[3])
    return camera, [*_room(), *lamp, *stool, ball], light


def _room() -> list[Surface]:
    return [
        ScenePlane((0.0, 0.0, 6.0), RIGHT, DOWN, None, WALL, backdrop=True),
        ScenePlane((0.0, 1.2, 4.0), RIGHT, BACK, None, FLOOR, backdrop=True),
        ScenePlane((0.0, 1.11, 5.96), RIGHT, DOWN, (9.0, 0.09), SKIRTING),
        ScenePlane((0.0, 1.02, 5.98), RIGHT, BACK, (9.0, 0.02), SKIRTING),
    ]


LAYOUT = Layout(painters, place, noise=1)
