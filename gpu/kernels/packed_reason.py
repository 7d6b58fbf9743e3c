"""Determine the reason why pixels are rejected, on the GPU, from images of packed kernels."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

packed_reason = PerPixel(SGM, "packed_reason", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
KERNELS = packed_reason.kernels
