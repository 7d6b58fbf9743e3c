"""Reject winners that have a rival with a similar cost on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

uniqueness_check = PerPixel(
    SGM, "uniqueness_check", element=("sums", "SUM"), SUBPIXEL_STEPS=SUBPIXEL_STEPS
)
KERNELS = uniqueness_check.kernels
