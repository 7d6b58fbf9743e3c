"""Give all pixels of a block one disparity on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

decimation = PerPixel(SGM, "decimation", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
KERNELS = decimation.kernels
