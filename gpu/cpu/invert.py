"""Invert an image, a share of the rows at a time, as gpu.reference.invert."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.cpu.cores import core_count, on_all_cores


def invert(left: NDArray[np.uint8], inverted: NDArray[np.uint8]) -> None:
    """Write the negative of each pixel, which is the complement of its bits."""
    rows = -(-left.shape[0] // core_count())
    on_all_cores(
        [
            partial(np.invert, left[top : top + rows], inverted[top : top + rows])
            for top in range(0, left.shape[0], rows)
        ]
    )
