"""Tell what became of each pixel on the GPU, from bits."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.canny import CANNY

packed_strength = PerPixel(CANNY, "packed_strength")
KERNELS = packed_strength.kernels
