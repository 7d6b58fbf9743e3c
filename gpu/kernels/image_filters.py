"""Invert and smooth images on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import (
    CONVENTIONS,
    LARGEST_SIGMA,
    gaussian_weights,
    kernel_radius,
)
from wheatstone.gpu.pipelines.invert import INVERT
from wheatstone.gpu.pipelines.mean import MeanParams, fits

invert = PerPixel(INVERT, "invert")

BLOCK = (32, 16)
CONTROLS = controls(MeanParams)
SCALARS: dict[str, tuple[str, ...]] = {  # what a memory's kernel takes after its images
    "global": ("height", "width", "radius"),
    "unrolled": ("height", "width"),
    "texture": ("height", "width", "radius"),
    "shared": ("height", "width"),
}


def _kernel(memory: str, convention: str, radius: int) -> Kernel:
    left: Any = TEXTURE if memory == "texture" else np.uint8
    macros = {"CONVENTION": convention, "RADIUS": radius, "BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]}
    return declare("mean_filter", memory, (left, np.uint8), len(SCALARS[memory]), **macros)


MEAN_FILTER_KERNELS = {
    (memory, convention, radius): _kernel(memory, convention, radius)
    for memory in SCALARS
    for convention in CONTROLS["convention"].choices
    for radius in range(int(CONTROLS["radius"].low), int(CONTROLS["radius"].high) + 1)
    if not fits(MeanParams(radius, convention), 1, 1)
}


def mean_filter(left: Array, mean: Array, radius: int, convention: str, memory: str) -> None:
    """Launch the mean filter kernel for the given kind of memory."""
    height, width = mean.shape
    scalars = {"height": height, "width": width, "radius": radius}
    kernel = MEAN_FILTER_KERNELS[memory, convention, radius]
    grid = blocks(BLOCK, width, height)
    kernel(grid, BLOCK, left, mean, *(scalars[name] for name in SCALARS[memory]))


WEIGHTS = 25  # how many a launch carries: all those of a radius of 4
MAX_RADIUS = max(kernel_radius(LARGEST_SIGMA, convention) for convention in CONVENTIONS)
IMAGES: dict[str, Any] = {"global": np.uint8, "texture": TEXTURE, "shared": np.uint8}

STORED = (np.int32, np.int32) + (np.float32,) * WEIGHTS


def _gaussian_kernel(part: str, arrays: tuple[Any, ...], scalars: Any, convention: str) -> Kernel:
    macros = {"CONVENTION": convention.replace("-", "_"), "MAX_RADIUS": MAX_RADIUS}
    blocks = {"BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]}
    return declare("gaussian_filter", part, arrays, scalars, **macros, **blocks)


GAUSSIAN_FILTER_KERNELS = {
    (memory, convention): _gaussian_kernel(memory, (image, np.float32, np.uint16), 3, convention)
    for memory, image in IMAGES.items()
    for convention in CONVENTIONS
} | {
    ("weights", convention): _gaussian_kernel("weights", (np.float32,), STORED, convention)
    for convention in CONVENTIONS
}


def gaussian_filter(
    left: Array, smoothed: Array, weights: Array, sigma: float, convention: str, memory: str
) -> None:
    """Store the weights on the GPU, then launch the filter kernel for the given kind of memory."""
    values = gaussian_weights(sigma, convention).reshape(-1).tolist()
    for first in range(0, len(values), WEIGHTS):
        part = values[first : first + WEIGHTS]
        padding = [0.0] * (WEIGHTS - len(part))
        arguments = (weights, first, len(part), *part, *padding)
        GAUSSIAN_FILTER_KERNELS["weights", convention]((1,), (WEIGHTS,), *arguments)
    height, width = smoothed.shape
    scalars = (height, width, kernel_radius(sigma, convention))
    grid = blocks(BLOCK, width, height)
    GAUSSIAN_FILTER_KERNELS[memory, convention](grid, BLOCK, left, weights, smoothed, *scalars)


INTENSITY_NORMALIZATION_BLOCK = (256,)
BLOCKS = 1024

INTENSITY_NORMALIZATION_KERNELS = {
    "begin": declare("intensity_normalization", "begin", (np.int32,), 0),
    "peak": declare("intensity_normalization", "peak", (np.uint16, np.int32), 1),
    "stretch": declare("intensity_normalization", "stretch", (np.uint16, np.int32, np.uint8), 1),
}


def intensity_normalization(smoothed: Array, blurred: Array, peak: Array) -> None:
    """Launch the kernels that find the largest grey level and stretch the image."""
    height, width = smoothed.shape
    count = height * width
    grid = blocks(INTENSITY_NORMALIZATION_BLOCK, count)
    INTENSITY_NORMALIZATION_KERNELS["begin"]((1,), (1,), peak)
    INTENSITY_NORMALIZATION_KERNELS["peak"](
        (min(BLOCKS, *grid),), INTENSITY_NORMALIZATION_BLOCK, smoothed, peak, count
    )
    INTENSITY_NORMALIZATION_KERNELS["stretch"](
        grid, INTENSITY_NORMALIZATION_BLOCK, smoothed, peak, blurred, count
    )
