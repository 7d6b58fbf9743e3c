"""Census transform: describe a pixel by how its neighbours compare with it."""

from typing import Any

import numpy as np
from numba import int64, njit
from numpy.typing import NDArray

Offsets = tuple[tuple[int, int], ...]  # (dy, dx)


def _window(radius_y: int, radius_x: int) -> Offsets:
    rows, columns = range(-radius_y, radius_y + 1), range(-radius_x, radius_x + 1)
    return tuple((dy, dx) for dy in rows for dx in columns if (dy, dx) != (0, 0))


CHECKERBOARD: Offsets = tuple((dy, dx) for dy, dx in _window(3, 4) if (dx + dy) % 2)
SYMMETRIC: Offsets = tuple((dy, dx) for dy, dx in _window(3, 4) if (dy, dx) < (0, 0))
RING: Offsets = _window(2, 2) + tuple(
    (dy, dx) for dy in (-3, 0, 3) for dx in (-4, 0, 4) if (dy, dx) != (0, 0)
)
# The pixels compared: the first of a pair brighter than the second gives a 1.
PAIRS = {
    "census-checkerboard": tuple(((0, 0), offset) for offset in CHECKERBOARD),
    "census-symmetric": tuple((offset, (-offset[0], -offset[1])) for offset in SYMMETRIC),
    "census-ring": tuple(((0, 0), offset) for offset in RING),
}


def census_transform(
    left: NDArray[np.uint8],
    right: NDArray[np.uint8],
    left_descriptor: NDArray[np.uint32],
    right_descriptor: NDArray[np.uint32],
    cost: str,
) -> None:
    """Write the census word of every pixel of both views.

    A word has one bit for each pair of pixels, 1 where the first is brighter than the second;
    equal pixels give 0. Bits run in the order of the pairs, the first most significant:

    - ``census-checkerboard``: the centre and the pixel at (dy, dx), for the 32 pixels with dy + dx
      odd of a window of 7 rows by 9 columns, row by row;
    - ``census-symmetric``: the pixel at (dy, dx) and its mirror image at (-dy, -dx), for the 31
      pixels of that window before its centre, row by row;
    - ``census-ring``: the centre and the pixel at (dy, dx), for the 24 neighbours of a 5x5 window,
      row by row, then (-3, -4), (-3, 0), (-3, 4), (0, -4), (0, 4), (3, -4), (3, 0), (3, 4).

    Where the window leaves the image, the nearest edge pixel stands in.

    Args:
        left, right: (H, W) grey levels.
        left_descriptor, right_descriptor: (H, W) the words, written.
        cost: which pairs are compared.

    Source: R. Zabih and J. Woodfill, "Non-parametric Local Transforms", ECCV 1994, section 3;
    census-symmetric: R. Spangenberg et al., "Weighted Semi-Global Matching and Center-Symmetric
    Census Transform", CAIP 2013.
    """
    pairs = np.array(PAIRS[cost], dtype=np.int32)
    _census(left, left_descriptor, pairs)
    _census(right, right_descriptor, pairs)


@njit(cache=True)
def _census(image: NDArray[np.uint8], words: NDArray[np.uint32], pairs: NDArray[np.int32]) -> None:
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            word = 0
            for (first_dy, first_dx), (second_dy, second_dx) in pairs:
                first = _clamped(image, y + first_dy, x + first_dx)
                second = _clamped(image, y + second_dy, x + second_dx)
                word = word << 1 | (1 if first > second else 0)
            words[y, x] = word


@njit(cache=True)
def _clamped(image: NDArray[np.uint8], y: int, x: int) -> Any:
    height, width = image.shape
    return int64(image[min(max(y, 0), height - 1), min(max(x, 0), width - 1)])
