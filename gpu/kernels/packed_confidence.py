"""Compute the winner's margin on the GPU, from the two sums kept of every pixel."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM
from gpu.pipelines.sgm.params import MARGIN_STEPS

packed_confidence = PerPixel(SGM, "packed_confidence", MARGIN_STEPS=MARGIN_STEPS)
KERNELS = packed_confidence.kernels
