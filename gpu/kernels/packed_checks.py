"""Smooth disparities and check uniqueness and consistency on the GPU, in one pass."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

packed_checks = PerPixel(
    SGM, "packed_checks", block=(32, 4), pixels=4, SUBPIXEL_STEPS=SUBPIXEL_STEPS
)
KERNELS = packed_checks.kernels
