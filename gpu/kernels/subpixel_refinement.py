"""Refine winners between the integers on the GPU."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

subpixel_refinement = PerPixel(
    SGM, "subpixel_refinement", element=("sums", "SUM"), SUBPIXEL_STEPS=SUBPIXEL_STEPS
)
KERNELS = subpixel_refinement.kernels
