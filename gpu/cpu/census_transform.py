"""Census transform, whole rows at a time.  Computes gpu.reference.census_transform."""

import numpy as np
from numba import njit, prange, uint32
from numpy.typing import NDArray

from gpu.reference.census_transform import PAIRS

RADIUS_Y, RADIUS_X = 3, 4  # of the largest window


def census_transform(
    left: NDArray[np.uint8],
    right: NDArray[np.uint8],
    left_descriptor: NDArray[np.uint32],
    right_descriptor: NDArray[np.uint32],
    cost: str,
) -> None:
    """Write the census words of both views."""
    pairs = np.array(PAIRS[cost], dtype=np.int64)
    _census(left, left_descriptor, pairs)
    _census(right, right_descriptor, pairs)


@njit(cache=True, parallel=True, nogil=True)
def _census(image: NDArray[np.uint8], words: NDArray[np.uint32], pairs: NDArray[np.int64]) -> None:
    for y in prange(image.shape[0]):
        _census_row(_padded_rows(image, y), words[y], pairs)


@njit(cache=True)
def _padded_rows(image: NDArray[np.uint8], y: int) -> NDArray[np.uint8]:
    """The rows of the window around row ``y``, edge pixels repeated outside the image."""
    height, width = image.shape
    rows = np.empty((2 * RADIUS_Y + 1, width + 2 * RADIUS_X), np.uint8)
    for i in range(2 * RADIUS_Y + 1):
        source = image[min(max(y + i - RADIUS_Y, 0), height - 1)]
        rows[i, :RADIUS_X] = source[0]
        rows[i, RADIUS_X : RADIUS_X + width] = source
        rows[i, RADIUS_X + width :] = source[width - 1]
    return rows


@njit(cache=True)
def _census_row(
    rows: NDArray[np.uint8], words: NDArray[np.uint32], pairs: NDArray[np.int64]
) -> None:
    words[:] = 0
    for i in range(pairs.shape[0]):
        first = rows[RADIUS_Y + pairs[i, 0, 0], RADIUS_X + pairs[i, 0, 1] :]
        second = rows[RADIUS_Y + pairs[i, 1, 0], RADIUS_X + pairs[i, 1, 1] :]
        for x in range(words.size):
            words[x] = words[x] << uint32(1) | uint32(first[x] > second[x])
