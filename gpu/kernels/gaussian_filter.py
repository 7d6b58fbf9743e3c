"""Smooth an image by a Gaussian on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import CONVENTIONS, LARGEST_SIGMA, kernel_radius
from wheatstone.gpu.reference.gaussian_weights import gaussian_weights

BLOCK = (32, 16)
WEIGHTS = 25  # how many a launch carries: all those of a radius of 4
MAX_RADIUS = max(kernel_radius(LARGEST_SIGMA, convention) for convention in CONVENTIONS)
IMAGES: dict[str, Any] = {"global": np.uint8, "texture": TEXTURE, "shared": np.uint8}


def _kernel(name: str, convention: str, types: tuple[Any, ...], arrays: int) -> Kernel:
    return Kernel(
        "gaussian_filter.cu",
        f"gaussian_filter_{name}",
        types,
        arrays,
        defines=(
            ("CONVENTION", convention.replace("-", "_")),
            ("MAX_RADIUS", str(MAX_RADIUS)),
            ("BLOCK_X", str(BLOCK[0])),
            ("BLOCK_Y", str(BLOCK[1])),
        ),
    )


_STORED = (np.float32, np.int32, np.int32) + (np.float32,) * WEIGHTS
KERNELS = {
    (memory, convention): _kernel(
        memory, convention, (image, np.float32, np.uint16) + (np.int32,) * 3, arrays=3
    )
    for memory, image in IMAGES.items()
    for convention in CONVENTIONS
} | {
    ("weights", convention): _kernel("weights", convention, _STORED, arrays=1)
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
