"""Average the margins of agreeing neighbours on the GPU."""

from gpu.kernels.per_pixel import PerPixel
from gpu.pipelines.sgm import SGM
from gpu.pipelines.sgm.params import CONFIDENCE_RADIUS, SUBPIXEL_STEPS

confidence_measure = PerPixel(
    SGM,
    "confidence_measure",
    block=(32, 8),
    RADIUS=CONFIDENCE_RADIUS,
    SUBPIXEL_STEPS=SUBPIXEL_STEPS,
)
KERNELS = confidence_measure.kernels
