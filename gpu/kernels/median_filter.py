"""Smooth disparities by a median filter on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM

median_filter = PerPixel(SGM, "median_filter")
KERNELS = median_filter.kernels
