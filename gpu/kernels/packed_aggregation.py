"""Aggregate costs along all paths at once on the GPU, with several costs packed in a register."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from wheatstone.gpu.handed_rows import HandedRows
from wheatstone.gpu.kernels.kernel import Kernel, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.packing import (
    LANES,
    LEANED_BLOCKS,
    STRETCH,
    SWEEP_THREADS,
    LeanedBlock,
    lanes_of,
    leaned_block,
    leaned_bytes,
    leaned_grid,
    row_span,
    rows_of,
    sweep_blocks,
)
from wheatstone.gpu.pipelines.sgm.params import ADAPTATIONS, DIRECTIONS
from wheatstone.gpu.steps import Setup

IMAGES = (np.uint32, np.uint8, np.uint8, np.uint32, np.uint32)
DECLARED = ",".join(f"{{{dx},{dy}}}" for dx, dy in DIRECTIONS)
"""The macro DIRECTIONS of the files that walk several paths."""
BEGIN = "begin"


def _sweep_kernel(
    part: str, element: Any, lanes: int, arrays: tuple[Any, ...], scalars: int
) -> Kernel:
    macros = {"PATH_COST": element, "LANES": lanes, "THREADS": SWEEP_THREADS}
    return declare("packed_sweep", part, arrays, scalars, **macros)


# What begins, and the others by the element of stored path costs and the lanes of a pixel.
PACKED_SWEEP_KERNELS: dict[Any, Kernel] = {
    BEGIN: _sweep_kernel("begin", np.uint8, LANES[0], (np.uint32,), 0)
} | {
    (element, lanes): _sweep_kernel("", element, lanes, IMAGES, 9)
    for element in (np.uint8, np.uint16)
    for lanes in LANES
}


def packed_sweep(
    left_steps: Array,
    packed_matches: Array,
    packed_costs: Array,
    sweep_turns: Array,
    sweep_handed: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dy: int,
    sweeps: int,
) -> None:
    """Launch the kernel that aggregates costs in a sweep down or up, or in both.

    The path costs of the sweeps are the last volumes of ``packed_costs``.

    Args:
        dy: direction of the first sweep: 1 down, -1 up.
    """
    height, width, disparities = packed_matches.shape
    lanes = lanes_of(disparities)
    kernel = PACKED_SWEEP_KERNELS[(np.uint8, np.uint16)[packed_costs.shape[-1] - 1], lanes]
    images = (left_steps, packed_matches, packed_costs, sweep_turns, sweep_handed)
    penalties, others = (p1, p2, ADAPTATIONS.index(p2_adaptation)), packed_costs.shape[0] - sweeps
    PACKED_SWEEP_KERNELS[BEGIN]((1,), (1,), sweep_turns)
    grid, block = (sweeps * sweep_blocks(height, width, lanes),), (SWEEP_THREADS,)
    kernel(grid, block, *images, height, width, disparities, *penalties, others, dy, sweeps)


GROUP = 4  # rows that are straight code: more, and the code of rows, do not fit the caches


def leaned_kernel(
    element: Any, sum_bytes: int, lanes: int, block: LeanedBlock, adaptive: bool, group: int = GROUP
) -> Kernel:
    """Declare the kernel of leaned sweeps, which sum three paths with each row shifted by a column.

    Args:
        lanes: number per pixel.
    """
    return declare(
        "packed_leaned",
        "",
        (np.uint32, *(np.uint8,) * 3, np.uint16, np.uint32, np.uint32),
        7,
        PATH_COST=element,
        SUM_BYTES=sum_bytes,
        LANES=lanes,
        ACROSS_SPAN=row_span(lanes),
        WARPS=block.warps,
        ROWERS=block.rowers,
        RECEIVERS=block.receivers,
        ADAPTIVE=adaptive,
        SHARED=leaned_bytes(lanes, block.warps, block.rowers),
        STRETCH=STRETCH,
        GROUP=group,
        DIRECTIONS=DECLARED,
    )


# By the element of stored path costs, the bytes of a sum, the lanes of a pixel, the block, and
# whether the large penalty adapts.
PACKED_LEANED_KERNELS: dict[Any, Kernel] = {
    (element, sum_bytes, lanes, block, adaptive): leaned_kernel(
        element, sum_bytes, lanes, block, adaptive
    )
    for element, sum_bytes in ((np.uint8, 1), (np.uint8, 2), (np.uint16, 2))
    for lanes in LANES
    for block in LEANED_BLOCKS
    for adaptive in (False, True)
}


def packed_leaned(
    left_steps: Array,
    packed_matches: Array,
    packed_costs: Array,
    swept_sums: Array,
    swept_ninths: Array,
    sweep_turns: Array,
    sweep_handed: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
) -> None:
    """Launch the kernel that aggregates leaned (row-shifted) sweeps, and the paths along rows."""
    height, width, disparities = packed_matches.shape
    lanes, block = lanes_of(disparities), leaned_block(height, width, disparities)
    element = (np.uint8, np.uint16)[packed_costs.shape[-1] - 1]
    adaptive = p2_adaptation != "none"
    chosen = PACKED_LEANED_KERNELS[element, swept_sums.shape[-1], lanes, block, adaptive]
    images = (left_steps, packed_matches, packed_costs, swept_sums, swept_ninths)
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    blocks, sweepers = leaned_grid(height, width, disparities)
    scalars = (height, width, disparities, *penalties, sweepers)
    PACKED_SWEEP_KERNELS[BEGIN]((1,), (1,), sweep_turns)
    shared = leaned_bytes(lanes, block.warps, block.rowers)
    chosen((blocks,), (block.threads,), *images, sweep_turns, sweep_handed, *scalars, shared=shared)


THREADS = 32  # a warp: whose lines end lets the next begin


# By the element of stored path costs, the lanes of a pixel, and whether the large penalty adapts.
PACKED_AGGREGATION_KERNELS = {
    (element, lanes, adaptive): declare(
        "packed_aggregation",
        "",
        (np.uint32, np.uint8, np.uint8, np.uint8),
        11,
        PATH_COST=element,
        LANES=lanes,
        ACROSS_SPAN=row_span(lanes),
        ADAPTIVE=adaptive,
        STRETCH=STRETCH,
        THREADS=THREADS,
        DIRECTIONS=DECLARED,
    )
    for element in (np.uint8, np.uint16)
    for lanes in LANES
    for adaptive in (False, True)
}


def packed_aggregation(
    left_steps: Array,
    packed_matches: Array,
    row_costs: Array,
    packed_costs: Array,
    swept_sums: Array,
    swept_ninths: Array,
    sweep_turns: Array,
    sweep_handed: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    directions: Sequence[tuple[int, int]],
    sweeps: bool,
) -> None:
    """Launch the kernels that aggregate all paths.

    The directions must be consecutive in ``DIRECTIONS``. If sweeps cover the paths that leave a
    row, the kernel walks only the rows, or leaned sweeps do.
    """
    height, width, disparities = packed_matches.shape
    ends, size = row_costs.shape[0] > 0, packed_costs.shape[-1]
    lanes = lanes_of(disparities)
    adaptive = p2_adaptation != "none"
    kernel = PACKED_AGGREGATION_KERNELS[(np.uint8, np.uint16)[size - 1], lanes, adaptive]
    across = -(-height * row_span(lanes) // THREADS)
    down = -(-width * lanes // THREADS)
    images = (left_steps, packed_matches, row_costs, packed_costs)
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    first = DIRECTIONS.index(directions[0])
    rows = rows_of(directions)
    leaned = swept_sums.shape[0] > 0
    others = 0 if sweeps or leaned else len(directions) - rows
    lines = (first, rows, across, others, ends)
    if leaned:
        sums = (packed_costs, swept_sums, swept_ninths, sweep_turns, sweep_handed)
        packed_leaned(left_steps, packed_matches, *sums, p1, p2, p2_adaptation)
    if rows + others and not leaned:
        grid = (rows * across + others * down,)
        kernel(grid, (THREADS,), *images, height, width, disparities, *penalties, *lines)
    if sweeps and directions[rows:]:
        (_, dy), count = directions[rows], len(directions) - rows
        columns = (left_steps, packed_matches, packed_costs, sweep_turns, sweep_handed)
        packed_sweep(*columns, p1, p2, p2_adaptation, dy, count)


def _handed_kernels(part: str, scalars: int) -> dict[Any, Kernel]:
    """Declare the kernels that aggregate bands, by path cost type, lanes and whether P2 adapts."""
    return {
        (element, lanes, adaptive): declare(
            "packed_handed",
            part,
            (np.uint32, np.uint8, np.uint8, np.uint8),
            scalars,
            PATH_COST=element,
            LANES=lanes,
            ADAPTIVE=adaptive,
            STRETCH=STRETCH,
            THREADS=THREADS,
        )
        for element in (np.uint8, np.uint16)
        for lanes in LANES
        for adaptive in (False, True)
    }


PACKED_HANDED_KERNELS = _handed_kernels("", 10)
PACKED_HANDED_SWEEP_KERNELS = _handed_kernels("sweep", 9)


class HandedVolumes(HandedRows):
    """Aggregation of costs in bands with packed kernels; path costs as for the whole image.

    The path costs of all directions are kept; leaned sweeps and rows kept at the ends of stretches
    are for whole images.
    """

    @staticmethod
    def shape(name: str, shape: tuple[int, ...], setup: Setup) -> tuple[int, ...]:
        params: Any = setup.params
        if name in ("row_costs", "swept_sums", "swept_ninths"):
            return (0, *shape[1:])
        if name == "sweep_handed":
            return (1,)
        return (params.paths_summed, *shape[1:]) if name == "packed_costs" else shape

    @staticmethod
    def itemsize(setup: Setup) -> int:
        params: Any = setup.params
        return int(params.path_cost_bytes)

    def go_up(self, *images_and_rules: Any, band: int, first: int) -> None:
        """Aggregate the paths up through a band, after the band below it.

        Arguments as for ``aggregate``.
        """
        self._walk_all(*images_and_rules, band=band, first=first, ways=(-1,))

    def aggregate(self, *images_and_rules: Any, band: int, first: int) -> None:
        """Write the path costs of a band in all directions, after those of the band above.

        Args:
            images_and_rules: as for ``packed_aggregation``; the steps are those of the whole image,
                volumes those of the band.
            band: its number, from the top.
            first: its first row.
        """
        self._walk_all(*images_and_rules, band=band, first=first, ways=(-1, 0, 1))

    def _walk_all(
        self,
        left_steps: Array,
        packed_matches: Array,
        row_costs: Array,
        packed_costs: Array,
        swept_sums: Array,
        swept_ninths: Array,
        sweep_turns: Array,
        sweep_handed: Array,
        p1: int,
        p2: int,
        p2_adaptation: str,
        directions: Sequence[tuple[int, int]],
        sweeps: bool,
        *,
        band: int,
        first: int,
        ways: Sequence[int],
    ) -> None:
        rows, height = rows_of(directions), len(packed_matches)
        if rows and 0 in ways:
            steps = left_steps[first : first + height]
            others = (swept_sums, swept_ninths, sweep_turns, sweep_handed)
            images = (steps, packed_matches, row_costs, packed_costs, *others)
            packed_aggregation(*images, p1, p2, p2_adaptation, directions[:rows], sweeps)
        rules = p1, p2, p2_adaptation
        for volume, (dx, dy) in zip(packed_costs[rows:], directions[rows:], strict=True):
            if dy in ways:
                go = self._sweep if sweeps else self._walk
                of_band = left_steps, packed_matches, volume
                self.walk(volume, dx, dy, band, partial(go, of_band, first, rules, dx, dy))

    def _walk(
        self,
        images: Sequence[Array],
        first: int,
        rules: tuple[int, int, str],
        dx: int,
        dy: int,
        before: Array | None,
    ) -> None:
        _, costs, volume = images
        (*_, width, disparities), (p1, p2, adaptation) = costs.shape, rules
        kernel = _handed(PACKED_HANDED_KERNELS, volume, adaptation)
        penalties = (p1, p2, ADAPTATIONS.index(adaptation))
        grid, handed = (-(-width * lanes_of(disparities) // THREADS),), before is not None
        scalars = (*costs.shape, *penalties, dx, dy, first, handed)
        kernel(grid, (THREADS,), *images, before if handed else volume, *scalars)

    def _sweep(
        self,
        images: Sequence[Array],
        first: int,
        rules: tuple[int, int, str],
        dx: int,
        dy: int,
        before: Array | None,
    ) -> None:
        _, costs, volume = images
        (height, width, disparities), (p1, p2, adaptation) = costs.shape, rules
        kernel = _handed(PACKED_HANDED_SWEEP_KERNELS, volume, adaptation)
        penalties = (p1, p2, ADAPTATIONS.index(adaptation))
        grid = (-(-width * lanes_of(disparities) // THREADS),)
        for y in range(height)[::dy]:
            handed = before is not None
            scalars = (width, disparities, *penalties, dy, y, first, handed)
            kernel(grid, (THREADS,), *images, before if handed else volume, *scalars)
            before = volume[y]


def _handed(kernels: dict[Any, Kernel], volume: Array, adaptation: str) -> Kernel:
    """Choose the kernel for a volume of path costs (rows, W, D, bytes) and an adaptation of P2."""
    *_, disparities, size = volume.shape
    element = (np.uint8, np.uint16)[size - 1]
    return kernels[element, lanes_of(disparities), adaptation != "none"]


HANDED = {"packed_aggregation": HandedVolumes}
"""The classes that hand path costs over from band to band, by stage."""
