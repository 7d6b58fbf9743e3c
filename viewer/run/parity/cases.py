"""Random test configurations of every pipeline (sizes, parameters, images), numbered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.parameters import Control, Params, controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ahead import with_conversion, with_rectification
from wheatstone.gpu.pipelines.inputs import inputs_of
from wheatstone.gpu.pipelines.nv12 import COEFFICIENTS, MATRICES, NV12, coefficients
from wheatstone.gpu.pipelines.rectify import FRACTION, OUTSIDE
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.grey import grey_levels

View = NDArray[np.uint8]

WEIGHTS = {"sgm": 4, "canny": 3, "ncc": 2, "mean": 2}  # of pipelines; one that is not named has 1
RECTIFIED = 0.15  # of the cases, the share in which a pipeline rectifies its views first
CONVERTED = 0.15  # the share in which it converts decoded video first
BANDED = 0.3  # of the cases that can be computed in bands, the share in which they are
BLOCKS = (16, 32, 64, 128)  # sides of tiles and blocks, at which kernels change their ways
MOST_COSTS = 2**21  # pixels times disparities, or times pixels of a template
MOST_LARGE = 2**23  # the same, of the few large cases
SCENE_SIZE = (640, 480)
REACH = 12  # pixels that a place may be away, at most; beyond the border for a few


@dataclass(frozen=True)
class Case:
    """A random configuration, which every variant of its pipeline computes.

    Attributes:
        number: identifies the case, together with the seed of the run.
        kind: kind of the images, a key of ``VIEWS``.
        again: whether another frame is computed first: its remains must not matter, and variants on
            a GPU replay the commands that they recorded.
        bands: bands of rows in which variants compute the image, where that has no effect on the
            result; the reference computes it as a whole.
    """

    number: int
    seed: int
    pipeline: Pipeline
    params: Params
    height: int
    width: int
    kind: str
    again: bool
    bands: int = 1

    def __str__(self) -> str:
        values = ", ".join(f"{name} {value}" for name, value in self.params.values().items())
        size = f"{self.width}x{self.height}"
        bands = f" in {self.bands} bands" * (self.bands > 1)
        return f"case {self.number}: {self.pipeline.name} {size} {self.kind}{bands}, {values}"

    def inputs(self, frame: int = 1) -> Mapping[str, View]:
        """Create a frame's input images; frame 0 precedes frame 1, whose results are compared."""
        random = np.random.default_rng((self.seed, self.number, frame))
        kind = self.kind if frame else "noise"
        views = VIEWS[kind](random, self.height, self.width)
        named = dict(zip(("left", "right"), map(np.ascontiguousarray, views), strict=True))
        maps = random_maps(random, self.height, self.width)
        camera = random.normal(size=2).astype(np.float32) * np.float32(100)
        arrays = inputs_of(self.pipeline, named, maps, camera)
        colours = random_colours(random, self.height, self.width)
        return arrays | {name: colours[name] for name in arrays if name in colours}


def case_of(number: int, seed: int, only: Sequence[str] = ()) -> Case:
    """Draw a random case of the named pipelines, or of all; equal numbers and seeds repeat it."""
    random = Random(f"parity {seed} {number}")
    known = [each for name, each in PIPELINES.items() if not only or name in only]
    pipeline = random.choices(known, [WEIGHTS.get(each.name, 1) for each in known])[0]
    if random.random() < RECTIFIED:
        pipeline = with_rectification(pipeline)
    if random.random() < CONVERTED:
        pipeline = with_conversion(pipeline)
    large = random.random() < 0.02
    height, width = _size(random, large)
    params = _params(random, pipeline, height, width, MOST_LARGE if large else MOST_COSTS)
    kind, again = random.choice(list(VIEWS)), random.random() < 0.25
    bands = random.randint(2, 6) if pipeline.in_bands and random.random() < BANDED else 1
    return Case(number, seed, pipeline, params, height, width, kind, again, bands)


def _size(random: Random, large: bool) -> tuple[int, int]:
    """Draw a height and a width: tiny, near a multiple of a block's side, medium, or large."""
    if large:
        return random.randint(200, 480), random.randint(200, 640)
    sides = (
        lambda: random.randint(1, 9),
        lambda: max(random.choice(BLOCKS) * random.randint(1, 2) + random.randint(-1, 1), 1),
        lambda: random.randint(10, 200),
        lambda: random.randint(30, 120),
    )
    height, width = (random.choice(sides)() for _ in range(2))
    return min(height, 200), width


def _params(random: Random, pipeline: Pipeline, height: int, width: int, most: int) -> Params:
    preset = random.choice([None, *pipeline.presets])
    params = pipeline.preset(preset) if preset else pipeline.params()
    share = random.choice((0.2, 0.5, 1.0))
    for name, control in controls(pipeline.params).items():
        bounded = name == "disparities" or control.kind == "region"
        if bounded or random.random() < share:
            value = _value(random, name, control, height, width, most)
            params = params.adjusted(name, value)
    return params


def _value(random: Random, name: str, control: Control, height: int, width: int, most: int) -> Any:
    """Draw a random allowed value of a parameter, often a bound or a neighbour of one."""
    if control.kind == "choice":
        return random.choice(control.choices)
    if control.kind == "region":
        return _region(random, int(control.low), height, width, most)
    if control.kind == "float":
        edge = random.choice((control.low, control.high, 0.0, control.step))
        inner = round(random.uniform(control.low, control.high), 3)
        return min(max(edge if random.random() < 0.3 else inner, control.low), control.high)
    low, high, stride = int(control.low), int(control.high), control.stride
    if name == "disparities":
        high = max(min(high, most // (height * width) // stride * stride), low)
    if random.random() < 0.3:
        return random.choice((low, min(low + stride, high), max(high - stride, low), high))
    if random.random() < 0.5:  # small values change more than large ones
        high = min(high, max(low, 0) + 20 * stride)
    return random.randrange(low, high + 1, stride)


def _region(
    random: Random, smallest: int, height: int, width: int, most: int
) -> tuple[int, int, int, int]:
    columns = random.randint(smallest, max(min(width, 70), smallest))
    rows = max(min(height, most * 8 // (height * width * columns)), smallest)
    rows = random.randint(smallest, max(rows, smallest))
    beyond = random.randint(0, 3) if random.random() < 0.03 else 0
    x = random.randint(0, max(width - columns, 0)) + beyond
    return x, random.randint(0, max(height - rows, 0)), columns, rows


def _noise(random: np.random.Generator, height: int, width: int) -> tuple[View, View]:
    left, right = (random.integers(0, 256, (height, width), np.uint8) for _ in range(2))
    return left, right


def _shifted(random: np.random.Generator, height: int, width: int) -> tuple[View, View]:
    left, _ = _noise(random, height, width)
    return left, np.roll(left, -int(random.integers(0, 20)), axis=1)


def _constant(random: np.random.Generator, height: int, width: int) -> tuple[View, View]:
    levels = random.choice([0, 1, 127, 128, 254, 255], 2)
    left, right = (np.full((height, width), level, np.uint8) for level in levels)
    return left, right


def _ramps(random: np.random.Generator, height: int, width: int) -> tuple[View, View]:
    rows, columns = np.mgrid[:height, :width]
    slopes = random.integers(-4, 5, 4)
    left, right = (a * rows + b * columns for a, b in slopes.reshape(2, 2))
    return left.astype(np.uint8), right.astype(np.uint8)


def _extremes(random: np.random.Generator, height: int, width: int) -> tuple[View, View]:
    """Draw views of only black and white: a checkerboard, sparse points, or uniform."""
    rows, columns = np.mgrid[:height, :width]
    period = int(random.integers(1, 9))
    checks = ((rows // period + columns // period) % 2 * 255).astype(np.uint8)
    points = np.where(random.random((height, width)) < 0.02, 255, 0).astype(np.uint8)
    choices = (checks, points, 255 - points, np.zeros_like(checks), np.full_like(checks, 255))
    left, right = (choices[int(number)] for number in random.integers(0, len(choices), 2))
    return left, right


def _scene(random: np.random.Generator, height: int, width: int) -> tuple[View, View]:
    left, right = _painted(SCENES[int(random.integers(len(SCENES)))])
    y = int(random.integers(0, left.shape[0] - height + 1))
    x = int(random.integers(0, left.shape[1] - width + 1))
    return left[y : y + height, x : x + width], right[y : y + height, x : x + width]


@cache
def _painted(scene: str) -> tuple[View, View]:
    from wheatstone.viewer.io.sources.scene import Scene

    frame = Scene(scene, 0, SCENE_SIZE).first()
    assert frame.right is not None
    grey = [np.empty(view.shape[:2], np.uint8) for view in (frame.left, frame.right)]
    for view, levels in zip((frame.left, frame.right), grey, strict=True):
        grey_levels(view, levels)
    return grey[0], grey[1]


VIEWS: Mapping[str, Callable[[np.random.Generator, int, int], tuple[View, View]]] = {
    "noise": _noise,
    "shifted": _shifted,
    "constant": _constant,
    "ramps": _ramps,
    "extremes": _extremes,
    "scene": _scene,
}
"""Kinds of images, left and right, by name."""


def random_colours(random: np.random.Generator, height: int, width: int) -> dict[str, NDArray[Any]]:
    """Draw the chroma planes of both views, and the coefficients of their conversion to RGB."""
    matrix = list(MATRICES)[random.integers(len(MATRICES))]
    full_range = bool(random.integers(2))
    arrays: dict[str, NDArray[Any]] = {COEFFICIENTS: coefficients(matrix, full_range=full_range)}
    for name in ("left_chroma", "right_chroma"):
        shape = NV12.image(name).shape(height, width, NV12.params())
        arrays[name] = random.integers(0, 256, shape, np.uint8)
    return arrays


def random_maps(
    random: np.random.Generator, height: int, width: int
) -> dict[str, NDArray[np.int16]]:
    """Draw a rectification map per view: mostly near each pixel, some anywhere or outside."""
    return {view: _map(random, height, width) for view in ("left", "right")}


def _map(random: np.random.Generator, height: int, width: int) -> NDArray[np.int16]:
    steps = REACH * FRACTION
    drawn = random.integers(-steps, steps + 1, (height, width, 2), np.int16)
    anywhere = random.random((height, width)) < 0.1
    drawn[anywhere] = random.integers(-(2**15) + 1, 2**15, (int(anywhere.sum()), 2), np.int16)
    drawn[random.random((height, width)) < 0.05] = OUTSIDE
    return drawn
