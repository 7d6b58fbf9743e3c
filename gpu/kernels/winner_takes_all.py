"""Choose the disparity with the smallest sum on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM

winner_takes_all = PerPixel(SGM, "winner_takes_all", element=("sums", "SUM"))
KERNELS = winner_takes_all.kernels
