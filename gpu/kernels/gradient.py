"""Compute the Sobel gradient on the GPU, and thin it to local maxima."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import DERIVATIVE, SIGNS, SMOOTHING

BLOCK = (32, 16)
OUTPUTS = (np.int16, np.int16, np.int32, np.uint8)


def _gradient_kernel(memory: str, pixel: Any, aperture: int) -> Kernel:
    return declare(
        "gradient",
        memory,
        (TEXTURE if memory == "texture" else pixel, *OUTPUTS),
        6,
        PIXEL=pixel,
        APERTURE=aperture,
        **masks(aperture),
        BLOCK_X=BLOCK[0],
        BLOCK_Y=BLOCK[1],
    )


def masks(aperture: int) -> dict[str, str]:
    """Return the macros that define the Sobel weights of an aperture."""
    kinds = {"SMOOTHING": SMOOTHING, "DERIVATIVE": DERIVATIVE}
    return {name: ",".join(map(str, kind[aperture])) for name, kind in kinds.items()}


GRADIENT_KERNELS = {
    (memory, np.dtype(pixel), aperture): _gradient_kernel(memory, pixel, aperture)
    for memory, pixels in (
        ("global", (np.uint8, np.uint16)),
        ("texture", (np.uint8,)),
        ("shared", (np.uint8, np.uint16)),
    )
    for pixel in pixels
    for aperture in SMOOTHING
}


def gradient(
    blurred: Array,
    gradient_x: Array,
    gradient_y: Array,
    magnitude: Array,
    direction: Array,
    convention: str,
    norm: str,
    aperture: int,
    memory: str,
) -> None:
    """Launch the gradient kernel for a kind of memory; ``global`` if the image is not a texture."""
    if memory == "texture" and not hasattr(blurred, "object"):
        memory = "global"
    height, width = magnitude.shape
    scalars = (height, width, norm == "l2", convention != "opencv", *SIGNS[convention])
    outputs = (gradient_x, gradient_y, magnitude, direction)
    kernel = GRADIENT_KERNELS[memory, blurred.dtype, aperture]
    kernel(blocks(BLOCK, width, height), BLOCK, blurred, *outputs, *scalars)


NON_MAXIMUM_SUPPRESSION_KERNELS = {
    memory: declare(
        "non_maximum_suppression",
        memory,
        (np.int16, np.int16, np.int32, np.uint8, np.int32),
        4,
        BLOCK_X=BLOCK[0],
        BLOCK_Y=BLOCK[1],
    )
    for memory in ("global", "shared")
}


def non_maximum_suppression(
    gradient_x: Array,
    gradient_y: Array,
    magnitude: Array,
    direction: Array,
    suppressed: Array,
    convention: str,
    norm: str,
    memory: str,
) -> None:
    """Launch the suppression kernel for the given kind of memory."""
    height, width = suppressed.shape
    opencv = convention == "opencv"
    scalars = (height, width, opencv and norm == "l2", opencv)
    images = (gradient_x, gradient_y, magnitude, direction, suppressed)
    NON_MAXIMUM_SUPPRESSION_KERNELS[memory](blocks(BLOCK, width, height), BLOCK, *images, *scalars)
