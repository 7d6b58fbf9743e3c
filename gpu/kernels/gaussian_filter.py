"""Smooth an image by a Gaussian on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import CONVENTIONS, LARGEST_SIGMA, kernel_radius
from wheatstone.gpu.reference.gaussian_weights import gaussian_weights

BLOCK = (32, 16)
WEIGHTS = 25  # how many a launch carries: all those of a radius of 4
MAX_RADIUS = max(kernel_radius(LARGEST_SIGMA, convention) for convention in CONVENTIONS)
IMAGES: dict[str, Any] = {"global": np.uint8, "texture": TEXTURE, "shared": np.uint8}


STORED = (np.int32, np.int32) + (np.float32,) * WEIGHTS


def _kernel(part: str, arrays: tuple[Any, ...], scalars: Any, convention: str) -> Kernel:
    macros = {"CONVENTION": convention.replace("-", "_"), "MAX_RADIUS": MAX_RADIUS}
    blocks = {"BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]}
    return declare("gaussian_filter", part, arrays, scalars, **macros, **blocks)


KERNELS = {
    (memory, convention): _kernel(memory, (image, np.float32, np.uint16), 3, convention)
    for memory, image in IMAGES.items()
    for convention in CONVENTIONS
} | {
    ("weights", convention): _kernel("weights", (np.float32,), STORED, convention)
    for convention in CONVENTIONS
}


def gaussian_filter(
    left: Array, smoothed: Array, weights: Array, sigma: float, convention: str, memory: str
) -> None:
    """Store the weights on the GPU, then launch the filter kernel of a memory."""
    values = gaussian_weights(sigma, convention).reshape(-1).tolist()
    for first in range(0, len(values), WEIGHTS):
        part = values[first : first + WEIGHTS]
        padding = [0.0] * (WEIGHTS - len(part))
        arguments = (weights, first, len(part), *part, *padding)
        KERNELS["weights", convention]((1,), (WEIGHTS,), *arguments)
    height, width = smoothed.shape
    scalars = (height, width, kernel_radius(sigma, convention))
    grid = blocks(BLOCK, width, height)
    KERNELS[memory, convention](grid, BLOCK, left, weights, smoothed, *scalars)
