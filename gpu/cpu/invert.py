"""Invert an image, a share of the rows at a time, as gpu.reference.invert."""

from functools import partial

import numpy as np

from wheatstone.gpu.cpu.cores import core_count, on_all_cores
from wheatstone.gpu.image import Uint8


def invert(left: Uint8, inverted: Uint8) -> None:
    """Write the negative of each pixel, which is the complement of its bits."""
    rows = -(-left.shape[0] // core_count())
    on_all_cores(
        [
            partial(np.invert, left[top : top + rows], inverted[top : top + rows])
            for top in range(0, left.shape[0], rows)
        ]
    )
