"""Convert disparities in floats from outside to the fixed point of ``sgm``."""

import numpy as np

from wheatstone.gpu.image import Float32, Int16
from wheatstone.gpu.peers.tensors import module_of
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

LARGEST = np.iinfo(np.int16).max


def write_fixed_point(disparity: Float32, min_disparity: int, guided: Int16) -> None:
    """Write disparities in 1/16 pixel, rounded; larger ones than searched are kept.

    Args:
        disparity: (H, W) in pixels, not finite where there is none.
        guided: (H, W) written; invalid, also below the range or beyond 16 bits, is
            (min_disparity - 1) * 16.
    """
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    xp = module_of(disparity)
    with np.errstate(invalid="ignore", over="ignore"):
        steps = xp.rint(disparity * np.float32(SUBPIXEL_STEPS))
        known = (steps > invalid) & (steps <= LARGEST)
    guided[:] = xp.where(known, steps, invalid)
