"""Compute the pixels that a kernel's threads access, and the memory sectors of a warp.

All is arithmetic on declarations: the block that a binding launches, the image that it reads or
writes, the window that the stage needs. It needs no GPU, and counts requested bytes, without
savings by caches.

Source: CUDA C++ Programming Guide, "Device Memory Accesses": global memory is moved in sectors of
32 bytes; the accesses of a warp's 32 threads are combined into as few sectors as hold them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wheatstone.gpu.analysis.kernel_facts import WARP, KernelFacts, kernel_facts
from wheatstone.gpu.image import Int64
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.pipelines.canny.params import CannyParams, kernel_radius
from wheatstone.gpu.pipelines.mean import MeanParams
from wheatstone.gpu.pipelines.ncc.params import NccParams
from wheatstone.gpu.pipelines.sgm.params import SgmParams
from wheatstone.gpu.steps import Setup

SECTOR = 32  # bytes that global memory moves at once
Offsets = tuple[int, int]  # rows and columns


def _gaussian(params: CannyParams) -> Offsets:
    radius = kernel_radius(params.sigma, params.convention)
    return radius, radius


REACHES: Mapping[str, tuple[type[Params], Callable[[Any], Offsets]]] = {
    "mean_filter": (MeanParams, lambda params: (params.radius, params.radius)),
    "gaussian_filter": (CannyParams, _gaussian),
    "gradient": (CannyParams, lambda params: (params.aperture // 2, params.aperture // 2)),
    "non_maximum_suppression": (CannyParams, lambda params: (1, 1)),
    "census_transform": (SgmParams, lambda params: (3, 4)),
    "correlation": (NccParams, lambda params: (params.template[3] // 2, params.template[2] // 2)),
}
"""Rows and columns a thread reads to each side of its pixel, by stage, and for which parameters."""

PIXELS, DISPARITIES, SCANLINES = "pixels", "disparities", "scanlines"
"""The work of neighbouring threads of a block: pixels of a row, disparities of a pixel, or rows.
"""


@dataclass(frozen=True)
class Access:
    """The image elements that the threads of a warp read or write together.

    Attributes:
        image: the image that has the elements.
        neighbours: the work of neighbouring threads.
        verb: whether they read or write.
    """

    image: str
    neighbours: str
    verb: str = "reads"


_WINDOW_OF_LEFT = Access("left", PIXELS)
ACCESSES: Mapping[tuple[str, str], Access] = {
    **{("mean_filter", memory): _WINDOW_OF_LEFT for memory in ("global", "unrolled", "shared")},
    **{("gaussian_filter", memory): _WINDOW_OF_LEFT for memory in ("global", "shared")},
    **{("gradient", memory): Access("blurred", PIXELS) for memory in ("global", "shared")},
    ("census_transform", "global"): _WINDOW_OF_LEFT,
    ("matching_cost", "global_scanline"): Access("cost", PIXELS, "writes"),
    ("matching_cost", "global"): Access("cost", DISPARITIES, "writes"),
    ("path_aggregation", "global_scanline"): Access("path_costs", SCANLINES),
    ("path_aggregation", "global"): Access("path_costs", DISPARITIES),
    ("path_aggregation", "shared"): Access("path_costs", DISPARITIES),
}
"""The accesses to global memory, by stage and memory; textures have no such addresses."""


def memory_of(variant: Variant, stage: str) -> str:
    """Return the kind of GPU memory that a variant declares for a stage; ``global`` by default."""
    return variant.memory.get(stage, "global")


def reach(stage: str, params: Params) -> Offsets:
    """Return the rows and columns that a stage's thread reads on each side of its pixel.

    Raises:
        ValueError: the stage's threads read no window.
    """
    kind, offsets_of = REACHES.get(stage, (None, None))
    if not (kind and offsets_of and isinstance(params, kind)):
        raise ValueError(f"{stage} reads no window here; {', '.join(REACHES)} do")
    return offsets_of(params)


CENSUS_READS: Mapping[str, int] = {
    "census-checkerboard": 32 + 1,
    "census-symmetric": 2 * 31,
    "census-ring": 32 + 1,
    "census-mean": 32 + 9,
    "census-ring-symmetric": 24 + 1 + 2 * 8,
}
"""Pixels that a thread reads for a census word, by the kind of window: not all of its rectangle."""


def window_pixels(stage: str, params: Params) -> int:
    """Count the pixels in the window that one thread of a stage reads.

    Raises:
        ValueError: the stage's threads read no window.
    """
    if stage == "census_transform" and isinstance(params, SgmParams):
        return CENSUS_READS[params.cost]
    if stage == "correlation" and isinstance(params, NccParams):
        return params.template[2] * params.template[3]
    rows, columns = reach(stage, params)
    return (2 * rows + 1) * (2 * columns + 1)


def launch_of(setup: Setup, stage: str) -> KernelFacts:
    """Return the facts (grids, block, shared memory) of the last kernel launched for a stage.

    Raises:
        ValueError: the variant launches none for the stage.
    """
    of_stage = [facts for facts in kernel_facts(setup) if facts.stage == stage]
    if not of_stage:
        raise ValueError(f"{setup.variant.name} launches no kernel for {stage}")
    return of_stage[-1]


def tile(stage: str, params: Params, block: tuple[int, ...]) -> Offsets:
    """Return the height and width of the image area that a block's threads read together."""
    if stage == "correlation" and isinstance(params, NccParams):
        return block[1] + params.template[3], block[0] + params.template[2]
    rows, columns = reach(stage, params)
    return block[1] + 2 * rows, block[0] + 2 * columns


def warp_offsets(
    access: Access,
    shape: tuple[int, ...],
    itemsize: int,
    block: tuple[int, ...],
    at: tuple[int, int],
) -> Int64:
    """Compute the byte offsets of the elements that the 32 threads of a warp access together.

    Args:
        shape: of the array: (H, W) or (H, W, D), rows first, without gaps.
        itemsize: bytes of an element.
        block: threads along x, y of a block.
        at: row and column of the pixel of the warp's first thread, or of all threads if they work
            on disparities.

    Returns:
        (32,) offsets in bytes from the array's beginning, to which sectors are aligned.
    """
    lanes, (row, column) = np.arange(WARP), at
    rows, columns, planes = np.full(WARP, row), np.full(WARP, column), np.zeros(WARP, np.int64)
    if access.neighbours == PIXELS:
        rows, columns = row + lanes // block[0], column + lanes % block[0]
    elif access.neighbours == SCANLINES:
        rows = row + lanes
    else:
        planes = lanes
    depth = shape[2] if len(shape) > 2 else 1
    return np.asarray(((rows * shape[1] + columns) * depth + planes) * itemsize, np.int64)


def sectors(offsets: Int64, itemsize: int) -> int:
    """Count the 32-byte memory sectors that contain the elements at given offsets."""
    first, last = offsets // SECTOR, (offsets + itemsize - 1) // SECTOR
    return int(np.union1d(first, last).size)


def warp_sectors(setup: Setup, stage: str, shift: int = 0) -> tuple[Access, int, int]:
    """Count the memory sectors of one access by a warp in the middle of the image.

    Args:
        shift: elements by which every thread's access is displaced.

    Returns:
        The access; the number of sectors; and the bytes that the warp's threads requested.

    Raises:
        ValueError: the stage of this variant accesses no global memory that is declared here.
    """
    memory = memory_of(setup.variant, stage)
    access = ACCESSES.get((stage, memory))
    if not access:
        raise ValueError(f"what {setup.variant.name} reads in {stage} has no addresses: {memory}")
    block = launch_of(setup, stage).block
    itemsize = np.dtype(setup.dtype(access.image)).itemsize
    step = block if len(block) > 1 else (*block, 1)
    at = (setup.height // 2 // step[1] * step[1], setup.width // 2 // WARP * WARP)
    offsets = warp_offsets(access, setup.shape(access.image), itemsize, block, at)
    return access, sectors(offsets + shift * itemsize, itemsize), WARP * itemsize
