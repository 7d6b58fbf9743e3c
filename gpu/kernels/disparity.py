"""Choose, refine, check and filter disparities on the GPU, and convert them to depths."""

from dataclasses import replace
from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.ahead import with_rectification
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.images import MASK_BITS
from wheatstone.gpu.pipelines.sgm.params import (
    ABSENT,
    CONFIDENCE_RADIUS,
    FILTER_STEPS,
    GUIDED_RADIUS,
    HISTORY,
    MARGIN_STEPS,
    OCCLUSION_SLACK,
    SUBPIXEL_STEPS,
)

winner_takes_all = PerPixel(SGM, "winner_takes_all", element=("sums", "SUM"))
right_winner_takes_all = PerPixel(
    SGM, "right_winner_takes_all", element=("sums", "SUM"), ABSENT=ABSENT
)
subpixel_refinement = PerPixel(
    SGM,
    "subpixel_refinement",
    element=("sums", "SUM"),
    SUBPIXEL_STEPS=SUBPIXEL_STEPS,
    ABSENT=ABSENT,
)
median_filter = PerPixel(SGM, "median_filter")
uniqueness_check = PerPixel(
    SGM, "uniqueness_check", element=("sums", "SUM"), SUBPIXEL_STEPS=SUBPIXEL_STEPS, ABSENT=ABSENT
)
consistency_check = PerPixel(SGM, "consistency_check", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
outside_mask = PerPixel(with_rectification(SGM), "outside_mask")
winner_margin = PerPixel(SGM, "winner_margin", element=("sums", "SUM"), MARGIN_STEPS=MARGIN_STEPS)
confidence_measure = PerPixel(
    SGM,
    "confidence_measure",
    block=(32, 8),
    RADIUS=CONFIDENCE_RADIUS,
    SUBPIXEL_STEPS=SUBPIXEL_STEPS,
)
rejection_reason = PerPixel(SGM, "rejection_reason", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
outside_reason = PerPixel(with_rectification(SGM), "outside_reason")
decimation = PerPixel(SGM, "decimation", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
temporal_filter = PerPixel(
    SGM,
    "temporal_filter",
    SUBPIXEL_STEPS=SUBPIXEL_STEPS,
    FILTER_STEPS=FILTER_STEPS,
    HISTORY=HISTORY,
)
depth = PerPixel(SGM, "depth")

BLOCK = (32, 16)


def _speckle_kernel(name: str, *arrays: Any, scalars: int) -> Kernel:
    macros = {"BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]}
    kernel = declare("speckle_filter", "", arrays, scalars, **macros)
    return replace(kernel, name=f"speckle_{name}")


SPECKLE_FILTER_KERNELS = {
    "label": _speckle_kernel("label", np.int16, np.int32, np.int32, scalars=4),
    "join": _speckle_kernel("join", np.int16, np.int32, scalars=4),
    "count": _speckle_kernel("count", np.int32, np.int32, scalars=2),
    "select": _speckle_kernel("select", np.int16, np.int32, np.int32, np.int16, scalars=4),
}


def speckle_filter(
    consistent: Array,
    filtered: Array,
    islands: Array,
    island_sizes: Array,
    min_disparity: int,
    speckle_size: int,
    speckle_range: int,
) -> None:
    """Launch the kernels that label islands, count their pixels and select the large ones."""
    height, width = consistent.shape
    grid, size = blocks(BLOCK, width, height), (height, width)
    invalid, step = (min_disparity - 1) * SUBPIXEL_STEPS, speckle_range * SUBPIXEL_STEPS
    SPECKLE_FILTER_KERNELS["label"](
        grid, BLOCK, consistent, islands, island_sizes, *size, invalid, step
    )
    SPECKLE_FILTER_KERNELS["join"](grid, BLOCK, consistent, islands, *size, invalid, step)
    SPECKLE_FILTER_KERNELS["count"](grid, BLOCK, islands, island_sizes, *size)
    images = consistent, islands, island_sizes, filtered
    SPECKLE_FILTER_KERNELS["select"](grid, BLOCK, *images, *size, invalid, speckle_size)


HOLE_FILLING_BLOCK = (32, 8)
BANDS = 4  # of a block of masks, a warp each

MACROS = {"WORD": MASK_BITS, "SUBPIXEL_STEPS": SUBPIXEL_STEPS, "SLACK": OCCLUSION_SLACK}
FILL = declare("hole_filling", "", (np.int16, np.uint32, np.int16), 3, **MACROS)
HOLE_FILLING_KERNELS = {
    "masks": replace(
        FILL, name="hole_masks", types=(np.int16, np.uint32, *FILL.types[3:]), arrays=2
    ),
    "fill": FILL,
}


def hole_filling(filtered: Array, filled: Array, valid_masks: Array, min_disparity: int) -> None:
    """Launch the kernel that marks valid pixels, then the kernel that fills the holes."""
    height, width = filtered.shape
    scalars = height, width, min_disparity
    bands = -(-height // MASK_BITS)
    columns = width + 2 * MASK_BITS - 1  # where lines begin, diagonal ones beside the image
    grid = (*blocks((MASK_BITS, BANDS), columns, bands), 3)
    HOLE_FILLING_KERNELS["masks"](grid, (MASK_BITS, BANDS), filtered, valid_masks, *scalars)
    images = filtered, valid_masks, filled
    HOLE_FILLING_KERNELS["fill"](
        blocks(HOLE_FILLING_BLOCK, width, height), HOLE_FILLING_BLOCK, *images, *scalars
    )


ROWS, WORDS = 32, 4  # of a block; a thread finds the medians of a word, 32 pixels side by side
GUIDED_MEDIAN_BLOCK = (ROWS, WORDS)
IMAGES: dict[str, type[np.generic]] = {"global": np.uint8, "texture": TEXTURE}
GUIDED_MEDIAN_KERNELS = {
    memory: declare(
        "guided_median",
        memory,
        (np.int16, image, np.int16),
        4,
        ROWS=ROWS,
        WORDS=WORDS,
        RADIUS=GUIDED_RADIUS,
        SUBPIXEL_STEPS=SUBPIXEL_STEPS,
    )
    for memory, image in IMAGES.items()
}


def guided_median(
    filled: Array,
    left: Array,
    guided: Array,
    min_disparity: int,
    guided_median: int,
    memory: str = "global",
) -> None:
    """Launch the guided median kernel for the given kind of memory."""
    height, width = filled.shape
    scalars = height, width, min_disparity, guided_median
    grid = blocks((32 * WORDS, ROWS), width, height)
    GUIDED_MEDIAN_KERNELS[memory](grid, GUIDED_MEDIAN_BLOCK, filled, left, guided, *scalars)
