"""Aggregate costs along all paths at once on the GPU, in packed arithmetic."""

from collections.abc import Sequence

import numpy as np

from wheatstone.gpu.kernels.kernel import declare
from wheatstone.gpu.kernels.packed_leaned import packed_leaned
from wheatstone.gpu.kernels.packed_sweep import DECLARED, packed_sweep
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.packing import LANES, STRETCH, lanes_of, row_span, rows_of
from wheatstone.gpu.pipelines.sgm.params import ADAPTATIONS, DIRECTIONS

THREADS = 32  # a warp: whose lines end lets the next begin


# By the element of stored path costs, the lanes of a pixel, and whether the large penalty adapts.
KERNELS = {
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
    """Launch the kernels; the directions must be consecutive in ``DIRECTIONS``.

    If sweeps cover the paths that leave a row, the kernel walks only the rows, or leaned sweeps do.
    """
    height, width, disparities = packed_matches.shape
    ends, size = row_costs.shape[0] > 0, packed_costs.shape[-1]
    lanes = lanes_of(disparities)
    adaptive = p2_adaptation != "none"
    kernel = KERNELS[(np.uint8, np.uint16)[size - 1], lanes, adaptive]
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
