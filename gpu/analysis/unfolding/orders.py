"""Show stages step by step, in an order of pixels: by blocks, growth or sliding windows."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.kernel_facts import launches
from wheatstone.gpu.analysis.unfolding.asked import (
    Asked,
    Tiling,
    by_rows,
    computed_until,
    copy_of,
    flat_images,
)
from wheatstone.gpu.analysis.unfolding.unfolded import Boxes, Sheet, Unfolded, around
from wheatstone.gpu.image import Image, Int32, Uint8
from wheatstone.gpu.kernels.kernel import Launch
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines.mean import MeanParams
from wheatstone.gpu.pipelines.ncc.params import NccParams, first_pixel
from wheatstone.gpu.steps import Setup


def blocks(asked: Asked) -> Unfolded:
    """Prepare a step-by-step display of a stage's first output, in order of blocks and warps."""
    execution = computed_until(asked, asked.stage)
    stage = next(each for each in asked.pipeline.stages if each.name == asked.stage)
    written = flat_images(asked.pipeline, stage.writes)[0]
    result = copy_of(execution, written.name)
    tiling = asked.tiling or by_rows(asked.height, asked.width)
    order = tiling.order(asked.height, asked.width)
    done = Sheet(written.name.replace("_", " "), written, result, order, tiling.boxes)
    read = _most_alike(written, flat_images(asked.pipeline, (*stage.reads, "left")))
    values = copy_of(execution, read.name)
    before = Sheet(read.name.replace("_", " "), read, values, boxes=tiling.boxes)
    counts = "warp" if tiling.variant else "row"
    return Unfolded(tiling.moments, counts, (before, done), tiling.title)


def _most_alike(written: Image, read: list[Image]) -> Image:
    """Return the first input image with the dtype and scale of ``written``, else the first one."""
    alike = [each for each in read if (each.dtype, each.scale) == (written.dtype, written.scale)]
    return (alike or read)[0]


def tiling_of(
    pipeline: Pipeline, variant: str, params: Params, height: int, width: int, stage: str
) -> Tiling:
    """Return the layout of threads of a stage's kernel, in ``variant`` or else in another variant.

    If no kernel of the stage has a thread for each pixel, the tiling is by rows. Launches are noted
    meanwhile instead of done, so this must not run while another thread launches kernels.
    """
    cuda = [each for each in pipeline.variants if each.on_gpu]
    for each in sorted(cuda, key=lambda one: one.name != variant):
        if each.refuses(params, height, width):
            continue
        writes = next(one.writes for one in pipeline.stages if one.name == stage)
        for name, launch in launches(Setup(pipeline, each, params, height, width), writes):
            tiling = _tiled(each.name, launch, height, width) if name == stage else None
            if tiling:
                return tiling
    return by_rows(height, width)


def _tiled(variant: str, launch: Launch, height: int, width: int) -> Tiling | None:
    """Return the layout of a launch's threads over an image; None without one thread per pixel."""
    (columns, rows, *_), (across, down, *_) = (*launch.block, 1), (*launch.grid, 1)
    fits = across == -(-width // columns) and down == -(-height // rows)
    return Tiling(variant, columns, rows, across, down) if fits else None


REJECTED, KEPT, STRONG = 1, 2, 3  # of the image `strength`
MOST_OUTLINED = 24  # pixels of a round
AROUND = tuple((dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)


def hysteresis(asked: Asked) -> Unfolded:
    """Prepare a step-by-step display of hysteresis: rounds in which edges grow into weak pixels."""
    strength = copy_of(computed_until(asked, "hysteresis"), "strength")
    order = rounds(strength)
    last = int(order[strength != REJECTED].max(initial=0)) + 1
    order[strength == REJECTED] = last
    counts = np.bincount(order[strength == KEPT], minlength=last + 1)
    kept, undecided = np.cumsum(counts), int((strength == REJECTED).sum() + counts.sum())
    strong = int((strength == STRONG).sum())
    grown = np.where(strength == KEPT, order, -1)
    sheet = Sheet(
        "class of each pixel",
        asked.pipeline.image("strength"),
        strength,
        order,
        lambda moment: _around_all(np.argwhere(grown == moment)),
        lambda moment: grown == moment,
        waits="undecided",
    )

    def title(moment: int) -> str:
        """Describe a step of the slow motion: a round in which the edges grow."""
        if moment == 0:
            return f"{strong} strong pixels; {undecided} weak ones are undecided"
        if moment == last:
            return f"growth has ended: {undecided - kept[-1]} weak pixels are rejected"
        return (
            f"round {moment} of {last - 1}: {counts[moment]} weak pixels touch what was kept "
            f"before; {kept[moment]} of {undecided} are kept so far"
        )

    return Unfolded(last + 1, "round", (sheet,), title)


def _around_all(pixels: NDArray[np.intp]) -> Boxes:
    """Return a rectangle around each of the (N, 2) pixels; none for more than ``MOST_OUTLINED``."""
    if len(pixels) > MOST_OUTLINED:
        return ()
    return tuple((int(x) - 4, int(y) - 4, int(x) + 4, int(y) + 4) for y, x in pixels)


def rounds(strength: Uint8) -> Int32:
    """Compute the round of growth that reaches each kept weak pixel: (H, W); 0 elsewhere.

    Args:
        strength: (H, W) labels of hysteresis: 3 strong, 2 kept, 1 rejected, 0 none.
    """
    height, width = strength.shape
    numbers = np.zeros((height, width), np.int32)
    waiting = strength == KEPT
    ys, xs = np.nonzero(strength == STRONG)
    number = 0
    while ys.size:
        number += 1
        reached = set[int]()
        for dy, dx in AROUND:
            y, x = ys + dy, xs + dx
            inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
            places = y[inside] * width + x[inside]
            reached.update(places[waiting.ravel()[places]].tolist())
        ys, xs = np.divmod(np.array(sorted(reached), np.intp), width)
        numbers[ys, xs], waiting[ys, xs] = number, False
    return numbers


Window = tuple[int, int, int, int]  # first row and column from the pixel, rows, columns


def template(asked: Asked) -> Unfolded:
    """Prepare a step-by-step display of template correlation: each pixel with its window."""
    params = asked.params
    assert isinstance(params, NccParams)
    x, y, columns, rows = params.template
    window = (*first_pixel(params.template, params.convention), rows, columns)
    unfolded = _sliding(asked, params.search, "scores", window, "score {:.3f}")
    if params.search != "left":
        return unfolded
    view, scores = unfolded.sheets
    pattern = (x, y, x + columns - 1, y + rows - 1)
    return replace(unfolded, sheets=(replace(view, region=pattern), scores))


def window(asked: Asked) -> Unfolded:
    """Prepare a step-by-step display of the mean filter: each pixel with the window around it."""
    params = asked.params
    assert isinstance(params, MeanParams)
    radius, side = params.radius, 2 * params.radius + 1
    return _sliding(asked, "left", "mean", (-radius, -radius, side, side), "mean {:g}")


def _sliding(asked: Asked, read: str, written: str, window: Window, value: str) -> Unfolded:
    """Prepare a step-by-step display of a stage with a sliding window, pixel by pixel.

    Args:
        value: format of a value of the image written.
    """
    execution = computed_until(asked, asked.stage)
    result, width = copy_of(execution, written), asked.width
    boxes = _window_boxes(window, width)
    declared = asked.pipeline.image
    view = Sheet("image", declared(read), copy_of(execution, read), boxes=boxes)
    pixel = _window_boxes((0, 0, 1, 1), width)
    done = Sheet(written, declared(written), result, raster(result.shape), pixel)
    pixels = window[2] * window[3]

    def title(moment: int) -> str:
        """Describe a step of the slow motion: the result at one pixel."""
        row, column = divmod(moment, width)
        here = value.format(float(result[row, column]))
        return f"row {row}, column {column}: {here}, of a window of {pixels} pixels"

    return Unfolded(result.size, "pixel", (view, done), title)


def raster(shape: tuple[int, ...]) -> Int32:
    """Return the index of each pixel of an image, counted row by row: (H, W)."""
    return np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape[:2])


def _window_boxes(window: Window, width: int) -> Callable[[int], Boxes]:
    top, left, rows, columns = window

    def boxes(moment: int) -> Boxes:
        """Return the rectangle around the window of the pixel computed at a step."""
        y, x = divmod(moment, width)
        return (around(x + left, y + top, columns, rows),)

    return boxes
