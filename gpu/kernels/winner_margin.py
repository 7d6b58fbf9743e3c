"""Compute by how much the winner's sum is below the next best one on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import MARGIN_STEPS

winner_margin = PerPixel(SGM, "winner_margin", element=("sums", "SUM"), MARGIN_STEPS=MARGIN_STEPS)
KERNELS = winner_margin.kernels
