"""Search hierarchically on the GPU, storing only the costs of blocks that tiles search."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, declare
from wheatstone.gpu.kernels.kernel import blocks as blocks_of
from wheatstone.gpu.kernels.packed_aggregation import DECLARED
from wheatstone.gpu.kernels.packed_matching import packed_words
from wheatstone.gpu.kernels.path_aggregation import TILES
from wheatstone.gpu.kernels.search_range import ask, halved, part, search_all
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.levels import Level, levels_below
from wheatstone.gpu.pipelines.sgm.params import (
    ADAPTATIONS,
    BLOCK_DISPARITIES,
    DIRECTIONS,
    LARGEST_GRADIENT_COST,
    SEARCH_TILE,
    SUBPIXEL_STEPS,
    fit_place,
    outside_cost,
)

PIXELS = SEARCH_TILE**2
PATH_COSTS: tuple[type[np.generic], ...] = (np.uint8, np.uint16)
WARP, THREADS = 32, 128
LINKS = 4  # of a slot: directions along rows and columns
LINKERS = 8  # threads that link the slots of a tile
SPARSE_TILES_KERNELS = {
    part: declare(
        "sparse_tiles",
        part,
        (arrays, np.uint16),
        scalars,
        THREADS=THREADS,
        LINKERS=LINKERS,
        DIRECTIONS=DECLARED,
        **TILES,
    )
    for part, arrays, scalars in (("", np.uint8, 2), ("links", np.uint16, 3))
}


def sparse_tiles(searched: Array, tables: Array, links: Array) -> None:
    """Launch the kernels that list the blocks of each tile, and link them to neighbouring tiles.

    Args:
        searched: (rows, columns, blocks) flags of tiles.
        tables: (rows, columns, 1 + 2 blocks), written: of each tile the number of blocks that it
            searches, these blocks, and the slot of each block.
        links: (rows, columns, blocks, 4), written: for each slot and each direction along rows and
            columns, where the costs lie that a path brings from the tile before.
    """
    rows, columns, blocks = searched.shape
    count, block = rows * columns, (THREADS,)
    list_kernel, link_kernel = SPARSE_TILES_KERNELS.values()
    list_kernel(blocks_of(block, count * WARP), block, searched, tables, count, blocks)
    grid = blocks_of(block, count * LINKERS)
    link_kernel(grid, block, tables, links, rows, columns, blocks)


SPARSE_MATCHING_KERNELS = {
    (difference, gradient): declare(
        "sparse_matching",
        "",
        (np.uint32, np.uint32, np.uint8, np.uint8, np.uint16, np.uint8),
        5,
        DIFFERENCE=difference,
        GRADIENT=gradient,
        LARGEST_ADDED=LARGEST_GRADIENT_COST,
        **TILES,
    )
    for difference, gradient in (("absolute", False), ("hamming", False), ("hamming", True))
}


def sparse_matching(
    left_words: Array,
    right_words: Array,
    left_slopes: Array,
    right_slopes: Array,
    tile_tables: Array,
    sparse_costs: Array,
    cost: str,
    min_disparity: int,
    gradient: bool,
    outside: int,
) -> None:
    """Launch the kernel that writes the costs of the blocks that tiles search."""
    (height, width), (rows, columns, entries) = left_words.shape, tile_tables.shape
    words = cost != "absolute"
    kernel = SPARSE_MATCHING_KERNELS["hamming" if words else "absolute", gradient and words]
    compared = (left_words, right_words, left_slopes, right_slopes)
    sizes = (height, width, disparities_of(entries), min_disparity)
    last = outside_cost(cost, gradient, outside)
    kernel((columns, rows), (PIXELS,), *compared, tile_tables, sparse_costs, *sizes, last)


def disparities_of(entries: int) -> int:
    """Return the number of disparities, from the number of entries in a tile's table."""
    return BLOCK_DISPARITIES * (entries - 1) // 2


SLOTS = 4  # lanes of a pixel, a block of disparities each
SWEEP_THREADS = 1024


class LineLanes(NamedTuple):
    """The division of rows and columns among the lanes of a warp, for paths along them.

    Attributes:
        slots: lanes of a pixel.
        held: blocks of a lane whose path costs it keeps in registers, at most.
        kept: blocks of a tile whose path costs are kept in shared memory, at most.
    """

    slots: int
    held: int
    kept: int

    @property
    def lines(self) -> int:
        """Return the number of rows or columns that a warp aggregates at a time."""
        return WARP // self.slots

    def shared(self, kept: int) -> int:
        """Return the bytes of shared memory for the path costs of a warp's rows or columns."""
        return 2 * kept * self.lines * 2 * BLOCK_DISPARITIES


IMAGE_LANES = LineLanes(SLOTS, 2, 16)
LOWER_LANES = LineLanes(8, 2, 256), LineLanes(16, 2, 256)
"""Of lower levels: with few blocks, and with more. Some of their tiles search the whole range."""
SPARSE_LINES_KERNELS = {
    (element, lanes): declare(
        "sparse_lines",
        "",
        (np.uint8, np.uint8, np.uint16, np.uint16, np.uint8),
        8,
        PATH_COST=element,
        SLOTS=lanes.slots,
        HELD=lanes.held,
        DIRECTIONS=DECLARED,
        **TILES,
    )
    for element in PATH_COSTS
    for lanes in (IMAGE_LANES, *LOWER_LANES)
}


def _paths_kernel(part: str, element: Any, sweeps: int) -> Kernel:
    return declare(
        "sparse_paths",
        part,
        (np.uint8, np.uint8, np.uint16, np.uint8, *(np.uint16,) * sweeps),
        8,
        PATH_COST=element,
        SLOTS=SLOTS,
        THREADS=SWEEP_THREADS,
        DIRECTIONS=DECLARED,
        **TILES,
    )


SPARSE_PATHS_KERNELS = {element: _paths_kernel("", element, 0) for element in PATH_COSTS}
SPARSE_SWEEP_KERNELS = {element: _paths_kernel("sweep", element, 1) for element in PATH_COSTS}


def sparse_lines(
    left: Array,
    sparse_costs: Array,
    tile_tables: Array,
    tile_links: Array,
    sparse_path_costs: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    directions: Sequence[tuple[int, int]],
    lanes: LineLanes = IMAGE_LANES,
) -> None:
    """Launch the kernel that aggregates costs along rows and columns.

    The directions must be consecutive in ``DIRECTIONS``.
    """
    images = left, sparse_costs, tile_tables, tile_links, sparse_path_costs
    sizes = _sizes(left, tile_tables, p1, p2, p2_adaptation)
    grid = (-(-max(left.shape) // lanes.lines), len(directions))
    kernel = SPARSE_LINES_KERNELS[PATH_COSTS[sparse_path_costs.shape[-1] - 1], lanes]
    kept = max(min(lanes.kept, tile_links.shape[2]), lanes.held * lanes.slots)
    numbers = *sizes, DIRECTIONS.index(directions[0]), kept
    kernel(grid, (WARP,), *images, *numbers, shared=lanes.shared(kept))


def _sizes(
    left: Array, tile_tables: Array, p1: int, p2: int, p2_adaptation: str
) -> tuple[int, ...]:
    disparities = disparities_of(tile_tables.shape[2])
    return (*left.shape, disparities, p1, p2, ADAPTATIONS.index(p2_adaptation))


def sparse_paths(
    left: Array,
    sparse_costs: Array,
    tile_tables: Array,
    tile_links: Array,
    sparse_path_costs: Array,
    sparse_minima: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    directions: Sequence[tuple[int, int]],
    sweeps: bool,
) -> None:
    """Launch the kernels that aggregate the costs of the blocks that tiles search.

    The directions must be consecutive in ``DIRECTIONS``.
    """
    tiles = tile_tables, tile_links
    written = sparse_path_costs, sparse_minima
    rules = p1, p2, p2_adaptation
    _walk_paths(left, sparse_costs, tiles, written, rules, directions, IMAGE_LANES, sweeps=sweeps)


def _walk_paths(
    left: Array,
    sparse_costs: Array,
    tiles: tuple[Array, Array],
    written: tuple[Array, Array],
    rules: tuple[int, int, str],
    directions: Sequence[tuple[int, int]],
    lanes: LineLanes,
    *,
    sweeps: bool,
) -> None:
    """Launch the kernels that aggregate costs along all paths, of the image or a lower level.

    Args:
        tiles: their tables and links.
        written: path costs and, of sweeps, minima.
        rules: P1, P2 and its adaptation.
        lanes: of rows and columns.
    """
    (tables, links), (path_costs, minima) = tiles, written
    images, sizes = (left, sparse_costs, tables, path_costs), _sizes(left, tables, *rules)
    element = PATH_COSTS[path_costs.shape[-1] - 1]
    straight = sum(dy == 0 or (dx == 0 and not sweeps) for dx, dy in directions)
    lines, others = directions[:straight], directions[straight:]
    if lines:
        sparse_lines(left, sparse_costs, tables, links, path_costs, *rules, lines, lanes)
    if others and sweeps:
        grid, block, dy = (len(others),), (SWEEP_THREADS,), others[0][1]
        SPARSE_SWEEP_KERNELS[element](grid, block, *images, minima, *sizes, straight, dy)
    elif others:
        groups, first = -(-left.shape[1] * SLOTS // WARP), DIRECTIONS.index(others[0])
        launch = (groups, len(others)), (WARP,)
        SPARSE_PATHS_KERNELS[element](*launch, *images, *sizes, first, straight)


SPARSE_WINNER_KERNELS = {
    (element, whole): declare(
        "sparse_winner",
        "",
        (np.uint16, np.uint8, np.uint32, np.int16, np.int16, np.uint32),
        7,
        PATH_COST=element,
        WHOLE=whole,
        SUBPIXEL_STEPS=SUBPIXEL_STEPS,
        **TILES,
    )
    for element in PATH_COSTS
    for whole in (False, True)
}


def sparse_winner(
    tile_tables: Array,
    sparse_path_costs: Array,
    right_best: Array,
    winner: Array,
    refined: Array,
    rivals: Array,
    directions: Sequence[tuple[int, int]],
    min_disparity: int,
    subpixel: str,
    lr_check: int,
) -> None:
    """Launch the kernel that chooses disparities from the costs of the searched blocks.

    Without a left-right check it does not compute the right view.
    """
    written = (right_best, winner, refined, rivals)
    numbers = (len(directions), min_disparity, fit_place(subpixel), int(lr_check >= 0))
    _choose(tile_tables, sparse_path_costs, written, numbers, whole=True)


def _choose(
    tile_tables: Array,
    sparse_path_costs: Array,
    written: tuple[Array, Array, Array, Array],
    numbers: tuple[int, int, int, int],
    *,
    whole: bool,
) -> None:
    """Launch the kernel that chooses disparities, for the image itself or a lower level.

    Args:
        written: the right view's best, the winners, and what else ``sparse_winner`` writes.
        numbers: of paths, the first disparity, of the fit, and whether the right view is computed.
        whole: whether more than the winners is written.
    """
    (height, width), (rows, columns, entries) = written[1].shape, tile_tables.shape
    kernel = SPARSE_WINNER_KERNELS[PATH_COSTS[sparse_path_costs.shape[-1] - 1], whole]
    sizes = (height, width, disparities_of(entries))
    grid, images = (columns, rows), (tile_tables, sparse_path_costs)
    kernel(grid, (PIXELS,), *images, *written, *sizes, *numbers)


def packed_search(
    left: Array,
    right: Array,
    searched: Array,
    search_views: Array,
    search_winner: Array,
    search_blocks: Array,
    search_own: Array,
    left_words: Array,
    right_words: Array,
    left_slopes: Array,
    right_slopes: Array,
    right_best: Array,
    tile_tables: Array,
    tile_links: Array,
    sparse_costs: Array,
    sparse_path_costs: Array,
    sparse_minima: Array,
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
    """Launch the kernels of all reduced images, smallest first, in arrays of the full image."""
    (height, width), blocks = left.shape, searched.shape[2]
    top = Level(height, width, min_disparity, BLOCK_DISPARITIES * blocks)
    levels = levels_below(top)
    views = halved(left, right, levels, search_views)
    described = left_words, right_words, left_slopes, right_slopes, right_best
    paths, rules = (sparse_path_costs, sparse_minima), (p1, p2, p2_adaptation)
    search_all(part(search_blocks, 0, levels[-1].tiles) if levels else searched)
    for number in range(len(levels) - 1, -1, -1):
        level, above = levels[number], levels[number - 1] if number else top
        size = (level.height, level.width)
        words, others, slopes, steep, best = (part(flat(each), 0, size) for each in described)
        tables = part(flat(tile_tables), 0, table_shape(level))
        links = part(flat(tile_links), 0, (*level.tiles, LINKS))
        sparse_tiles(part(search_blocks, 0, level.tiles), tables, links)
        packed_words(*views[number], words, others, slopes, steep, best, cost, gradient)
        seen = (words, others, slopes, steep, tables, sparse_costs)
        sparse_matching(*seen, cost, level.first, gradient, outside)
        lanes, view = LOWER_LANES[level.tiles[2] > LOWER_LANES[0].slots], views[number][0]
        _walk_paths(
            view, sparse_costs, (tables, links), paths, rules, directions, lanes, sweeps=sweeps
        )
        winner = part(search_winner, 0, size)
        written = (best, winner, winner, best)
        _choose(tables, sparse_path_costs, written, (len(directions), 0, 0, 0), whole=False)
        target = part(search_blocks, 0, above.tiles) if number else searched
        ask(winner, level, above, target, search_own if search_sides else None, first=not number)
    sparse_tiles(searched, tile_tables, tile_links)


def flat(array: Array) -> Array:
    """Return an array reshaped to one axis."""
    return array.reshape((array.size,))


def table_shape(level: Level) -> tuple[int, int, int]:
    """Return the shape of a level's tile tables: one row of entries for each tile."""
    rows, columns, blocks = level.tiles
    return rows, columns, 1 + 2 * blocks
