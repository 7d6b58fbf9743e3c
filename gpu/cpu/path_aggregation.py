"""Aggregate costs along all paths on all cores, and sum the aggregated costs.

Computes gpu.reference.path_aggregation and gpu.reference.path_sum in two sweeps: one from the top
left along half of the directions, one from the bottom right along their opposites. The second is
the first on images turned by 180 degrees, so one module, ``path_sweep``, whose x and y count from
the first pixel of the sweep, does both. Of a path's costs only those of its newest pixel are kept,
in a slot that belongs to the path.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import core_count, fill, on_all_cores, on_rows
from wheatstone.gpu.cpu.counters import LINE
from wheatstone.gpu.cpu.lanes import LANES
from wheatstone.gpu.cpu.path_sweep import PathSweep, Walks, rows_across, work_on
from wheatstone.gpu.cpu.search_groups import Groups, groups_of
from wheatstone.gpu.image import Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import ABSENT, ADAPTATIONS
from wheatstone.gpu.reference.path_aggregation import large_penalty
from wheatstone.gpu.steps import Setup

LOWEST, HIGHEST = 16, 32  # rows of a band: fewer are done too soon, more leave the cache
DOWN = -1  # in place of a band's number: the paths down
Directions = Sequence[tuple[int, int]]
COLUMNS, PIXELS = 16, 4096  # a worker's share: with less it would do little but wait


def path_aggregation(
    left: Uint8,
    cost: Uint8,
    sums: Uint16,
    p1: int,
    p2: int,
    p2_adaptation: str,
    directions: Directions,
    sweeps: bool,
) -> None:
    """Write S(y, x, d), the sum of the costs aggregated along all directions (dx, dy).

    With ``sweeps``, paths down and up are replaced by sweeps.
    """
    _aggregate(left, cost, sums, _rules(p1, p2, p2_adaptation, directions, sweeps))


def sparse_aggregation(
    left: Uint8,
    cost: Uint8,
    searched: Uint8,
    sums: Uint16,
    p1: int,
    p2: int,
    p2_adaptation: str,
    directions: Directions,
    sweeps: bool,
) -> None:
    """Write S(y, x, d) as ``path_aggregation`` does for the disparities searched, else 65535."""
    on_rows(sums.shape[0], _fill_rows, sums)
    rules = _rules(p1, p2, p2_adaptation, directions, sweeps)
    _aggregate(left, cost, sums, rules._replace(searched=groups_of(searched)))


@compiled
def _fill_rows(sums: Uint16, top: int, bottom: int) -> None:
    for y in range(top, bottom):
        for x in range(sums.shape[1]):
            fill(sums[y, x], ABSENT)


class SweepRules(NamedTuple):
    """The settings that both sweeps over an image (from the top and from the bottom) share.

    Attributes:
        searched, p1, penalties: as for ``PathSweep``.
        directions: (dx, dy) of the paths.
        sweeps: whether paths down and up are swept, as ``gpu.reference.path_aggregation`` says.
    """

    searched: Groups | None
    p1: int
    penalties: Uint16
    directions: Directions
    sweeps: bool


def _rules(
    p1: int, p2: int, p2_adaptation: str, directions: Directions, sweeps: bool
) -> SweepRules:
    """Return the settings of sweeps that search all disparities."""
    penalties = _large_penalties(p1, p2, ADAPTATIONS.index(p2_adaptation))
    return SweepRules(None, p1, penalties, directions, sweeps)


def _aggregate(left: Uint8, cost: Uint8, sums: Uint16, rules: SweepRules) -> None:
    slots = slots_of(cost.shape[1], cost.shape[2], rules.directions, rules.sweeps)
    _run(*(path_sweep(left, cost, sums, slots, 0, rules, sign=sign) for sign in (1, -1)))


class PathSlots(NamedTuple):
    """The path costs of the newest pixel of each path in a sweep.

    Attributes:
        prior, lowest, number: as for ``PathSweep``; there ``number`` is ``slots``.
        rows: rows that were aggregated.
    """

    prior: Uint16
    lowest: Uint16
    number: int
    rows: int = 0


def slots_of(width: int, disparities: int, directions: Directions, sweeps: bool) -> PathSlots:
    """Allocate the ``PathSlots`` of a sweep: buffers for its path costs."""
    # Rows of slots: a sweep's last row and this one, or one for each direction downwards.
    downwards = 2 if sweeps else 3 if any(dx and dy for dx, dy in directions) else 1
    # A band's slots to spare: they go round, and a path may begin in a slot only when the one that
    # left it is done in every strip.
    slots = width + HIGHEST
    prior = np.empty(downwards * slots * (disparities + LANES) + LANES, np.uint16)
    return PathSlots(prior, np.empty(downwards * slots, np.uint16), slots)


def path_sweep(
    left: Uint8,
    cost: Uint8,
    sums: Uint16,
    slots: PathSlots,
    first: int,
    rules: SweepRules,
    *,
    sign: int,
) -> PathSweep:
    """Create the ``PathSweep``: the arrays and numbers of a sweep for compiled functions.

    Args:
        left: all rows of the left view.
        slots: go on from their rows.
        first: the first row of ``cost`` and ``sums`` in the image.
        sign: -1: from the last row to the first.
    """
    height, width, _ = cost.shape
    workers = _workers(height, width)
    band = min(max(width // (2 * workers), LOWEST), HIGHEST)
    return PathSweep(
        left.reshape(-1),
        first * width,
        slots.rows,
        cost,
        sums,
        slots.prior,
        slots.lowest,
        slots.number,
        p1=rules.p1,
        penalties=rules.penalties,
        band=band,
        strips=max(1, min(workers, width // (2 * band))),  # triangles must not overlap
        walks=_walks(rules.directions, sign, rules.sweeps),
        turned=sign < 0,
        searched=rules.searched,
    )


def _workers(height: int, width: int) -> int:
    return max(1, min(core_count(), width // COLUMNS, height * width // PIXELS))


def _run(sweep: PathSweep, turned: PathSweep) -> None:
    """Compute both sweeps, down from the top and up from the bottom, on all cores."""
    height, width, disparities = turned.cost.shape
    counters = np.zeros((2, 3 * LINE), np.int64)
    rows = [rows_across(disparities) for _ in range(_workers(height, width))]
    on_all_cores([partial(work_on, sweep, turned, counters, own) for own in rows])


class HandedSlots:
    """Aggregation of costs band by band, which hands path costs over from each band to the next.

    Path costs are handed over from band to band: those of the paths up in a first pass from the
    last band to the first, and those of the paths down in a second one. The slots are allocated
    in the first frame.
    """

    def __init__(self) -> None:
        self._slots: dict[int, PathSlots] = {}  # the paths up at a band's first row; those down

    @staticmethod
    def shape(name: str, shape: tuple[int, ...], setup: Setup) -> tuple[int, ...]:
        """Return the shape of an image in an aggregation by bands: the declared one, unchanged."""
        return shape

    @staticmethod
    def nbytes(setup: Setup, count: int) -> int:
        """Compute the bytes of the path costs that are stored for a number of bands."""
        params: Any = setup.params
        one = slots_of(setup.width, params.disparities, params.directions, params.sweeps)
        return (count + 1) * (one.prior.nbytes + one.lowest.nbytes)

    def _of(self, band: int, cost: Uint8, rules: SweepRules) -> PathSlots:
        """Return the path costs upwards in a band (``DOWN``: downwards), allocated at first use."""
        if band not in self._slots:
            self._slots[band] = slots_of(
                cost.shape[1], cost.shape[2], rules.directions, rules.sweeps
            )
        return self._slots[band]

    def go_up(
        self, left: Uint8, cost: Uint8, sums: Uint16, *parameters: Any, band: int, first: int
    ) -> None:
        """Aggregate the paths that run upwards through a band, after the band below it.

        The sums written meanwhile have no meaning.

        Args:
            left: (H, W) grey levels of the whole image.
            parameters: as for ``path_aggregation``.
            band: its number, from the top.
            first: its first row.
        """
        rules = _rules(*parameters)
        mine = self._of(band, cost, rules)._replace(rows=0)
        if below := self._slots.get(band + 1):
            np.copyto(mine.prior, below.prior)
            np.copyto(mine.lowest, below.lowest)
            mine = mine._replace(rows=below.rows)
        rules = rules._replace(directions=[each for each in rules.directions if each[1]])
        none = path_sweep(left, cost[:0], sums[:0], mine, first, rules, sign=1)
        _run(none, path_sweep(left, cost, sums, mine, first, rules, sign=-1))
        self._slots[band] = mine._replace(rows=mine.rows + len(cost))

    def aggregate(
        self, left: Uint8, cost: Uint8, sums: Uint16, *parameters: Any, band: int, first: int
    ) -> None:
        """Write the sums of a band's path costs; the band above must have been aggregated."""
        rules = _rules(*parameters)
        above = self._of(DOWN, cost, rules)
        above = above if band else above._replace(rows=0)
        # Below the last band there is none. Its own slots are free: the band above has used them.
        below = self._slots.get(band + 1) or self._slots[band]._replace(rows=0)
        down = path_sweep(left, cost, sums, above, first, rules, sign=1)
        _run(down, path_sweep(left, cost, sums, below, first, rules, sign=-1))
        self._slots[DOWN] = above._replace(rows=above.rows + len(cost))


HANDED = {"path_aggregation": HandedSlots}
"""The classes that hand path costs over from band to band, by stage."""


def _walks(directions: Directions, sign: int, sweeps: bool) -> Walks:
    """Return flags for the directions that one sweep aggregates; ``sign`` -1: the sweep upwards."""
    steps = ((1, 0), (0, 1), (1, 1), (-1, 1))
    across, down, falling, rising = ((sign * dx, sign * dy) in directions for dx, dy in steps)
    return Walks(across, down and not sweeps, falling, rising, down and sweeps)


@lru_cache(maxsize=16)
def _large_penalties(p1: int, p2: int, adaptation: int) -> Uint16:
    return np.array([large_penalty(p1, p2, adaptation, g) for g in range(256)], np.uint16)
