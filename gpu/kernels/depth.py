"""Convert disparities to depths on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM

depth = PerPixel(SGM, "depth")
KERNELS = depth.kernels
