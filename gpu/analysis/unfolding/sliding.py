"""Unfold filters whose window slides over the image, row by row and pixel by pixel."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from wheatstone.gpu.analysis.unfolding.asked import Asked, computed_until, copy_of
from wheatstone.gpu.analysis.unfolding.unfolded import Boxes, Sheet, Unfolded, around
from wheatstone.gpu.image import Int32
from wheatstone.gpu.pipelines.mean import MeanParams
from wheatstone.gpu.pipelines.ncc.params import NccParams, first_pixel

Window = tuple[int, int, int, int]  # first row and column from the pixel, rows, columns


def template(asked: Asked) -> Unfolded:
    """Unfold the correlation of a template with the window at each pixel."""
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
    """Unfold the mean of the window around each pixel."""
    params = asked.params
    assert isinstance(params, MeanParams)
    radius, side = params.radius, 2 * params.radius + 1
    return _sliding(asked, "left", "mean", (-radius, -radius, side, side), "mean {:g}")


def _sliding(asked: Asked, read: str, written: str, window: Window, value: str) -> Unfolded:
    """Unfold a stage whose pixels are computed one after the other.

    Args:
        value: format of a value of the image written.
    """
    execution = computed_until(asked, asked.stage)
    result, width = copy_of(execution, written), asked.width
    boxes = _window_boxes(window, width)
    declared = asked.pipeline.image
    view = Sheet("image", declared(read), copy_of(execution, read), boxes=boxes)
    pixel = _pixel_boxes(width)
    done = Sheet(written, declared(written), result, raster(result.shape), pixel)
    pixels = window[2] * window[3]

    def said(moment: int) -> str:
        """Describe a pixel's result in words."""
        row, column = divmod(moment, width)
        here = value.format(float(result[row, column]))
        return f"row {row}, column {column}: {here}, of a window of {pixels} pixels"

    return Unfolded(result.size, "pixel", (view, done), said)


def raster(shape: tuple[int, ...]) -> Int32:
    """Return the index of each pixel of an image, counted row by row: (H, W)."""
    return np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape[:2])


def _window_boxes(window: Window, width: int) -> Callable[[int], Boxes]:
    top, left, rows, columns = window

    def boxes(moment: int) -> Boxes:
        """Return the box around the window of the current pixel."""
        y, x = divmod(moment, width)
        return (around(x + left, y + top, columns, rows),)

    return boxes


def _pixel_boxes(width: int) -> Callable[[int], Boxes]:
    def boxes(moment: int) -> Boxes:
        """Return the box around the current pixel."""
        y, x = divmod(moment, width)
        return (around(x, y, 1, 1),)

    return boxes
