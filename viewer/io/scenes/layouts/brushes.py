"""The scene "brushes": brushes in jars and on a rail in front of a brick wall.

The camera sways. The handles are 4 to 7 pixels thick at 640x480, with equally narrow gaps where
they fan out.
"""

from collections.abc import Sequence

from wheatstone.viewer.io.scenes.layouts import BACK, DOWN, RIGHT, Layout, bar, look_at, turn, unit
from wheatstone.viewer.io.scenes.lighting import Light
from wheatstone.viewer.io.scenes.painters import bands, boards, bricks, cloudy, terrazzo
from wheatstone.viewer.io.scenes.planes import ScenePlane
from wheatstone.viewer.io.scenes.rounds import Cylinder
from wheatstone.viewer.io.scenes.surfaces import Material, SceneCamera, Surface, Vector
from wheatstone.viewer.io.scenes.textures import Colour, Painter

WALL, BENCH, JAR, GLAZE, METAL, BRISTLES, *HANDLES = (
    Material(tile, repeat)
    for tile, repeat in enumerate((2.4, 2.0, 1.0, 1.2, 0.6, 0.4, 0.8, 0.8, 0.8))
)
TOP = 0.85
"""The bench's height, y down."""


def painters(palette: Sequence[Colour]) -> list[Painter]:
    """Create the painters of the scene's textures, in the order of the material numbers."""
    red, yellow, teal, navy, cream = palette
    return [
        bricks(
            (0.78, 0.74, 0.70), ((0.52, 0.50, 0.50), (0.68, 0.64, 0.60), (0.84, 0.80, 0.74)), 12, 4
        ),
        boards(((0.40, 0.27, 0.17), (0.62, 0.45, 0.30), (0.78, 0.60, 0.42)), 5),
        terrazzo((0.86, 0.83, 0.78), (teal, navy, cream), 12),
        bands((navy, cream, teal), 2),
        cloudy(((0.42, 0.43, 0.46), (0.66, 0.67, 0.70), (0.88, 0.89, 0.90)), 0.3, 8, 0.7),
        cloudy(((0.10, 0.07, 0.05), (0.26, 0.18, 0.12), (0.46, 0.34, 0.22)), 0.4, 16, 0.8),
        cloudy((red, red, cream), 0.3, 4, 0.5),
        cloudy((yellow, yellow, cream), 0.3, 4, 0.5),
        cloudy((navy, teal, teal), 0.3, 4, 0.5),
    ]


def place(chance: Sequence[float], phase: float) -> tuple[SceneCamera, list[Surface], Light]:
    """Place the left camera, surfaces and light of the scene at a phase, 0..1, of its movement."""
    cosine, sine = turn(phase)
    camera = look_at((0.45 * sine, -0.3 + 0.06 * cosine, 0.0), (0.12 * sine, -0.24, 5.0))
    jars = [(-1.0, 3.5), (0.15 + 0.2 * chance[0], 3.9), (1.15, 3.3)]
    light = Light(
        towards=unit(-0.5, -0.9, -0.7),
        sun=(0.84, 0.79, 0.70),
        ambient=(0.48, 0.50, 0.54),
        haze=(190.0, 194.0, 200.0),
        haze_most=0.1,
        casters=[((x, TOP - 0.2, z), 0.26) for x, z in jars],
    )
    filled = [
        part
        for number, (x, z) in enumerate(jars)
        for part in _jar((x, TOP, z), number, chance[1 + number])
    ]
    return camera, [*_room(), *filled, *_hanging(chance[4:], phase)], light


def _room() -> list[Surface]:
    return [
        ScenePlane((0.0, 0.0, 6.4), RIGHT, DOWN, None, WALL, backdrop=True),
        ScenePlane((0.0, TOP, 4.0), RIGHT, BACK, None, BENCH, backdrop=True),
        bar((-4.0, -1.42, 4.4), (4.0, -1.42, 4.4), 0.035, METAL),
    ]


def _jar(foot: Vector, number: int, chance: float) -> list[Surface]:
    """Make a jar on the bench, with brushes that lean against its rim."""
    x, y, z = foot
    half, radius = 0.27, 0.24
    jar = Cylinder(
        (x, y - half, z), (0.0, 1.0, 0.0), radius, half, (JAR, GLAZE)[number % 2], hollow=True
    )
    brushes = []
    for place in range(9):
        (cosine, sine), lean = turn((place + chance) / 9), 0.55 + 0.25 * ((4 * place) % 9) / 9
        start = (x - 0.10 * cosine, y - 0.03, z - 0.10 * sine)
        end = (x + lean * 0.75 * cosine, y - 1.2 - 0.1 * (place % 3), z + lean * 0.35 * sine)
        brushes += _brush(start, end, 0.015 + 0.005 * (place % 2), HANDLES[place % 3])
    return [jar, *brushes]


def _hanging(chance: Sequence[float], phase: float) -> list[Surface]:
    """Make the scene's brushes that hang on the rail and swing a little."""
    brushes = []
    for place in range(17):
        _, sine = turn(phase + 0.09 * place)
        x = -1.85 + 0.22 * place + 0.06 * chance[place % len(chance)]
        length = 0.62 + 0.16 * ((2 * place) % 5) / 4
        end = (x + 0.05 * sine, -1.38 + length, 4.4)
        brushes += _brush((x, -1.38, 4.4), end, 0.018, HANDLES[place % 3])
    return brushes


def _brush(start: Vector, end: Vector, radius: float, handle: Material) -> list[Surface]:
    """Make a brush from the end of its handle to the tip of its bristles."""
    x, y, z = (b - a for a, b in zip(start, end, strict=True))

    def at(part: float) -> Vector:
        return start[0] + part * x, start[1] + part * y, start[2] + part * z

    return [
        bar(start, at(0.74), radius, handle),
        bar(at(0.72), at(0.84), 1.4 * radius, METAL),
        bar(at(0.84), at(0.95), 1.7 * radius, BRISTLES),
        bar(at(0.95), end, radius, BRISTLES),
    ]


LAYOUT = Layout(painters, place)
