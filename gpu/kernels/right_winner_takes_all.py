"""Choose the right view's disparities on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM

right_winner_takes_all = PerPixel(SGM, "right_winner_takes_all", element=("sums", "SUM"))
KERNELS = right_winner_takes_all.kernels
