"""Choose the disparities that a hierarchical search compares, and count them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import (
    BLOCK_DISPARITIES,
    SEARCH_TILE,
    lower_range,
    searched_in_full,
)
from wheatstone.gpu.reference.descriptors import census_transform, horizontal_gradient
from wheatstone.gpu.reference.disparity import path_sum, winner_takes_all
from wheatstone.gpu.reference.matching_cost import matching_cost
from wheatstone.gpu.reference.path_aggregation import sparse_aggregation

MARGIN = 2  # disparities searched on either side of the two that a winner at half size stands for


class SearchRules(NamedTuple):
    """The parameters of a level of a hierarchical search.

    Attributes:
        sides: whether a tile also searches what two opposite neighbours search.
    """

    cost: str
    min_disparity: int
    gradient: bool
    outside: int
    p1: int
    p2: int
    p2_adaptation: str
    directions: Sequence[tuple[int, int]]
    sweeps: bool
    sides: bool


class Votes(NamedTuple):
    """The rule by which a tile selects blocks of disparities from winners of the level below.

    Attributes:
        needed: pixels of a window that must have a winner.
        reach: pixels by which the window is larger than the tile, on each side.
    """

    needed: int
    reach: int


FIRST_LEVEL, LOWER_LEVELS = Votes(6, 2), Votes(1, 4)
Winners = Callable[[Uint8, Uint8, Uint8, SearchRules], Int16]


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
    """Write the blocks of eight disparities that each tile of 16 x 16 pixels searches.

    Tile (j, i) has rows 16 j to 16 j + 15 and columns 16 i to 16 i + 15; the last ones may be cut
    off by the image. Block b has the indices d = 8 b to 8 b + 7. All numbers are integers, / rounds
    down, also below 0.

    An image with D disparities is a level. It is searched in full if D <= 32 or if a side is below
    32 pixels: every block of every tile is written 1. Otherwise the level below is matched first:

    1. Its views are half as large, sides rounded down. The grey level in row y and column x is
       (a + b + c + d + 2) / 4, of the pixels in rows 2 y and 2 y + 1, columns 2 x and 2 x + 1.
    2. Its first disparity is f = min_disparity / 2. Its last one is
       (min_disparity + D - 1) / 2, but their number is rounded up to a multiple of 16.
    3. Its own blocks are chosen by this rule, from the level below it and so on. Then its costs are
       computed, aggregated and summed as those of the image, with the same parameters, by
       ``sparse_aggregation`` where not all blocks are searched. Its winner is the index w with the
       smallest sum, of several the lowest; nothing is checked or filtered.

    With (h, w) the size of the level below, the window of tile (j, i) has rows
    min(8 j, h - 8) - reach to min(8 j, h - 8) + 7 + reach, and columns alike, as far as they lie in
    the image. For the full image ``reach`` is 2 and six pixels are ``needed``; for a level below it
    ``reach`` is 4 and one pixel is ``needed``.

    4. Each index w that is the winner of at least ``needed`` pixels of the window is wanted; if
       there is none, each that is a winner there.
    5. A wanted w asks for the disparities 2 (f + w) - 2 to 2 (f + w) + 3, as far as they lie in the
       range of this level. A block is searched if one of its disparities is asked for. Blocks
       between two that are searched are not.
    6. If nothing in the range is asked for, which can be since the range below is rounded up, the
       last block is searched.
    7. With ``search_sides``, each level adds to a tile every block that two opposite neighbours
       have after step 6: left and right, above and below, or on a diagonal. Of a pair outside the
       image nothing is added.

    Args:
        left, right: (H, W) grey levels.
        searched: (H / 16, W / 16, D / 8), the sides rounded up: 1 if a block is searched, else 0;
            written.
        search_sides: whether step 7 is done.
        directions, sweeps: of the paths that are summed; the others as for ``matching_cost`` and
            ``path_aggregation``.
    """
    penalties = (p1, p2, p2_adaptation)
    compared = (cost, min_disparity, gradient, outside)
    rules = SearchRules(*compared, *penalties, directions, sweeps, search_sides)
    choose_blocks(left, right, searched, rules, FIRST_LEVEL, _winners)


def choose_blocks(
    left: Uint8, right: Uint8, searched: Uint8, rules: SearchRules, votes: Votes, winners: Winners
) -> None:
    """Write the blocks that tiles of a level search, from the winners of the level below it.

    Args:
        winners: computes the winners of a level from its views, its blocks and its rules.
    """
    (height, width), disparities = left.shape, BLOCK_DISPARITIES * searched.shape[2]
    if searched_in_full(height, width, disparities):
        searched[...] = 1
        return
    first, count = lower_range(rules.min_disparity, disparities)
    half_left, half_right = half_size(left), half_size(right)
    blocks = np.empty(blocks_shape(height // 2, width // 2, count), np.uint8)
    below = rules._replace(min_disparity=first)
    choose_blocks(half_left, half_right, blocks, below, LOWER_LEVELS, winners)
    winner = winners(half_left, half_right, blocks, below)
    ask(winner, searched, first, rules.min_disparity, *votes)
    if rules.sides:
        add_sides(searched.copy(), searched)


def blocks_shape(height: int, width: int, disparities: int) -> tuple[int, int, int]:
    """Return the numbers of rows of tiles, of tiles in a row, and of blocks of disparities."""
    return -(-height // SEARCH_TILE), -(-width // SEARCH_TILE), disparities // BLOCK_DISPARITIES


@compiled
def half_size(image: Uint8) -> Any:
    """Return an image of half the size; each pixel is the rounded mean of four."""
    height, width = image.shape[0] // 2, image.shape[1] // 2
    half = np.empty((height, width), np.uint8)
    for y in range(height):
        for x in range(width):
            above = int64(image[2 * y, 2 * x]) + int64(image[2 * y, 2 * x + 1])
            below = int64(image[2 * y + 1, 2 * x]) + int64(image[2 * y + 1, 2 * x + 1])
            half[y, x] = (above + below + 2) // 4
    return half


@compiled
def ask(
    winner: Int16, searched: Uint8, first: int, min_disparity: int, needed: int, reach: int
) -> None:
    """Write the blocks that winners of the level below select: steps 4 to 6 of ``searched_blocks``.

    Args:
        winner: (h, w) index of the winning disparity of the level below.
        first, min_disparity: first disparities of the level below and of this one.
    """
    rows, columns, blocks = searched.shape
    height, width = winner.shape
    side, last = SEARCH_TILE // 2, BLOCK_DISPARITIES * blocks - 1
    votes = np.empty(blocks * BLOCK_DISPARITIES // 2 + 17, np.int64)
    for j in range(rows):
        for i in range(columns):
            top, left = min(side * j, height - side), min(side * i, width - side)
            votes[:] = 0
            for y in range(max(top - reach, 0), min(top + side + reach, height)):
                for x in range(max(left - reach, 0), min(left + side + reach, width)):
                    votes[winner[y, x]] += 1
            enough = needed if votes.max() >= needed else 1
            searched[j, i] = 0
            asked = False
            for w in range(votes.size):
                if votes[w] >= enough:
                    d = 2 * (first + w) - min_disparity
                    low, high = max(d - MARGIN, 0), min(d + 1 + MARGIN, last)
                    for block in range(low // BLOCK_DISPARITIES, high // BLOCK_DISPARITIES + 1):
                        if low <= high:
                            searched[j, i, block] = 1
                            asked = True
            if not asked:
                searched[j, i, blocks - 1] = 1


@compiled
def add_sides(own: Uint8, searched: Uint8) -> None:
    """Add to each tile the blocks that two opposite neighbours search (step 7 of the search)."""
    rows, columns, blocks = own.shape
    for j in range(rows):
        for i in range(columns):
            for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
                inside = 0 <= j - dy and j + dy < rows and abs(dx) <= i and i + abs(dx) < columns
                if inside:
                    for b in range(blocks):
                        searched[j, i, b] |= own[j + dy, i + dx, b] & own[j - dy, i - dx, b]


def _winners(left: Uint8, right: Uint8, searched: Uint8, rules: SearchRules) -> Int16:
    """Compute the index of each pixel's best disparity at one level (image size) of the search."""
    (height, width), disparities = left.shape, BLOCK_DISPARITIES * searched.shape[2]
    costs = np.empty((height, width, disparities), np.uint8)
    _compare(left, right, costs, rules)
    path_costs, sums = np.empty((2, height, width, disparities), np.uint16)
    penalties = (rules.p1, rules.p2, rules.p2_adaptation)
    for number, (dx, dy) in enumerate(rules.directions):
        images, sweep = (left, costs, searched, path_costs), rules.sweeps and dy != 0
        sparse_aggregation(*images, *penalties, dx, dy, sweep)
        path_sum(path_costs, sums, number == 0)
    winner = np.empty((height, width), np.int16)
    winner_takes_all(sums, winner)
    return winner


def _compare(left: Uint8, right: Uint8, costs: Uint8, rules: SearchRules) -> None:
    described: tuple[Any, Any] = (left, right)
    slopes = np.empty_like(left), np.empty_like(left)
    if rules.cost != "absolute":
        described = np.empty(left.shape, np.uint32), np.empty(left.shape, np.uint32)
        census_transform(left, right, *described, rules.cost)
    if rules.gradient:
        horizontal_gradient(left, right, *slopes)
    matching_cost(
        *(*described, *slopes, costs),
        rules.cost,
        rules.min_disparity,
        rules.gradient,
        rules.outside,
    )


def searched_count(searched: Uint8, searched_count: Uint16, disparities: int, search: str) -> None:
    """Write the number of disparities that each pixel searches: eight per block of its tile.

    Args:
        searched: (H / 16, W / 16, D / 8), the sides rounded up: 1 where a tile searches a block;
            not read if ``search`` is ``full``.
        searched_count: (H, W) number of disparities, written.
        disparities: D, which every pixel searches if ``search`` is ``full``.
    """
    searched_count[...] = disparities
    if search == "hierarchical":
        height, width = searched_count.shape
        row, column = np.arange(height) // SEARCH_TILE, np.arange(width) // SEARCH_TILE
        counts = BLOCK_DISPARITIES * searched.sum(axis=2, dtype=np.uint16)
        searched_count[...] = counts[row[:, None], column]
