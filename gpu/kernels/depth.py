"""Turn disparities into depths on the GPU."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM

depth = PerPixel(SGM, "depth")
KERNELS = depth.kernels
