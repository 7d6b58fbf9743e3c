"""Reject disparities of rectified pixels that lie outside a raw view, on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.rectify.ahead import with_rectification
from wheatstone.gpu.pipelines.sgm import SGM

outside_mask = PerPixel(with_rectification(SGM), "outside_mask")
KERNELS = outside_mask.kernels
