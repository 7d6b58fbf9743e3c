"""Compare the winner's sum with the next best on the GPU."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM
from gpu.pipelines.sgm.params import MARGIN_STEPS

winner_margin = PerPixel(SGM, "winner_margin", element=("sums", "SUM"), MARGIN_STEPS=MARGIN_STEPS)
KERNELS = winner_margin.kernels
