"""Reject winners that have a rival on the GPU."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

uniqueness_check = PerPixel(
    SGM, "uniqueness_check", element=("sums", "SUM"), SUBPIXEL_STEPS=SUBPIXEL_STEPS
)
KERNELS = uniqueness_check.kernels
