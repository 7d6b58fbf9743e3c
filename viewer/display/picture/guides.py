"""Guides of a 3D view as data: a grid on the floor, axes, the left camera, and their texts.

Pure arithmetic, without OpenGL. Sizes depend on the pivot's depth only, so they stay constant
from frame to frame.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from wheatstone.viewer.display.picture.colorbar import tick_text, ticks
from wheatstone.viewer.display.picture.layout import Axis, Cell
from wheatstone.viewer.display.picture.space import CLOSEST, CloudScene
from wheatstone.viewer.io.cameras.calibration import RELATIVE

Color = tuple[float, float, float, float]  # red, green, blue and how much they cover, from 0 to 1
Place = NDArray[np.float64]

GRID: Color = (0.62, 0.66, 0.72, 0.6)
CAMERA: Color = (0.95, 0.77, 0.35, 1.0)
AXES: tuple[Color, ...] = ((0.93, 0.36, 0.34, 1.0), (0.45, 0.8, 0.4, 1.0), (0.4, 0.62, 1.0, 1.0))
NAMES = ("X", "Y", "Z")
DEEP = 2.5  # pivot's depths that the grid reaches ahead
MOST_LINES = 12  # of the grid across the view
CAMERA_SIZE = 0.12  # depth of the camera's frustum, in pivot's depths
AXIS = 0.2  # length of an axis, in pivot's depths
APART = 0.5  # between two labels at least, in text sizes


@dataclass(frozen=True)
class GuideLine:
    """A line in space; its width is in pixels of an unscaled screen."""

    start: Place
    end: Place
    color: Color
    width: float = 1.2


@dataclass(frozen=True)
class Note:
    """A text at a point in space, such as the label of a grid line."""

    text: str
    place: Place


@dataclass(frozen=True)
class Guides:
    """The guides for orientation in a 3D view: lines and texts.

    Attributes:
        sides: the depths along the grid's left and along its right side, of which one suffices.
        coverage: the size of the grid's squares, as text.
    """

    lines: tuple[GuideLine, ...]
    notes: tuple[Note, ...]
    sides: tuple[tuple[Note, ...], tuple[Note, ...]]
    coverage: str


def guides(scene: CloudScene) -> Guides:
    """Create the guides of a point cloud: floor grid, axes, left camera and texts.

    The grid meets the image's lower edge at the pivot's depth.
    """
    step, across, ahead = _grid_ticks(scene)
    floor, unit = float(scene.place(0, scene.size[0], scene.pivot)[1]), scene.calibration.unit
    lines = _grid(floor, across, ahead)
    notes = [Note(tick_text(x), _at(x, floor, ahead[-1])) for x in across[1:-1]]
    left, right = (
        tuple(Note(f"{tick_text(z)} {unit}", _at(x, floor, z)) for z in ahead[1:])
        for x in (across[0], across[-1])
    )
    if scene.turned:  # in its own view the camera would be a frame around the image
        camera, named = _camera(scene)
        lines, notes = lines + camera, notes + named
    words = f"grid {tick_text(step)} {unit}"
    if unit == RELATIVE:
        words += ": focal length and baseline are not known"
    return Guides(tuple(lines), tuple(notes), (left, right), words)


def _grid_ticks(scene: CloudScene) -> tuple[float, list[float], list[float]]:
    """Choose the grid's step and its lines' positions along X and Z, in the calibration's unit."""
    known, (_, width) = scene.calibration, scene.size
    half = 0.75 * width / known.focal * scene.pivot
    wide = max(2 * half, DEEP * scene.pivot)
    listed = ticks(0.0, wide, MOST_LINES)
    step = listed[1] - listed[0]
    middle, lines = round(scene.center[0] / step), math.ceil(half / step)
    across = [(middle + n) * step for n in range(-lines, lines + 1)]
    return step, across, [n * step for n in range(math.ceil(DEEP * scene.pivot / step) + 1)]


def _grid(floor: float, across: list[float], ahead: list[float]) -> list[GuideLine]:
    lines = [GuideLine(_at(x, floor, ahead[0]), _at(x, floor, ahead[-1]), GRID) for x in across]
    return lines + [
        GuideLine(_at(across[0], floor, z), _at(across[-1], floor, z), GRID) for z in ahead
    ]


def _at(x: float, y: float, z: float) -> Place:
    return np.array((x, y, z))


def _camera(scene: CloudScene) -> tuple[list[GuideLine], list[Note]]:
    """Create the lines of the left camera, drawn as its viewing pyramid, and of its axes."""
    (height, width), origin = scene.size, np.zeros(3)
    edges = ((-0.5, -0.5), (width - 0.5, -0.5), (width - 0.5, height - 0.5), (-0.5, height - 0.5))
    near = [scene.place(*edge, CAMERA_SIZE * scene.pivot) for edge in edges]
    pairs = [(origin, corner) for corner in near]
    pairs += [(near[i], near[(i + 1) % len(near)]) for i in range(len(near))]
    lines = [GuideLine(start, end, CAMERA, 1.5) for start, end in pairs]
    tips = AXIS * scene.pivot * np.eye(3)
    lines += [GuideLine(origin, tip, color, 2.2) for tip, color in zip(tips, AXES, strict=True)]
    return lines, [Note(name, 1.1 * tip) for name, tip in zip(NAMES, tips, strict=True)]


@dataclass(frozen=True)
class ScreenPlaces:
    """The projection of points in space into a rectangle, in pixels from its top left."""

    scene: CloudScene
    rows: Axis
    columns: Axis

    def spots(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Project points in front of the eye, (N, 3) eye coordinates, to (N, 3): x, y, distance."""
        known = self.scene.calibration
        x, y, z = places.T
        return np.stack(
            (
                self.columns.pixel(known.focal * x / z + known.principal[0] + 0.5),
                self.rows.pixel(known.focal * y / z + known.principal[1] + 0.5),
                z,
            ),
            axis=1,
        )

    def seen(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Transform points from left camera coordinates, (N, 3), to eye coordinates."""
        eye = self.scene.eye
        return places @ eye[:3, :3].T + eye[:3, 3]

    def lines(self, lines: tuple[GuideLine, ...], scale: float) -> NDArray[np.float32]:
        """Lay out lines for the shader, without parts behind the eye: (N, 11) float32."""
        starts = self.seen(np.array([line.start for line in lines]))
        ends = self.seen(np.array([line.end for line in lines]))
        closest = CLOSEST * self.scene.pivot
        kept = (starts[:, 2] > closest) | (ends[:, 2] > closest)
        starts, ends = _cut(starts, ends, closest), _cut(ends, starts, closest)
        looks = np.array([(line.width * scale, *line.color) for line in lines])
        table = np.hstack((self.spots(starts[kept]), self.spots(ends[kept]), looks[kept]))
        return table.astype(np.float32)


def _cut(
    ends: NDArray[np.float64], others: NDArray[np.float64], closest: float
) -> NDArray[np.float64]:
    """Move line ends nearer than ``closest`` to the point where the line becomes visible."""
    behind = ends[:, 2] < closest
    away = np.where(behind, others[:, 2] - ends[:, 2], 1.0)
    share = np.where(behind, (closest - ends[:, 2]) / np.where(away > 0, away, 1.0), 0.0)
    points = ends + share[:, None] * (others - ends)
    points[behind, 2] = closest
    return points


@dataclass(frozen=True)
class Label:
    """A text to draw in a 3D view: its top left corner in pixels from the view's, and its pixels.

    Attributes:
        coverage: (H, W, 3) uint8: how much of a pixel is ink, how much ink or outline.
        distance: from the eye; 0: before everything.
    """

    x: int
    y: int
    coverage: NDArray[np.uint8]
    distance: float = 0.0

    @property
    def width(self) -> int:
        """Return the width of the text in pixels."""
        return int(self.coverage.shape[1])

    @property
    def height(self) -> int:
        """Return the height of the text in pixels."""
        return int(self.coverage.shape[0])


@lru_cache(maxsize=256)
def coverage(text: str, size: int) -> NDArray[np.uint8]:
    """Draw a text as coverage, (H, W, 3) uint8: red for ink, green for ink or outline."""
    font, rim = ImageFont.load_default(size), max(round(size / 7), 1)
    left, top, right, bottom = font.getbbox(text, stroke_width=rim)
    image = Image.new("RGB", (int(right - left) + 2, int(bottom - top) + 2))
    pen = ImageDraw.Draw(image)
    place = (1 - left, 1 - top)
    pen.text(place, text, (255, 255, 0), font, stroke_width=rim, stroke_fill=(0, 255, 0))
    return np.array(image)


def labels(guides: Guides, screen: ScreenPlaces, cell: Cell, size: int) -> list[Label]:
    """Lay out the texts of a 3D view; texts that would overlap others are omitted."""
    text = coverage(guides.coverage, size)
    sides = [_inside_of(_labels(side, screen, size), cell) for side in guides.sides]
    placed = _inside_of([Label(size, cell.height - len(text) - size, text)], cell)
    others = _inside_of(_labels(guides.notes, screen, size), cell)
    for label in max(sides, key=len) + others:
        if not any(_meet(label, other, APART * size) for other in placed):
            placed.append(label)
    return placed


def _labels(notes: tuple[Note, ...], screen: ScreenPlaces, size: int) -> list[Label]:
    """Centre texts on their projected points in a 3D view; omit those behind the eye."""
    places = screen.seen(np.array([note.place for note in notes]).reshape(-1, 3))
    before = places[:, 2] > CLOSEST * screen.scene.pivot
    spots = screen.spots(places[before]).tolist()
    texts = [note.text for note, kept in zip(notes, before, strict=True) if kept]
    return [_centred(coverage(text, size), *spot) for text, spot in zip(texts, spots, strict=True)]


def _centred(drawn: NDArray[np.uint8], x: float, y: float, distance: float) -> Label:
    height, width = drawn.shape[:2]
    return Label(round(x - width / 2), round(y - height / 2), drawn, distance)


def _inside_of(labels: list[Label], cell: Cell) -> list[Label]:
    return [
        label
        for label in labels
        if 0 <= label.x <= cell.width - label.width and 0 <= label.y <= cell.height - label.height
    ]


def _meet(one: Label, other: Label, gap: float) -> bool:
    """Return whether two labels are closer to each other than a gap, in pixels."""
    right = min(label.x + label.width for label in (one, other))
    bottom = min(label.y + label.height for label in (one, other))
    return max(one.x, other.x) - gap < right and max(one.y, other.y) - gap < bottom
