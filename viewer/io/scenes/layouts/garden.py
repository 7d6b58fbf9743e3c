"""The scene "garden": bushes, stakes and a trellis on a lawn with hedges; the camera sways."""

from collections.abc import Sequence

from wheatstone.viewer.io.scenes.layouts import (
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
from wheatstone.viewer.io.scenes.painters import bands, boards, bricks, cloudy, terrazzo
from wheatstone.viewer.io.scenes.planes import ScenePlane
from wheatstone.viewer.io.scenes.rounds import Sphere
from wheatstone.viewer.io.scenes.surfaces import Material, SceneCamera, Surface
from wheatstone.viewer.io.scenes.textures import Colour, Painter

LAWN, SKY, HEDGE, BUSH, TIMBER, BALL, PATH, WALL = (
    Material(tile, repeat, glows=tile == 1)
    for tile, repeat in enumerate((3.0, 14.0, 2.4, 1.2, 1.2, 1.4, 1.6, 2.0))
)


def painters(palette: Sequence[Colour]) -> list[Painter]:
    """Create the painters of the scene's textures, in the order of the material numbers."""
    red, yellow, teal, navy, cream = palette
    return [
        cloudy(
            ((0.26, 0.38, 0.17), (0.37, 0.51, 0.22), (0.48, 0.61, 0.28), (0.62, 0.70, 0.38)),
            0.4,
            8,
            0.8,
        ),
        cloudy(((0.60, 0.76, 0.90), (0.68, 0.82, 0.93), (0.86, 0.92, 0.95)), 0.01, 2, 0.4),
        cloudy(
            ((0.08, 0.22, 0.12), (0.16, 0.38, 0.18), (0.30, 0.52, 0.24), (0.50, 0.66, 0.32)),
            0.4,
            16,
            0.85,
        ),
        cloudy(
            ((0.14, 0.32, 0.14), (0.28, 0.52, 0.20), (0.52, 0.70, 0.28), yellow, red), 0.4, 16, 0.75
        ),
        boards(((0.60, 0.44, 0.30), (0.78, 0.62, 0.44), (0.90, 0.78, 0.60)), 4),
        bands((red, cream, yellow, cream, teal, navy), 1),
        terrazzo((0.72, 0.66, 0.56), ((0.62, 0.54, 0.46), cream, (0.80, 0.70, 0.56), red), 10),
        bricks((0.84, 0.80, 0.74), (red, (0.75, 0.52, 0.42), (0.88, 0.70, 0.58)), 10, 4),
    ]


def place(chance: Sequence[float], phase: float) -> tuple[SceneCamera, list[Surface], Light]:
    """Place the left camera, surfaces and light of the scene at a phase, 0..1, of its movement."""
    cosine, sine = turn(phase)
    camera = look_at((0.5 * sine, -0.35, 0.3 * cosine - 0.3), (0.1 * sine, 0.3, 6.0))
    balls = _balls(chance, phase)
    light = Light(
        towards=unit(0.6, -1.0, -0.45),
        sun=(0.88, 0.80, 0.62),
        ambient=(0.42, 0.47, 0.54),
        haze=(206.0, 222.0, 232.0),
        haze_most=0.3,
        casters=[(ball.centre, ball.radius) for ball in balls],
    )
    return camera, [*_grounds(), *_fence(chance), *_trellis(), *balls], light


def _grounds() -> list[Surface]:
    return [
        ScenePlane((0.0, 1.2, 6.0), RIGHT, BACK, None, LAWN, backdrop=True),
        ScenePlane((0.0, 0.0, 14.0), RIGHT, DOWN, None, SKY, backdrop=True),
        ScenePlane(
            (0.6, 1.195, 6.0), unit(1.0, 0.0, 0.12), unit(0.12, 0.0, -1.0), (0.55, 7.0), PATH
        ),
        panel((0.0, 0.2, 11.0), (9.0, 1.0), HEDGE),
        panel((-4.2, 0.4, 8.0), (2.4, 0.8), HEDGE, -0.14),
        panel((4.4, 0.3, 8.0), (2.4, 0.9), HEDGE, 0.14),
        *box((2.3, 0.9, 5.2), (0.3, 0.3, 0.3), WALL, 0.08),
    ]


def _balls(chance: Sequence[float], phase: float) -> list[Sphere]:
    cosine, sine = turn(phase)
    bounce = 1.0 - (2.0 * ((2.0 * phase + chance[0]) % 1.0) - 1.0) ** 2
    return [
        Sphere((-1.7, 0.55, 5.4 + 0.6 * chance[1]), 0.68, BUSH, chance[1]),
        Sphere((2.3, 0.22, 5.2), 0.42, BUSH, chance[2]),
        Sphere((-0.4 - 0.4 * chance[3], 0.72, 8.2), 0.55, BUSH, chance[3]),
        Sphere((2.9, 0.6, 8.6), 0.7, BUSH, chance[4]),
        Sphere((0.75, 0.96 - 0.8 * bounce, 4.3), 0.24, BALL, 2 * phase),
        Sphere((-0.35 + 0.9 * cosine, -0.55, 6.2 + 0.9 * sine), 0.2, BALL, -phase),
    ]


def _fence(chance: Sequence[float]) -> list[Surface]:
    stakes = [
        bar((x, 1.2, 3.5 + 0.12 * x), (x + 0.05, 0.55, 3.5), 0.022, TIMBER)
        for x in (-1.9, -1.6, -1.3, -1.0)
    ]
    rail = bar((-2.1, 0.7, 3.28), (-0.8, 0.74, 3.44), 0.02, TIMBER)
    pole = bar((1.55, 1.2, 3.4), (1.45 - 0.15 * chance[5], -2.2, 3.6), 0.025, BALL)
    return [*stakes, rail, pole]


def _trellis() -> list[Surface]:
    slats: list[Surface] = []
    for step in range(5):
        x = -3.4 + 0.45 * step
        slats.append(bar((x, 1.2, 7.2), (x + 0.9, -1.1, 7.0), 0.03, TIMBER))
        slats.append(bar((x + 0.9, 1.2, 7.05), (x, -1.1, 7.25), 0.03, TIMBER))
    return slats


LAYOUT = Layout(painters, place)
