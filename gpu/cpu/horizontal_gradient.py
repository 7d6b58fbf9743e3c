"""Compute horizontal gradients, row by row, as gpu.reference.horizontal_gradient."""

from typing import Any

import numpy as np
from numba import int16
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_all_cores, shares, with_room
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.pipelines.sgm.params import GRADIENT_REACH


def horizontal_gradient(
    left: Uint8, right: Uint8, left_gradient: Uint8, right_gradient: Uint8
) -> None:
    """Write the horizontal gradient of every pixel of both views."""
    width = left.shape[1]

    def room() -> tuple[NDArray[Any], ...]:
        """Allocate the scratch row of a share."""
        return (np.empty(width + 2, np.int16),)

    on_all_cores(
        [
            with_room(room, _differentiate, image, gradient, top, bottom)
            for image, gradient in ((left, left_gradient), (right, right_gradient))
            for top, bottom in shares(left.shape[0])
        ]
    )


@compiled
def _differentiate(image: Uint8, gradient: Uint8, top: int, bottom: int, weighted: Int16) -> None:
    height = image.shape[0]
    for y in range(top, bottom):
        _weigh(image[max(y - 1, 0)], image[y], image[min(y + 1, height - 1)], weighted)
        _subtract(weighted, gradient[y])


@helper
def _weigh(above: Uint8, here: Uint8, below: Uint8, weighted: Int16) -> None:
    """Sum three rows, the middle one twice, and repeat the ends."""
    for x in range(here.size):
        weighted[x + 1] = int16(above[x]) + int16(2) * int16(here[x]) + int16(below[x])
    weighted[0], weighted[here.size + 1] = weighted[1], weighted[here.size]


@helper
def _subtract(weighted: Int16, gradient: Uint8) -> None:
    """Write the right neighbour's sum minus the left one's, clipped to ``GRADIENT_REACH``."""
    for x in range(gradient.size):
        slope = int16(weighted[x + 2] - weighted[x])
        gradient[x] = min(max(slope, int16(-GRADIENT_REACH)), int16(GRADIENT_REACH)) + int16(
            GRADIENT_REACH
        )
