"""Convert disparities to depths."""

import math

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Float32, Int16

Disparities = Int16
Floats = Float32


def depth(disparity: Disparities, camera: Floats, depth: Floats, min_disparity: int) -> None:
    """Write each pixel's depth, the distance of its point ahead of the left camera.

    It is product / (d + offset), with d in pixels: the disparity of a point is smaller the farther
    it is. All is float32: d is exact, the sum is rounded once, the quotient once. NaN where there
    is no disparity, and where d + offset is not above 0, since such a point lies at infinity or
    beyond.

    Args:
        disparity: (H, W) in 1/16 pixel; (min_disparity - 1) * 16: no result.
        camera: (2,): product, the focal length in pixels times the baseline in the unit of depths;
            offset, the right principal point's column less the left one's, in pixels.
        depth: (H, W) in the baseline's unit, written.
    """
    depth_rows(disparity, camera, depth, min_disparity, 0, disparity.shape[0])


@compiled
def depth_rows(
    disparity: Disparities, camera: Floats, depth: Floats, min_disparity: int, top: int, bottom: int
) -> None:
    """Write the depths of rows ``top`` to ``bottom`` - 1."""
    for y in range(top, bottom):
        for x in range(disparity.shape[1]):
            found = disparity[y, x]
            away = np.float32(found) / np.float32(16) + camera[1]
            valid = found != (min_disparity - 1) * 16 and away > 0
            depth[y, x] = camera[0] / away if valid else math.nan
