"""The scene "orbit": balls circle a painted globe in a gallery, while the camera sways."""

from collections.abc import Sequence

from wheatstone.viewer.io.scenes.layouts import (
    AHEAD,
    BACK,
    DOWN,
    RIGHT,
    Layout,
    bar,
    box,
    look_at,
    panel,
    turn,
    unit,
)
from wheatstone.viewer.io.scenes.lighting import Light
from wheatstone.viewer.io.scenes.painters import (
    bands,
    boards,
    bricks,
    checks,
    cloudy,
    plain,
    terrazzo,
)
from wheatstone.viewer.io.scenes.planes import ScenePlane
from wheatstone.viewer.io.scenes.rounds import Sphere
from wheatstone.viewer.io.scenes.surfaces import Material, SceneCamera, Surface
from wheatstone.viewer.io.scenes.textures import Colour, Painter

FLOOR, WALL, PLASTER, CHECK, SWIRL, RIPPLE, WOOD, STONE, CANDY = (
    Material(tile, repeat)
    for tile, repeat in enumerate((2.6, 2.4, 3.0, 1.6, 2.6, 1.6, 2.0, 1.2, 1.2))
)


def painters(palette: Sequence[Colour]) -> list[Painter]:
    """Create the painters of the scene's textures, in the order of the material numbers."""
    red, yellow, teal, navy, cream = palette
    return [
        terrazzo((0.84, 0.80, 0.74), (red, cream, teal, (0.5, 0.47, 0.44), yellow, navy)),
        bricks(
            (0.76, 0.72, 0.68), ((0.48, 0.30, 0.26), (0.70, 0.46, 0.36), (0.62, 0.50, 0.44)), 12, 4
        ),
        plain((0.58, 0.70, 0.70)),
        checks(cream, navy, 8),
        bands((red, yellow, cream, teal, navy), 1),
        bands((teal, cream, navy, yellow), 2),
        boards(((0.30, 0.19, 0.12), (0.55, 0.37, 0.23), (0.72, 0.52, 0.34)), 6),
        cloudy(((0.58, 0.55, 0.53), (0.80, 0.77, 0.73), (0.93, 0.91, 0.86)), 0.4, 8, 0.75),
        bands((red, cream), 3),
    ]


def place(chance: Sequence[float], phase: float) -> tuple[SceneCamera, list[Surface], Light]:
    """Place the left camera, surfaces and light of the scene at a phase, 0..1, of its movement."""
    cosine, sine = turn(phase)
    balls = _balls(chance, phase)
    casters = [(ball.centre, ball.radius) for ball in balls] + [((0.0, 1.0, 4.9), 0.4)]
    light = Light(
        towards=unit(-0.55, -1.0, -0.65),
        sun=(0.86, 0.80, 0.70),
        ambient=(0.48, 0.50, 0.55),
        haze=(176.0, 186.0, 196.0),
        haze_most=0.12,
        casters=casters,
    )
    camera = look_at((0.9 * sine, -0.3 + 0.12 * cosine, 0.0), (0.15 * sine, 0.25, 5.0))
    return camera, [*_room(), *_furniture(chance), *balls], light


def _balls(chance: Sequence[float], phase: float) -> list[Sphere]:
    cosine, sine = turn(phase)
    return [
        Sphere((0.0, 0.0, 4.9), 0.5, SWIRL, phase),
        Sphere((1.3 * cosine, 0.02 + 0.14 * sine, 4.9 + 1.3 * sine), 0.24, RIPPLE, -2 * phase),
        Sphere((-1.3 * cosine, -0.12, 4.9 - 1.3 * sine), 0.17, CANDY, 3 * phase),
        Sphere((-1.75, 0.84, 4.6 + 0.5 * chance[0]), 0.36, RIPPLE, chance[0]),
        Sphere((1.15 + 0.3 * chance[1], 0.96, 3.55), 0.24, SWIRL, chance[1]),
        Sphere((2.75, 0.55, 7.2 + 0.5 * chance[2]), 0.65, CANDY, chance[2]),
    ]


def _room() -> list[Surface]:
    return [
        ScenePlane((0.0, 1.2, 5.0), RIGHT, BACK, None, FLOOR, backdrop=True),
        ScenePlane((0.0, 0.0, 9.4), RIGHT, DOWN, None, WALL, backdrop=True),
        ScenePlane((-4.0, 0.0, 5.0), AHEAD, DOWN, None, PLASTER, backdrop=True),
        ScenePlane((4.0, 0.0, 5.0), BACK, DOWN, None, PLASTER, backdrop=True),
        ScenePlane((0.0, -2.7, 5.0), RIGHT, AHEAD, None, WOOD, backdrop=True),
    ]


def _furniture(chance: Sequence[float]) -> list[Surface]:
    lean = 0.3 * chance[3]
    return [
        *box((0.0, 0.86, 4.9), (0.34, 0.34, 0.34), STONE, 0.06 + 0.25 * chance[4]),
        *box((-2.8 + 0.6 * chance[6], 0.45, 7.4), (0.5, 0.75, 0.5), WOOD, 0.09),
        panel((-1.5 - 0.4 * chance[5], -0.85, 9.3), (0.95, 0.75), SWIRL),
        panel((1.35, -0.95, 9.3), (0.8, 0.65), CHECK),
        panel((2.3 - 0.4 * chance[7], 0.1, 5.6), (0.6, 1.1), CHECK, -0.09),
        panel((-0.75, 0.72, 6.7), (0.5, 0.5), CANDY, 0.05, 0.04),
        bar((-1.15, 1.2, 3.3), (-1.15, -2.7, 3.3), 0.028, STONE),
        bar((-2.3, 1.2, 6.0), (-0.9 + lean, -2.7, 6.4), 0.035, CANDY),
        bar((1.0, 1.2, 6.3), (2.6 - lean, -2.7, 6.0), 0.03, RIPPLE),
        bar((-4.0, -1.55, 7.6), (4.0, -1.75, 7.6), 0.04, WOOD),
    ]


LAYOUT = Layout(painters, place)
