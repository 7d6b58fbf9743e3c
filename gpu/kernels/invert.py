"""Invert on the GPU."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.invert import INVERT

invert = PerPixel(INVERT, "invert")
KERNELS = invert.kernels
