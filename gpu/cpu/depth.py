"""Convert disparities to depths, a share of the rows at a time, as gpu.reference.depth."""

from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.image import Float32, Int16
from wheatstone.gpu.reference.depth import depth_rows

Disparities = Int16
Floats = Float32


def depth(disparity: Disparities, camera: Floats, depth: Floats, min_disparity: int) -> None:
    """Write the depth of each pixel in the baseline's unit, or NaN."""
    images = disparity, camera, depth
    on_rows(depth.shape[0], depth_rows, *images, min_disparity)
