"""Determine the reason why pixels are rejected, on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

rejection_reason = PerPixel(SGM, "rejection_reason", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
KERNELS = rejection_reason.kernels
