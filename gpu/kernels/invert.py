"""Invert the grey levels of an image on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.invert import INVERT

invert = PerPixel(INVERT, "invert")
KERNELS = invert.kernels
