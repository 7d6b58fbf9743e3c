"""Smooth disparities over the frames so far on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import FILTER_STEPS, HISTORY, SUBPIXEL_STEPS

temporal_filter = PerPixel(
    SGM,
    "temporal_filter",
    SUBPIXEL_STEPS=SUBPIXEL_STEPS,
    FILTER_STEPS=FILTER_STEPS,
    HISTORY=HISTORY,
)
KERNELS = temporal_filter.kernels
