"""Tell why pixels are rejected on the GPU, from what the packed kernels keep."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

packed_reason = PerPixel(SGM, "packed_reason", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
KERNELS = packed_reason.kernels
