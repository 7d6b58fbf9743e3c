"""Choose the disparities that tiles search, on the GPU, from matches at half the size."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from wheatstone.gpu.kernels.disparity import winner_takes_all
from wheatstone.gpu.kernels.kernel import Kernel, blocks, declare
from wheatstone.gpu.kernels.matching_cost import (
    census_transform,
    horizontal_gradient,
    matching_cost,
)
from wheatstone.gpu.kernels.path_aggregation import TILES, path_sum, sparse_aggregation
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.levels import Level, levels_below
from wheatstone.gpu.pipelines.sgm.params import BLOCK_DISPARITIES, MOST_DISPARITIES
from wheatstone.gpu.reference.search_range import FIRST_LEVEL, LOWER_LEVELS, MARGIN, SearchRules

BLOCK, THREADS = (32, 8), 128


def _kernel(part: str, arrays: tuple[Any, ...], scalars: int) -> Kernel:
    most = MOST_DISPARITIES // BLOCK_DISPARITIES
    macros = {"THREADS": THREADS, "MAX_BLOCKS": most, "MARGIN": MARGIN} | TILES
    return declare("searched_blocks", part, arrays, scalars, **macros)


SEARCHED_BLOCKS_KERNELS = {
    "half": _kernel("half", (np.uint8,) * 4, 3),
    "all": _kernel("all", (np.uint8,), 1),
    "ask": _kernel("ask", (np.int16, np.uint8), 7),
    "sides": _kernel("sides", (np.uint8, np.uint8), 1),
}


class Room(NamedTuple):
    """Scratch arrays of a hierarchical search, which its lower levels share, except the views."""

    views: Array
    words: Array
    slopes: Array
    costs: Array
    path_costs: Array
    sums: Array
    winner: Array
    blocks: Array


def part(array: Array, begin: int, shape: tuple[int, ...]) -> Array:
    """Return a part of a flat array, from ``begin`` on, in the given shape."""
    return array[begin : begin + int(np.prod(shape))].reshape(shape)


def searched_blocks(
    left: Array,
    right: Array,
    searched: Array,
    search_views: Array,
    search_words: Array,
    search_slopes: Array,
    search_costs: Array,
    search_path_costs: Array,
    search_sums: Array,
    search_winner: Array,
    search_blocks: Array,
    search_own: Array,
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
    memory: str,
) -> None:
    """Launch the kernels that choose the blocks to search, from the smallest level on."""
    compared, penalties = (cost, min_disparity, gradient, outside), (p1, p2, p2_adaptation)
    rules = SearchRules(*compared, *penalties, directions, sweeps, search_sides)
    volumes = search_costs, search_path_costs, search_sums
    described = search_views, search_words, search_slopes
    room = Room(*described, *volumes, search_winner, search_blocks)
    height, width = left.shape
    top = Level(height, width, min_disparity, BLOCK_DISPARITIES * searched.shape[2])
    levels = levels_below(top)
    views = halved(left, right, levels, search_views)
    search_all(part(search_blocks, 0, levels[-1].tiles) if levels else searched)
    for number in range(len(levels) - 1, -1, -1):
        level, above = levels[number], levels[number - 1] if number else top
        _match(room, views[number], level, rules, memory)
        target = part(search_blocks, 0, above.tiles) if number else searched
        winner = part(search_winner, 0, (level.height, level.width))
        ask(winner, level, above, target, search_own if search_sides else None, first=not number)


def halved(
    left: Array, right: Array, levels: Sequence[Level], room: Array
) -> list[tuple[Array, Array]]:
    """Launch the kernel that halves the views, level by level; return the views of each level."""
    listed, begin, kernel = [(left, right)], 0, SEARCHED_BLOCKS_KERNELS["half"]
    for level in levels:
        size = (level.height, level.width)
        views = part(room, begin, size), part(room, begin + level.view, size)
        grid, width = (*blocks(BLOCK, *size[::-1]), 2), listed[-1][0].shape[1]
        kernel(grid, BLOCK, *listed[-1], *views, *size, width)
        listed.append(views)
        begin += 2 * level.view
    return listed[1:]


def search_all(searched: Array) -> None:
    """Launch the kernel that makes every tile search every block of disparities."""
    count = int(np.prod(searched.shape))
    SEARCHED_BLOCKS_KERNELS["all"](blocks((THREADS,), count), (THREADS,), searched, count)


def ask(
    winner: Array, level: Level, above: Level, searched: Array, own: Array | None, *, first: bool
) -> None:
    """Launch the kernels that select a level's blocks by the winners of the level below.

    Args:
        own: room for the blocks without those of the sides; None: sides do not count.
        first: whether the level is the image itself.
    """
    rows, columns, count = above.tiles
    chosen = searched if own is None else part(own, 0, above.tiles)
    ranges = (level.first, above.first)
    votes = FIRST_LEVEL if first else LOWER_LEVELS
    grid, sizes = (columns, rows), (level.height, level.width, count)
    SEARCHED_BLOCKS_KERNELS["ask"](grid, (THREADS,), winner, chosen, *sizes, *ranges, *votes)
    if own is not None:
        SEARCHED_BLOCKS_KERNELS["sides"](grid, (THREADS,), chosen, searched, count)


def _match(
    room: Room, views: tuple[Array, Array], level: Level, rules: SearchRules, memory: str
) -> None:
    """Launch the kernels that match the views of a level and choose its winners."""
    size, volume = (level.height, level.width), (level.height, level.width, level.disparities)
    words = slopes = views
    if rules.cost != "absolute":
        words = part(room.words, 0, size), part(room.words, level.pixels, size)
        census_transform(*views, *words, rules.cost)
    if rules.gradient:
        slopes = part(room.slopes, 0, size), part(room.slopes, level.pixels, size)
        horizontal_gradient(*views, *slopes)
    costs, path_costs, sums = (part(each, 0, volume) for each in room[3:6])
    matching_cost(
        *(*words, *slopes, costs),
        rules.cost,
        level.first,
        rules.gradient,
        rules.outside,
        memory="global",
    )
    penalties = (rules.p1, rules.p2, rules.p2_adaptation)
    images = views[0], costs, part(room.blocks, 0, level.tiles), path_costs
    for number, (dx, dy) in enumerate(rules.directions):
        sweep = rules.sweeps and dy != 0
        sparse_aggregation(*images, *penalties, dx, dy, sweep, memory=memory)
        path_sum(path_costs, sums, number == 0)
    winner_takes_all(sums, part(room.winner, 0, size))


COUNT_BLOCK = (32, 8)
SEARCHED_COUNT = declare("searched_count", "", (np.uint8, np.uint16), 4, **TILES)


def searched_count(searched: Array, searched_count: Array, disparities: int, search: str) -> None:
    """Launch the kernel that counts the disparities searched by each pixel."""
    height, width = searched_count.shape
    grid, full = blocks(COUNT_BLOCK, width, height), search == "full"
    images = searched, searched_count
    SEARCHED_COUNT(grid, COUNT_BLOCK, *images, height, width, disparities, int(full))
