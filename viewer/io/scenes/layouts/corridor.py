"""The scene "corridor": the camera moves along an endless hall of poles and lamps."""

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

PERIOD = 4.0
"""Distance that the camera walks in a loop; objects and textures repeat at this distance."""
FLOOR, LEFT_WALL, RIGHT_WALL, CEILING, END, LAMP, POLE, POSTER, STONE = (
    Material(tile, repeat, glows=tile == 4)
    for tile, repeat in enumerate((2.0, 4.0, 2.0, 4.0, 6.0, 1.4, 1.0, 1.6, 1.0))
)


def painters(palette: Sequence[Colour]) -> list[Painter]:
    """Create the painters of the scene's textures, in the order of the material numbers."""
    red, yellow, teal, navy, cream = palette
    return [
        checks(cream, (0.30, 0.33, 0.36), 4),
        plain((0.97, 0.84, 0.68)),
        bricks(
            (0.75, 0.70, 0.64), ((0.55, 0.60, 0.58), (0.42, 0.52, 0.54), (0.66, 0.68, 0.62)), 8, 4
        ),
        boards(((0.45, 0.30, 0.18), (0.66, 0.47, 0.29), (0.80, 0.62, 0.42)), 8),
        cloudy((navy, teal, yellow, cream), 0.25, 4, 0.5),
        bands((red, yellow, cream, teal), 1),
        bands((navy, cream), 3),
        bands((red, cream, yellow, navy, teal), 1),
        terrazzo((0.80, 0.77, 0.72), (red, cream, teal, navy), 14),
    ]


def place(chance: Sequence[float], phase: float) -> tuple[SceneCamera, list[Surface], Light]:
    """Place the left camera, surfaces and light of the scene at a phase, 0..1, of its movement."""
    walked = PERIOD * phase
    _, sine = turn(phase)
    eye = (0.12 * sine, 0.0, walked)
    camera = look_at(eye, (0.04 * sine, 0.02, walked + 6.0))
    surfaces: list[Surface] = [
        ScenePlane((0.0, 1.2, 0.0), RIGHT, BACK, None, FLOOR, backdrop=True),
        ScenePlane((-2.1, 0.0, 0.0), AHEAD, DOWN, None, LEFT_WALL, backdrop=True),
        ScenePlane((2.1, 0.0, 0.0), BACK, DOWN, None, RIGHT_WALL, backdrop=True),
        ScenePlane((0.0, -1.5, 0.0), RIGHT, AHEAD, None, CEILING, backdrop=True),
        ScenePlane((0.0, 0.0, walked + 12.0), RIGHT, DOWN, None, END, backdrop=True),
    ]
    balls: list[Sphere] = []
    for segment in range(5):
        start = PERIOD * segment
        surfaces += [thing for thing in _segment(start, chance) if _is_ahead(thing, walked)]
        balls += [ball for ball in _balls(start, chance, phase) if _is_ahead(ball, walked)]
    light = Light(
        towards=unit(-0.5, -1.0, -0.6),
        sun=(0.80, 0.74, 0.64),
        ambient=(0.48, 0.50, 0.54),
        haze=(214.0, 204.0, 188.0),
        haze_most=0.35,
        casters=[(ball.centre, ball.radius) for ball in balls],
    )
    return camera, [*surfaces, *balls], light


def _is_ahead(thing: Surface, walked: float) -> bool:
    depth = (thing.origin if isinstance(thing, ScenePlane) else thing.centre)[2] - walked  # type: ignore[attr-defined]
    return bool(1.0 < depth < 12.5)


def _balls(start: float, chance: Sequence[float], phase: float) -> list[Sphere]:
    _, sine = turn(phase + chance[0])
    return [
        Sphere((-1.6, 0.42 + 0.06 * sine, start + 0.9), 0.3, LAMP, phase),
        Sphere((1.78, -0.35 - 0.2 * chance[1], start + 2.9), 0.26, POSTER, -2 * phase),
    ]


def _segment(start: float, chance: Sequence[float]) -> list[Surface]:
    lean = 0.25 * chance[2]
    return [
        bar((-1.85, 1.2, start), (-1.85, -1.5, start), 0.06, POLE),
        bar((1.85, 1.2, start), (1.85, -1.5, start), 0.06, POLE),
        bar((-2.1, -0.75, start), (-1.0, -1.5, start), 0.035, POLE),
        bar((2.1, -0.75, start), (1.0, -1.5, start), 0.035, POLE),
        bar((-2.1, -1.2, start + 2.0), (2.1, -1.3, start + 2.0 + lean), 0.04, CEILING),
        *box((-1.6, 0.98, start + 0.9), (0.22, 0.22, 0.22), STONE, 0.03),
        panel((1.7, 0.75, start + 1.6 + lean), (0.32, 0.45), POSTER, 0.1, 0.03),
    ]


LAYOUT = Layout(painters, place)
