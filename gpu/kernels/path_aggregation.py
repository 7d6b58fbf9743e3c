"""Aggregate costs along paths on the GPU, one direction per call, and sum them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from wheatstone.gpu.handed_rows import HandedDirections
from wheatstone.gpu.kernels.kernel import TEXTURE, Dim, Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.params import (
    ABSENT,
    ADAPTATIONS,
    BLOCK_DISPARITIES,
    MOST_DISPARITIES,
    SEARCH_TILE,
)

BLOCK = (32,)  # where a thread works alone
BLOCKS = (512, 1024)  # threads of the largest block, by which kernels share memory
SHARING = ("shared", "texture")  # memories whose kernels share
ELEMENTS: dict[
    str, tuple[type[np.generic], type[np.generic]]
] = {  # of costs and path costs, by memory
    "global_scanline": (np.int32, np.int32),
    "global": (np.uint8, np.uint16),
    "shared": (np.uint8, np.uint16),
    "texture": (np.uint8, np.uint16),
}


def carrying_kernels(stem: str, scalars: int) -> dict[tuple[str, str, int], Kernel]:
    """Declare a file's kernels, by kind of memory, adaptation of P2 and most disparities.

    Args:
        stem: of the file; a kernel's name is the stem and its memory.
        scalars: number of them after the left view, the costs and the path costs.
    """
    return {
        (memory, adaptation, longest): declare(
            stem,
            memory,
            (TEXTURE if memory == "texture" else np.uint8, cost, path_cost),
            scalars,
            ADAPTATION=adaptation,
            COST=cost,
            PATH_COST=path_cost,
            MAX_DISPARITIES=longest,
        )
        for memory, (cost, path_cost) in ELEMENTS.items()
        for adaptation in ADAPTATIONS
        for longest in BLOCKS[: None if memory in SHARING else 1]
    }


def carrying_kernel(
    kernels: dict[tuple[str, str, int], Kernel], memory: str, adaptation: str, disparities: int
) -> Kernel:
    """Choose the kernel with the smallest shared arrays that hold this number of disparities."""
    large = memory in SHARING and disparities > BLOCKS[0]
    return kernels[memory, adaptation, BLOCKS[large]]


PATH_SWEEP_KERNELS = carrying_kernels("path_sweep", scalars=7)


def path_sweep(
    left: Array,
    cost: Array,
    path_costs: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dy: int,
    memory: str,
    after: Callable[[int], None] | None = None,
) -> None:
    """Launch the sweep kernel for a kind of memory once per row, in the order of the sweep.

    Args:
        after: called with the number of each row.
    """
    height, width, disparities = cost.shape
    alone = memory == "global_scanline"
    block: Dim = BLOCK if alone else (disparities,)
    grid = blocks(BLOCK, width) if alone else (width,)
    scalars = (height, width, disparities, p1, p2, dy)
    kernel = carrying_kernel(PATH_SWEEP_KERNELS, memory, p2_adaptation, disparities)
    for row in range(height):
        y = row if dy > 0 else height - 1 - row
        kernel(grid, block, left, cost, path_costs, *scalars, y)
        if after:
            after(y)


PATH_AGGREGATION_KERNELS = carrying_kernels("path_aggregation", scalars=8)


def path_aggregation(
    left: Array,
    cost: Array,
    path_costs: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dx: int,
    dy: int,
    sweep: bool,
    memory: str,
) -> None:
    """Launch the kernel for a kind of memory and a direction; for a sweep, once per row."""
    if sweep:
        path_sweep(left, cost, path_costs, p1, p2, p2_adaptation, dy, memory)
        return
    height, width, disparities = cost.shape
    lines = (width if dy else 0) + (height if dx else 0) - (1 if dx and dy else 0)
    block: Dim = BLOCK if memory == "global_scanline" else (disparities,)
    grid = blocks(BLOCK, lines) if memory == "global_scanline" else (lines,)
    scalars = (height, width, disparities, lines, p1, p2, dx, dy)
    kernel = carrying_kernel(PATH_AGGREGATION_KERNELS, memory, p2_adaptation, disparities)
    kernel(grid, block, left, cost, path_costs, *scalars)


def _handed_kernels(part: str, scalars: int) -> dict[tuple[Any, Any, str], Kernel]:
    """Declare the kernels that aggregate bands, by left view, path cost type and P2 adaptation."""
    return {
        (left, path_cost, adaptation): declare(
            "handed_aggregation",
            part,
            (left, cost, path_cost, path_cost),
            scalars,
            ADAPTATION=adaptation,
            COST=cost,
            PATH_COST=path_cost,
            LEFT="cudaTextureObject_t" if left is TEXTURE else "uint8_t*",
            MAX_DISPARITIES=MOST_DISPARITIES,
        )
        for left in (np.uint8, TEXTURE)
        for cost, path_cost in dict.fromkeys(ELEMENTS.values())
        for adaptation in ADAPTATIONS
        if left is np.uint8 or path_cost is np.uint16
    }


HANDED_AGGREGATION_KERNELS = _handed_kernels("", 9)
HANDED_SWEEP_KERNELS = _handed_kernels("sweep", 8)


def aggregate_band(
    left: Array,
    cost: Array,
    path_costs: Array,
    before: Array | None,
    first: int,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dx: int,
    dy: int,
    sweep: bool,
) -> None:
    """Launch the kernel that aggregates a band in one direction; for a sweep, once per row."""
    height, width, disparities = cost.shape
    kind = TEXTURE if hasattr(left, "object") else np.uint8, path_costs.dtype.type
    block = (min(disparities, BLOCKS[-1]),)
    if not sweep:
        kernel = HANDED_AGGREGATION_KERNELS[*kind, p2_adaptation]
        lines = (width if dy else 0) + (height if dx else 0) - (1 if dx and dy else 0)
        scalars = (*cost.shape, first, before is not None, p1, p2, dx, dy)
        row = path_costs if before is None else before
        kernel((lines,), block, left, cost, path_costs, row, *scalars)
        return
    kernel = HANDED_SWEEP_KERNELS[*kind, p2_adaptation]
    for y in range(height)[::dy]:
        handed = before is not None
        row = before if handed else path_costs
        scalars = (width, disparities, y, first, handed, p1, p2, dy)
        kernel((width,), block, left, cost, path_costs, row, *scalars)
        before = path_costs[y]


class HandedLines(HandedDirections):
    """Aggregation of costs in bands by CUDA kernels, with path costs as for the whole image."""

    go = staticmethod(aggregate_band)


HANDED = {"path_aggregation": HandedLines}
"""The classes that hand path costs over from band to band, by stage."""

TILES = {"TILE": SEARCH_TILE, "BLOCK_DISPARITIES": BLOCK_DISPARITIES, "ABSENT": ABSENT}
"""The macros of the files that read which blocks of disparities tiles search."""


def _sparse_kernel(part: str, adaptation: str, longest: int) -> Kernel:
    images = (np.uint8, np.uint16) if part == "row" else (np.uint8, np.uint8, np.uint8, np.uint16)
    macros = {"ADAPTATION": adaptation, "COST": np.uint8, "PATH_COST": np.uint16} | TILES
    scalars = 4 if part == "row" else 7
    return declare("sparse_aggregation", part, images, scalars, MAX_DISPARITIES=longest, **macros)


SPARSE_AGGREGATION_KERNELS = {
    (memory, adaptation, longest): _sparse_kernel(memory, adaptation, longest)
    for memory in ("global", "shared")
    for adaptation in ADAPTATIONS
    for longest in BLOCKS[: None if memory in SHARING else 1]
}
SPARSE_ROW = _sparse_kernel("row", ADAPTATIONS[0], BLOCKS[0])


def sparse_aggregation(
    left: Array,
    cost: Array,
    searched: Array,
    path_costs: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dx: int,
    dy: int,
    sweep: bool,
    memory: str,
) -> None:
    """Launch the kernel for a kind of memory and a direction; for a sweep, two per row."""
    height, width, disparities = cost.shape
    if sweep:
        after = partial(SPARSE_ROW, (width,), (disparities,), searched, path_costs, *cost.shape)
        path_sweep(left, cost, path_costs, p1, p2, p2_adaptation, dy, memory, after)
        return
    lines = (width if dy else 0) + (height if dx else 0) - (1 if dx and dy else 0)
    kernel = carrying_kernel(SPARSE_AGGREGATION_KERNELS, memory, p2_adaptation, disparities)
    images, scalars = (left, cost, searched, path_costs), (*cost.shape, p1, p2, dx, dy)
    kernel((lines,), (disparities,), *images, *scalars)


PATH_SUM_BLOCK = (32, 16)
PATH_SUM_KERNELS = {
    (path_cost, total): declare(
        "path_sum", "", (path_cost, total), 4, PATH_COST=path_cost, SUM=total, ABSENT=ABSENT
    )
    for path_cost, total in ((np.uint16, np.uint16), (np.int32, np.int32))
}


def path_sum(path_costs: Array, sums: Array, first: bool) -> None:
    """Add the path costs of a direction to the sums; if ``first``, overwrite the sums with them."""
    kernel = PATH_SUM_KERNELS[path_costs.dtype.type, sums.dtype.type]
    height, width, disparities = sums.shape
    grid = blocks(PATH_SUM_BLOCK, width * disparities, height)
    kernel(grid, PATH_SUM_BLOCK, path_costs, sums, height, width, disparities, first)
