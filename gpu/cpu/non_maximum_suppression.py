"""Suppress pixels that are not local maxima, one direction at a time along each row.

Computes gpu.reference.non_maximum_suppression.
"""

from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.cpu.rows import copy, fill
from wheatstone.gpu.image import Int16, Int32, Uint8
from wheatstone.gpu.reference.non_maximum_suppression import BEFORE


def non_maximum_suppression(
    gradient_x: Int16,
    gradient_y: Int16,
    magnitude: Int32,
    direction: Uint8,
    suppressed: Int32,
    convention: str,
    norm: str,
) -> None:
    """Write the local maxima, with the rows divided among the cores."""
    images = (gradient_x, gradient_y, magnitude, direction, suppressed)
    opencv = convention == "opencv"
    on_rows(magnitude.shape[0], _rows, images, opencv and norm == "l2", opencv)


@compiled
def _rows(images: Any, squares: bool, ties: bool, top: int, bottom: int) -> None:
    gradient_x, gradient_y, magnitude, direction, suppressed = images
    height, width = magnitude.shape
    # The rows, one above and one below, between columns of zeros.
    compared = np.zeros((bottom - top + 2, width + 2), np.int32)
    for y in range(max(top - 1, 0), min(bottom + 1, height)):
        row = compared[y - top + 1, 1 : width + 1]
        if squares:
            _squares(gradient_x[y], gradient_y[y], row)
        else:
            copy(magnitude[y], row)
    for y in range(top, bottom):
        fill(suppressed[y], 0)
        for label in range(4):
            dy, dx = BEFORE[label]
            here = compared[y - top + 1, 1 : width + 1]
            before = compared[y - top + 1 + dy, 1 + dx : width + 1 + dx]
            after = compared[y - top + 1 - dy, 1 - dx : width + 1 - dx]
            tie = ties and label % 2 == 0
            _keep(here, before, after, direction[y], suppressed[y], np.uint8(label), tie)
        _measure(suppressed[y], magnitude[y])


@helper
def _squares(gx: Int16, gy: Int16, row: Int32) -> None:
    for x in range(row.size):
        a, b = np.int32(gx[x]), np.int32(gy[x])
        row[x] = a * a + b * b


@helper
def _keep(
    here: Int32,
    before: Int32,
    after: Int32,
    direction: Uint8,
    kept: Int32,
    label: np.uint8,
    tie: bool,
) -> None:
    """Set ``kept`` to 1 where a pixel of this direction is a maximum."""
    for x in range(kept.size):
        above = (here[x] > after[x]) | (tie & (here[x] == after[x]))
        kept[x] |= (here[x] > before[x]) & above & (direction[x] == label)


@helper
def _measure(kept: Int32, magnitude: Int32) -> None:
    for x in range(kept.size):
        kept[x] *= magnitude[x]
