"""Compute which texels of an image lie under each pixel of a cell, as tables for shaders.

Pure arithmetic, without OpenGL. Shaders look texels up in these tables, so that every driver draws
the same bytes.
"""

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.picture.layout import Axis

WEIGHT = 256  # of a texel that a pixel covers whole


def footprints(axis: Axis, pixels: int) -> NDArray[np.int32]:
    """Compute the texels under each of a cell's first ``pixels`` rows or columns.

    A minified image has several texels under a pixel, the outer ones perhaps in part.

    Returns:
        (pixels, 4): the texel under the middle of the pixel, -1 outside the image; the first and
        the last texel under the pixel; the weights of these two, the last's times 65536 and without
        meaning if it is the first. Texels between weigh ``WEIGHT``.
        In a magnified image first and last are the one in the middle.
    """
    edges = axis.texel(np.arange(pixels + 1, dtype=np.float64))
    middle = np.floor(axis.texel(np.arange(pixels) + 0.5))
    inside = (middle >= 0) & (middle < axis.texels)
    table = np.full((pixels, 4), -1, np.int64)
    if axis.scale >= 1:
        first = last = middle
        first_weight = last_weight = np.full(pixels, WEIGHT)
    else:
        first = np.maximum(np.floor(edges[:-1]), 0)
        last = np.minimum(np.ceil(edges[1:]) - 1, axis.texels - 1)
        first_weight = _weight(first + 1 - np.maximum(edges[:-1], 0))
        last_weight = _weight(np.minimum(edges[1:], axis.texels) - last)
    columns = (middle, first, last, first_weight + 65536 * last_weight)
    table[inside] = np.stack(columns, 1)[inside]
    return table.astype(np.int32)


def inside(table: NDArray[np.int32]) -> tuple[int, int]:
    """Return the first and last pixel whose footprint shows the image; 0, -1 if none does.

    Args:
        table: the result of ``footprints``.
    """
    shown = np.flatnonzero(table[:, 0] >= 0)
    return (int(shown[0]), int(shown[-1])) if len(shown) else (0, -1)


def _weight(covered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert the covered share of texels, 0..1, to weights of at least 1."""
    return np.maximum(np.rint(covered * WEIGHT), 1)
