"""Tell why pixels are rejected on the GPU."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

rejection_reason = PerPixel(SGM, "rejection_reason", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
KERNELS = rejection_reason.kernels
