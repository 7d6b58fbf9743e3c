"""Average the margins of neighbours with a similar disparity on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import CONFIDENCE_RADIUS, SUBPIXEL_STEPS

confidence_measure = PerPixel(
    SGM,
    "confidence_measure",
    block=(32, 8),
    RADIUS=CONFIDENCE_RADIUS,
    SUBPIXEL_STEPS=SUBPIXEL_STEPS,
)
KERNELS = confidence_measure.kernels
