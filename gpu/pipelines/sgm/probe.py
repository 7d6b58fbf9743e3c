"""Compute how one pixel gets its disparity: costs, path costs, sums, and checks.

Nothing of a frame is kept for this. The probe computes a pixel's costs again, by the functions of
the reference, from the pixels before it on its paths; so the numbers are those of every variant,
also of variants that never hold them in memory. The functions are imported by the names of their
stages, as for a variant.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import Int16, Uint8, Uint16
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.curves import (
    FITS,
    CostParts,
    CostVerdict,
    Curves,
    Fit,
    RayViews,
    Rules,
)
from wheatstone.gpu.pipelines.sgm.params import (
    ABSENT,
    ADAPTATIONS,
    SUBPIXEL_STEPS,
    SgmParams,
    is_hierarchical,
    outside_cost,
    uses_census,
    uses_gradient,
)
from wheatstone.gpu.pipelines.sgm.stages import SEARCH_RULES
from wheatstone.gpu.steps import function_of

Report = Callable[[float, str], None]
FIRST_PATH, LAST_PATH = 0.2, 0.9  # shares of a pixel's costs that are done around its paths
PATH = 0.01  # share of a path, except of the first one, for which functions are compiled
REASONS = SGM.image("invalid_reason").labels


def _specified(stage: str) -> Callable[..., None]:
    return function_of(SGM.variant("reference").package, stage)


class SgmProbe:
    """A probe that computes how single pixels of one frame get their disparity, in any thread.

    Args:
        left, right: (H, W) grey levels; only read, and must not change meanwhile.
    """

    def __init__(self, params: SgmParams, left: Uint8, right: Uint8) -> None:
        self.params = params
        self.height, self.width = left.shape
        words, gradient = uses_census(params), uses_gradient(params)
        self._views = RayViews(left, left, right, left, right, np.empty((0, 0, 0), np.uint8))
        cpu = SGM.variant("cpu").package
        if words:
            left_words, right_words = np.empty((2, *left.shape), np.uint32)
            function_of(cpu, "census_transform")(left, right, left_words, right_words, params.cost)
            self._views = self._views._replace(
                left_descriptor=left_words, right_descriptor=right_words
            )
        if gradient:
            slopes = np.empty((2, *left.shape), np.uint8)
            function_of(cpu, "horizontal_gradient")(left, right, *slopes)
            self._views = self._views._replace(left_gradient=slopes[0], right_gradient=slopes[1])
        if is_hierarchical(params):
            shape = SGM.image("searched").shape(self.height, self.width, params)
            searched = np.empty(shape, np.uint8)
            rules = (getattr(params, name) for name in SEARCH_RULES)
            function_of(cpu, "searched_blocks")(left, right, searched, *rules)
            self._views = self._views._replace(searched=searched)
        outside = outside_cost(params.cost, params.gradient, params.outside)
        adaptation = ADAPTATIONS.index(params.p2_adaptation)
        penalties = (params.p1, params.p2, adaptation)
        self._rules = Rules(params.min_disparity, outside, words, gradient, *penalties)

    def curves(self, row: int, column: int, report: Report = lambda share, step: None) -> Curves:
        """Compute the costs of a pixel of the left view, and the disparity chosen from them.

        Args:
            report: called with the progress, from 0 to 1, and the next step.

        Raises:
            ValueError: the pixel lies outside the image.
        """
        if not (0 <= row < self.height and 0 <= column < self.width):
            size = f"{self.width} x {self.height}"
            raise ValueError(f"row {row}, column {column} lies outside the image of {size}")
        params = self.params
        report(FIRST_PATH / 2, "matching costs")
        costs = np.empty(params.disparities, np.uint8)
        _specified("pixel_costs")(self._views, self._rules, row, column, costs)
        path_costs = self._path_costs(row, column, report=report)[:, 0]
        report(LAST_PATH, "choice of the disparity")
        sums = _summed(path_costs)
        winner, refined, margin, unique = self._chosen(sums)
        return Curves(
            row,
            column,
            params.min_disparity,
            costs,
            self._parts(row, column),
            params.directions,
            path_costs,
            sums,
            winner,
            _rival(sums, winner),
            margin,
            params.uniqueness,
            unique,
            refined,
            _fit(sums, winner, params.subpixel),
        )

    def _parts(self, row: int, column: int) -> CostParts:
        params = self.params
        compared, gradient = np.empty((2, params.disparities), np.uint8)
        _specified("cost_parts")(self._views, self._rules, row, column, compared, gradient)
        partners = column - params.min_disparity - np.arange(params.disparities)
        outside = (partners < 0) | (partners >= self.width)
        bits = params.census_bits if self._rules.words else 0
        return CostParts(bits, compared, gradient if self._rules.gradient else None, outside)

    def _chosen(self, sums: Uint16) -> tuple[int, int, int, bool]:
        """Compute a pixel's winner, its refined disparity, its margin, and whether it is unique."""
        params, volume = self.params, sums.reshape(1, 1, -1)
        margin = np.empty((1, 1), np.uint16)
        winner, refined, unique = np.empty((3, 1, 1), np.int16)
        self._refine(volume, winner, refined)
        _specified("winner_margin")(volume, winner, margin)
        limits = (params.min_disparity, params.uniqueness)
        _specified("uniqueness_check")(refined, volume, winner, unique, *limits)
        kept = bool(unique[0, 0] == refined[0, 0])
        return int(winner[0, 0]), int(refined[0, 0]), int(margin[0, 0]), kept

    def _refine(self, sums: Uint16, winner: Int16, refined: Int16) -> None:
        _specified("winner_takes_all")(sums, winner)
        limits = (self.params.min_disparity, self.params.subpixel)
        _specified("subpixel_refinement")(sums, winner, refined, *limits)

    def verdict(self, curves: Curves, report: Callable[[float], None]) -> CostVerdict:
        """Check a pixel's disparity as the pipeline does, by its neighbours and its match.

        Args:
            report: called with the progress, from 0 to 1; an exception from it ends the check.
        """
        params, row, column = self.params, curves.row, curves.column
        smoothed = self._smoothed(row, column) if params.median else curves.refined
        partner = column - params.min_disparity - curves.winner
        inside = 0 <= partner < self.width
        checks = params.lr_check >= 0
        right_winner = self._right_winner(row, partner, report) if inside and checks else None
        reason = self._reason(curves, smoothed, partner, right_winner)
        rejected = REASONS[reason] if reason else ""
        return CostVerdict(smoothed, partner, right_winner, params.lr_check, reason, rejected)

    def _reason(self, curves: Curves, smoothed: int, partner: int, right_winner: int | None) -> int:
        """Return why a pixel is rejected, as an index of ``REASONS``; 0 if it is not rejected."""
        params, column = self.params, curves.column
        invalid = (params.min_disparity - 1) * SUBPIXEL_STEPS
        line = np.zeros((4, 1, self.width), np.int16)
        winners, right_winners, unique, filtered = line
        winners[0, column] = curves.winner
        if right_winner is not None:
            right_winners[0, partner] = right_winner
        unique[0, column] = filtered[0, column] = smoothed if curves.unique else invalid
        reason = np.empty((1, self.width), np.uint8)
        limits = (params.min_disparity, params.lr_check)
        _specified("rejection_reason")(winners, right_winners, unique, filtered, reason, *limits)
        return int(reason[0, column])

    def _path_costs(
        self, row: int, column: int, count: int = 1, report: Report = lambda share, step: None
    ) -> Uint16:
        """Compute the aggregated costs of all paths, for pixels of a row: (paths, pixels, D).

        Args:
            column: column of the first of ``count`` pixels.
        """
        params = self.params
        path_costs = np.empty((params.paths_summed, count, params.disparities), np.uint16)
        number = params.paths_summed
        for n, ((dx, dy), costs) in enumerate(zip(params.directions, path_costs, strict=True)):
            share = LAST_PATH - PATH * (number - n) if n else FIRST_PATH
            report(share, f"path {n + 1} of {number}")
            if params.sweeps and dy:
                _specified("sweep_costs")(self._views, self._rules, row, column, dy, costs)
                continue
            for x in range(count):
                at = row, column + x
                _specified("ray_costs")(self._views, self._rules, *at, dx, dy, costs[x])
        return path_costs

    def _smoothed(self, row: int, column: int) -> int:
        """Compute the median of the refined disparities around a pixel, in 1/16 pixel."""
        rows, columns = (
            [min(max(place + step, 0), length - 1) for step in (-1, 0, 1)]
            for place, length in ((row, self.height), (column, self.width))
        )
        first, count = columns[0], columns[-1] - columns[0] + 1
        offsets = [x - first for x in columns]
        sums = {y: _summed(self._path_costs(y, first, count))[offsets] for y in set(rows)}
        winner, refined, smoothed = np.empty((3, 3, 3), np.int16)
        self._refine(np.array([sums[y] for y in rows]), winner, refined)
        _specified("median_filter")(refined, smoothed)
        return int(smoothed[1, 1])

    def _right_winner(self, row: int, column: int, report: Callable[[float], None]) -> int:
        """Compute the index of a right pixel's winner, from the sums of a row's left pixels."""
        begin = column + self.params.min_disparity
        first, last = max(begin, 0), min(begin + self.params.disparities, self.width)
        volume = np.full((1, self.width, self.params.disparities), ABSENT, np.uint16)
        step = last - first if self.params.sweeps else 1  # pixels share most of a sweep
        for x in range(first, last, step):
            report((x - first) / (last - first))
            volume[0, x : x + step] = _summed(self._path_costs(row, x, step))
        right_winner = np.empty((1, self.width), np.int16)
        _specified("right_winner_takes_all")(volume, right_winner, self.params.min_disparity)
        return int(right_winner[0, column])


def _summed(path_costs: Uint16) -> NDArray[Any]:
    return np.minimum(np.sum(path_costs, axis=0, dtype=np.uint32), ABSENT).astype(np.uint16)


def _rival(sums: Uint16, winner: int) -> int:
    """Return the rival's index: the smallest sum more than one disparity from the winner."""
    away = np.abs(np.arange(sums.size) - winner) > 1
    return int(np.argmin(np.where(away, sums.astype(np.int64), np.iinfo(np.int64).max)))


def _fit(sums: Uint16, winner: int, subpixel: str) -> Fit | None:
    """Return the winner's subpixel fit; None if that is off or a neighbour is not searched."""
    if subpixel == "off" or not 0 < winner < sums.size - 1:
        return None
    below, here, above = (int(value) for value in sums[winner - 1 : winner + 2])
    if max(below, above) == ABSENT:
        return None
    return FITS[subpixel](winner, (below, here, above))
