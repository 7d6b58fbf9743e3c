"""Compute descriptors by which the pixels of both views are compared."""

from typing import Any

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int32, Uint8, Uint32
from wheatstone.gpu.pipelines.sgm.params import GRADIENT_REACH

Offsets = tuple[tuple[int, int], ...]  # (dy, dx)


def _window(radius_y: int, radius_x: int) -> Offsets:
    rows, columns = range(-radius_y, radius_y + 1), range(-radius_x, radius_x + 1)
    return tuple((dy, dx) for dy in rows for dx in columns if (dy, dx) != (0, 0))


CHECKERBOARD: Offsets = tuple((dy, dx) for dy, dx in _window(3, 4) if (dx + dy) % 2)
SYMMETRIC: Offsets = tuple((dy, dx) for dy, dx in _window(3, 4) if (dy, dx) < (0, 0))
RING: Offsets = _window(2, 2) + tuple(
    (dy, dx) for dy in (-3, 0, 3) for dx in (-4, 0, 4) if (dy, dx) != (0, 0)
)
# The pixels compared: the first of a pair, with census-mean the mean around it, brighter than the
# second gives a 1.
ACROSS: Offsets = ((-3, -4), (-3, 0), (-3, 4), (0, -4), (-1, -1), (-1, 1), (-1, 0), (0, -1))


def _mirrored(offsets: Offsets) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    """Pair every offset with its mirror image."""
    return tuple((offset, (-offset[0], -offset[1])) for offset in offsets)


PAIRS = {
    "census-checkerboard": tuple(((0, 0), offset) for offset in CHECKERBOARD),
    "census-symmetric": _mirrored(SYMMETRIC),
    "census-ring": tuple(((0, 0), offset) for offset in RING),
    "census-mean": tuple(((0, 0), offset) for offset in CHECKERBOARD),
    "census-ring-symmetric": tuple(((0, 0), offset) for offset in _window(2, 2))
    + _mirrored(ACROSS),
}


def census_transform(
    left: Uint8, right: Uint8, left_descriptor: Uint32, right_descriptor: Uint32, cost: str
) -> None:
    """Write the census word of every pixel of both views.

    A word has one bit for each pair of grey levels, 1 where the first is brighter than the second;
    equal ones give 0. Bits run in the order of the pairs, the first most significant:

    - ``census-checkerboard``: the centre and the pixel at (dy, dx), for the 32 pixels with dy + dx
      odd of a window of 7 rows by 9 columns, row by row;
    - ``census-symmetric``: the pixel at (dy, dx) and its mirror image at (-dy, -dx), for the 31
      pixels of that window before its centre, row by row;
    - ``census-ring``: the centre and the pixel at (dy, dx), for the 24 neighbours of a 5x5 window,
      row by row, then (-3, -4), (-3, 0), (-3, 4), (0, -4), (0, 4), (3, -4), (3, 0), (3, 4);
    - ``census-mean``: the mean of the 3x3 pixels around the centre, itself among them, and the
      pixels of ``census-checkerboard``, in that order. The mean is not rounded: it is brighter
      where the sum of the nine exceeds nine times the other grey level;
    - ``census-ring-symmetric``: the centre and the 24 neighbours of ``census-ring``'s 5x5 window,
      then, with its mirror image, the pixel at (-3, -4), (-3, 0), (-3, 4), (0, -4), (-1, -1),
      (-1, 1), (-1, 0) and (0, -1).

    Where the window leaves the image, the nearest edge pixel is used, in the mean as well.

    Args:
        left, right: (H, W) grey levels.
        left_descriptor, right_descriptor: (H, W) the words, written.
        cost: selects the pairs that are compared.

    Source: R. Zabih and J. Woodfill, "Non-parametric Local Transforms", ECCV 1994, section 3;
    census-symmetric: R. Spangenberg et al., "Weighted Semi-Global Matching and Center-Symmetric
    Census Transform", CAIP 2013; census-mean: B. Fröba and A. Ernst, "Face Detection with the
    Modified Census Transform", FG 2004, for comparing with the mean.
    """
    pairs = np.array(PAIRS[cost], dtype=np.int32)
    for image, words in ((left, left_descriptor), (right, right_descriptor)):
        if cost == "census-mean":
            _census_of_mean(image, words, pairs[:, 1])
        else:
            _census(image, words, pairs)


@compiled
def _census(image: Uint8, words: Uint32, pairs: Int32) -> None:
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            word = 0
            for (first_dy, first_dx), (second_dy, second_dx) in pairs:
                first = _clamped(image, y + first_dy, x + first_dx)
                second = _clamped(image, y + second_dy, x + second_dx)
                word = word << 1 | (1 if first > second else 0)
            words[y, x] = word


@compiled
def _census_of_mean(image: Uint8, words: Uint32, neighbours: Int32) -> None:
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            total = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    total += _clamped(image, y + dy, x + dx)
            word = 0
            for dy, dx in neighbours:
                word = word << 1 | (1 if total > 9 * _clamped(image, y + dy, x + dx) else 0)
            words[y, x] = word


@compiled
def _clamped(image: Uint8, y: int, x: int) -> Any:
    height, width = image.shape
    return int64(image[min(max(y, 0), height - 1), min(max(x, 0), width - 1)])


@compiled
def horizontal_gradient(
    left: Uint8, right: Uint8, left_gradient: Uint8, right_gradient: Uint8
) -> None:
    """Write the horizontal Sobel gradient of every pixel of both views, clipped to [-31, 31].

    With v = I(y-1, x) + 2 I(y, x) + I(y+1, x), it is v(y, x+1) - v(y, x-1), no less than -31 and
    no more than 31, and stored with 31 added: 0..62. Outside the image the nearest edge pixel is
    used.

    Args:
        left, right: (H, W) grey levels.
        left_gradient, right_gradient: (H, W), written.

    Source: H. Hirschmüller and D. Scharstein, "Evaluation of Cost Functions for Stereo Matching",
    CVPR 2007, for costs of filtered views; clipped as in OpenCV's StereoSGBM.
    """
    _differentiate(left, left_gradient)
    _differentiate(right, right_gradient)


@compiled
def _differentiate(image: Uint8, gradient: Uint8) -> None:
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            slope = _weighted(image, y, x + 1) - _weighted(image, y, x - 1)
            slope = min(max(slope, -GRADIENT_REACH), GRADIENT_REACH)
            gradient[y, x] = slope + GRADIENT_REACH


@compiled
def _weighted(image: Uint8, y: int, x: int) -> Any:
    """Sum three grey levels of a column, the middle one twice."""
    height, width = image.shape
    column = min(max(x, 0), width - 1)
    above, below = max(y - 1, 0), min(y + 1, height - 1)
    ends = int64(image[above, column]) + int64(image[below, column])
    return ends + 2 * int64(image[y, column])
