"""Compute the winner's margin on the GPU, from the two sums kept for every pixel."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import MARGIN_STEPS

packed_confidence = PerPixel(SGM, "packed_confidence", MARGIN_STEPS=MARGIN_STEPS)
KERNELS = packed_confidence.kernels
