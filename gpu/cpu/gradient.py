"""Compute the Sobel gradient and its local maxima, with the results of gpu.reference.gradient."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import copy, fill, on_rows
from wheatstone.gpu.image import Int16, Int32, Uint8
from wheatstone.gpu.pipelines.canny.params import DERIVATIVE, SIGNS, SMOOTHING
from wheatstone.gpu.reference.gradient import BEFORE, NOWHERE, TAN_22_5, sixteenth


def gradient(
    blurred: Uint8,
    gradient_x: Int16,
    gradient_y: Int16,
    magnitude: Int32,
    direction: Uint8,
    convention: str,
    norm: str,
    aperture: int,
) -> None:
    """Write the gradient of each pixel, with the rows divided among the cores.

    Each loop over a row uses few arrays: with more, LLVM does not check at run time whether they
    overlap, and does not vectorise.
    """
    # Sums over an aperture of 7 do not fit 16 bits until they are divided; the type decides.
    whole = np.int32 if aperture == 7 else np.int16
    weights = np.array([SMOOTHING[aperture], DERIVATIVE[aperture]], whole)
    # The squares of aperture 3 are below 2^24: float32 holds them, and a register twice as many.
    unit = {3: np.float32(1), 5: np.float64(1), 7: np.float64(16)}[aperture]
    images = (blurred, gradient_x, gradient_y, magnitude, direction)
    settings = (weights, SIGNS[convention], unit, norm == "l2", convention != "opencv")
    on_rows(blurred.shape[0], _gradient_rows, images, *settings)


@compiled
def _gradient_rows(
    images: Any,
    weights: NDArray[Any],
    signs: tuple[int, int],
    unit: Any,
    squared: bool,
    framed: bool,
    top: int,
    bottom: int,
) -> None:
    blurred, gradient_x, gradient_y, magnitude, direction = images
    height, width = blurred.shape
    columns = np.empty((2, width + weights.shape[1] - 1), weights.dtype)
    sums = np.empty((2, width), weights.dtype)
    for y in range(top, bottom):
        _down(blurred, y, weights, columns)
        _across(columns[0], weights[1], sums[0])
        _across(columns[1], weights[0], sums[1])
        if framed:
            _clear_frame(sums, y, height)
        _store(sums[0], gradient_x[y], weights.shape[1] == 7)
        _store(sums[1], gradient_y[y], weights.shape[1] == 7)
        _directions(gradient_x[y], gradient_y[y], direction[y])
        if squared:
            _roots(gradient_x[y], gradient_y[y], magnitude[y], unit, not framed)
        else:
            _sums(gradient_x[y], gradient_y[y], magnitude[y], int(unit))
        _turn(gradient_x[y], signs[0])
        _turn(gradient_y[y], signs[1])


@helper
def _down(blurred: Uint8, y: int, weights: NDArray[Any], columns: NDArray[Any]) -> None:
    """Sum each column's pixels by both kernels' weights; repeat the sums beyond both sides."""
    height, width = blurred.shape
    radius = weights.shape[1] // 2
    for kernel in range(2):
        fill(columns[kernel], 0)
    for i in range(2 * radius + 1):
        row = blurred[min(max(y + i - radius, 0), height - 1)]
        for kernel in range(2):
            weight, column = weights[kernel, i], columns[kernel, radius : radius + width]
            if weight != 0:
                for x in range(width):
                    column[x] += weight * row[x]
    for kernel in range(2):
        column = columns[kernel]
        fill(column[:radius], column[radius])
        fill(column[radius + width :], column[radius + width - 1])


@helper
def _across(column: NDArray[Any], weights: NDArray[Any], sums: NDArray[Any]) -> None:
    fill(sums, 0)
    for j in range(weights.size):
        weight, shifted = weights[j], column[j : j + sums.size]
        if weight != 0:
            for x in range(sums.size):
                sums[x] += weight * shifted[x]


@helper
def _clear_frame(sums: NDArray[Any], y: int, height: int) -> None:
    for kernel in range(2):
        row = sums[kernel]
        row[0] = row[row.size - 1] = 0
        if y == 0 or y == height - 1:
            fill(row, 0)


@helper
def _store(sums: NDArray[Any], row: Int16, divided: bool) -> None:
    if divided:
        for x in range(row.size):
            row[x] = sixteenth(sums[x])
    else:
        for x in range(row.size):
            row[x] = sums[x]


@helper
def _directions(gx: Int16, gy: Int16, direction: Uint8) -> None:
    for x in range(direction.size):
        across, down = np.int32(abs(gx[x])), np.int32(abs(gy[x]) << 15)
        flat = np.int32(across * TAN_22_5)
        steep = np.int32(flat + (across << 16))
        label = np.uint8(3) if np.int16(gx[x] ^ gy[x]) < 0 else np.uint8(1)
        label = np.uint8(2) if down > steep else label
        label = np.uint8(0) if down < flat else label
        direction[x] = np.uint8(NOWHERE) if (across | down) == 0 else label


@helper
def _roots(gx: Int16, gy: Int16, magnitude: Int32, unit: Any, up: bool) -> None:
    for x in range(magnitude.size):
        a, b = gx[x] * unit, gy[x] * unit
        root = math.sqrt(a * a + b * b)
        magnitude[x] = np.int32(math.ceil(root) if up else math.floor(root))


@helper
def _sums(gx: Int16, gy: Int16, magnitude: Int32, unit: int) -> None:
    for x in range(magnitude.size):
        magnitude[x] = np.int32(unit) * (abs(np.int32(gx[x])) + abs(np.int32(gy[x])))


@helper
def _turn(row: Int16, sign: int) -> None:
    if sign < 0:
        for x in range(row.size):
            row[x] = -row[x]


def non_maximum_suppression(
    gradient_x: Int16,
    gradient_y: Int16,
    magnitude: Int32,
    direction: Uint8,
    suppressed: Int32,
    convention: str,
    norm: str,
) -> None:
    """Write the magnitude of local maxima, 0 elsewhere; the rows are divided among the cores."""
    images = (gradient_x, gradient_y, magnitude, direction, suppressed)
    opencv = convention == "opencv"
    on_rows(magnitude.shape[0], _suppressed_rows, images, opencv and norm == "l2", opencv)


@compiled
def _suppressed_rows(images: Any, squares: bool, ties: bool, top: int, bottom: int) -> None:
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
    """Set ``kept`` to 1 at the local maxima whose gradient direction is in the sector ``label``."""
    for x in range(kept.size):
        above = (here[x] > after[x]) | (tie & (here[x] == after[x]))
        kept[x] |= (here[x] > before[x]) & above & (direction[x] == label)


@helper
def _measure(kept: Int32, magnitude: Int32) -> None:
    for x in range(kept.size):
        kept[x] *= magnitude[x]
