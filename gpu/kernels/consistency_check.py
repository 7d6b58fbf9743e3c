"""Check the left view's disparities against the right view's on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

consistency_check = PerPixel(SGM, "consistency_check", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
KERNELS = consistency_check.kernels
