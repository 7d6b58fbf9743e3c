"""Refine winning disparities to 1/16 pixel on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

subpixel_refinement = PerPixel(
    SGM, "subpixel_refinement", element=("sums", "SUM"), SUBPIXEL_STEPS=SUBPIXEL_STEPS
)
KERNELS = subpixel_refinement.kernels
