"""Choose the disparities that tiles search, with the results of gpu.reference.search_range."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.cpu.descriptors import census_transform, horizontal_gradient
from wheatstone.gpu.cpu.disparity import find_winner
from wheatstone.gpu.cpu.matching_cost import matching_cost
from wheatstone.gpu.cpu.path_aggregation import sparse_aggregation
from wheatstone.gpu.image import Int16, Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import BLOCK_DISPARITIES
from wheatstone.gpu.reference import search_range as specified
from wheatstone.gpu.reference.search_range import FIRST_LEVEL, SearchRules, choose_blocks

searched_count = specified.searched_count


def searched_blocks(
    left: Uint8,
    right: Uint8,
    searched: Uint8,
    cost: str,
    min_disparity: int,
    gradient: bool,
    outside: int,
    p1: int,
    p2: int,
    p2_adaptation: str,
    search_sides: bool,
    directions: Sequence[tuple[int, int]],
    sweeps: bool,
) -> None:
    """Write a flag for each tile and block of disparities: 1 if the tile searches the block."""
    penalties = (p1, p2, p2_adaptation)
    compared = (cost, min_disparity, gradient, outside)
    rules = SearchRules(*compared, *penalties, directions, sweeps, search_sides)
    choose_blocks(left, right, searched, rules, FIRST_LEVEL, winners)


def winners(left: Uint8, right: Uint8, searched: Uint8, rules: SearchRules) -> Int16:
    """Compute the index of each pixel's best disparity at one level of a hierarchical search."""
    shape = (*left.shape, BLOCK_DISPARITIES * searched.shape[2])
    described: tuple[Any, Any] = (left, right)
    slopes = np.empty_like(left), np.empty_like(left)
    if rules.cost != "absolute":
        described = np.empty(left.shape, np.uint32), np.empty(left.shape, np.uint32)
        census_transform(left, right, *described, rules.cost)
    if rules.gradient:
        horizontal_gradient(left, right, *slopes)
    costs, sums = np.empty(shape, np.uint8), np.empty(shape, np.uint16)
    matching_cost(
        *(*described, *slopes, costs),
        rules.cost,
        rules.min_disparity,
        rules.gradient,
        rules.outside,
    )
    penalties = (rules.p1, rules.p2, rules.p2_adaptation)
    sparse_aggregation(left, costs, searched, sums, *penalties, rules.directions, rules.sweeps)
    winner = np.empty(left.shape, np.int16)
    on_rows(shape[0], _choose, sums, winner)
    return winner


@compiled
def _choose(sums: Uint16, winner: Int16, top: int, bottom: int) -> None:
    for y in range(top, bottom):
        for x in range(sums.shape[1]):
            winner[y, x] = find_winner(sums[y, x])
