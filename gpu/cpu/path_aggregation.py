"""Aggregate costs along all paths at once, and sum them.

Computes gpu.reference.path_aggregation and gpu.reference.path_sum in two sweeps: one from the top
left along half of the directions, one from the bottom right along their opposites. The second is
the first on images turned by 180 degrees, so one module, ``path_sweep``, whose x and y count from
the first pixel of the sweep, does both. Of a path's costs only those of its newest pixel are kept,
in a slot that belongs to the path.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import core_count, fill, on_all_cores, on_rows
from wheatstone.gpu.cpu.counters import LINE
from wheatstone.gpu.cpu.lanes import LANES
from wheatstone.gpu.cpu.path_sweep import Groups, PathSweep, Walks, groups_of, rows_across, work_on
from wheatstone.gpu.image import Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import ABSENT, ADAPTATIONS
from wheatstone.gpu.reference.path_aggregation import large_penalty

LOWEST, HIGHEST = 16, 32  # rows of a band: fewer are done too soon, more leave the cache
COLUMNS, PIXELS = 16, 4096  # a worker's share: with less it would do little but wait


def path_aggregation(
    left: Uint8,
    cost: Uint8,
    sums: Uint16,
    p1: int,
    p2: int,
    p2_adaptation: str,
    directions: Sequence[tuple[int, int]],
    sweeps: bool,
) -> None:
    """Write S(y, x, d), the sum over walking directions (dx, dy), with ``sweeps`` down and up."""
    penalties = _large_penalties(p1, p2, ADAPTATIONS.index(p2_adaptation))
    _aggregate(left, cost, sums, None, p1, penalties, directions, sweeps)


def sparse_aggregation(
    left: Uint8,
    cost: Uint8,
    searched: Uint8,
    sums: Uint16,
    p1: int,
    p2: int,
    p2_adaptation: str,
    directions: Sequence[tuple[int, int]],
    sweeps: bool,
) -> None:
    """Write the same sum of the disparities searched; 65535 for any other."""
    on_rows(sums.shape[0], _fill_rows, sums)
    penalties = _large_penalties(p1, p2, ADAPTATIONS.index(p2_adaptation))
    _aggregate(left, cost, sums, groups_of(searched), p1, penalties, directions, sweeps)


@compiled
def _fill_rows(sums: Uint16, top: int, bottom: int) -> None:
    for y in range(top, bottom):
        for x in range(sums.shape[1]):
            fill(sums[y, x], ABSENT)


def _aggregate(
    left: Uint8,
    cost: Uint8,
    sums: Uint16,
    searched: Groups | None,
    p1: int,
    penalties: Uint16,
    directions: Sequence[tuple[int, int]],
    sweeps: bool,
) -> None:
    height, width, disparities = cost.shape
    workers = max(1, min(core_count(), width // COLUMNS, height * width // PIXELS))
    band = min(max(width // (2 * workers), LOWEST), HIGHEST)
    strips = max(1, min(workers, width // (2 * band)))  # triangles must not overlap
    # Rows of slots: a sweep's last row and this one, or one for each direction downwards.
    downwards = 2 if sweeps else 3 if any(dx and dy for dx, dy in directions) else 1
    # A band's slots to spare: they go round, and a path may begin in a slot only when the one that
    # left it is done in every strip.
    slots = width + band
    sweep = PathSweep(
        left.reshape(-1),
        cost,
        sums,
        prior=np.empty(downwards * slots * (disparities + LANES) + LANES, np.uint16),
        lowest=np.empty(downwards * slots, np.uint16),
        slots=slots,
        p1=p1,
        penalties=penalties,
        band=band,
        strips=strips,
        walks=_walks(directions, 1, sweeps),
        turned=False,
        searched=searched,
    )
    turned = sweep._replace(walks=_walks(directions, -1, sweeps), turned=True)
    counters = np.zeros((2, 3 * LINE), np.int64)
    rows = [rows_across(disparities) for _ in range(workers)]
    on_all_cores([partial(work_on, sweep, turned, counters, own) for own in rows])


def _walks(directions: Sequence[tuple[int, int]], sign: int, sweeps: bool) -> Walks:
    """Return the directions that a sweep walks; with sign -1 (turned) the opposite ones."""
    steps = ((1, 0), (0, 1), (1, 1), (-1, 1))
    across, down, falling, rising = ((sign * dx, sign * dy) in directions for dx, dy in steps)
    return Walks(across, down and not sweeps, falling, rising, down and sweeps)


def _large_penalties(p1: int, p2: int, adaptation: int) -> Uint16:
    return np.array([large_penalty(p1, p2, adaptation, g) for g in range(256)], np.uint16)
