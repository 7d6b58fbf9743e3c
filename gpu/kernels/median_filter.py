"""Smooth disparities by a median on the GPU."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM

median_filter = PerPixel(SGM, "median_filter")
KERNELS = median_filter.kernels
