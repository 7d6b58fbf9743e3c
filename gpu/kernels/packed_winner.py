"""Choose and check disparities on the GPU, from path cost sums packed in registers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, declare
from wheatstone.gpu.kernels.packed_aggregation import DECLARED
from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.packing import LANES, STRETCH, lanes_of
from wheatstone.gpu.pipelines.sgm.params import ADAPTATIONS, MARGIN_STEPS, SUBPIXEL_STEPS, fit_place


def _threads(walks: bool) -> int:
    """Return the threads of a block: 256, or 128 with more registers if it aggregates rows too."""
    return 128 if walks else 256


def _turns(walks: bool) -> int:
    """Return the number of pixels in a tile whose costs the same lanes sum one after another."""
    return STRETCH if walks else 4


def _kernel(
    path_cost: Any, lanes: int, walks: bool, adaptive: bool, sum_bytes: int, paths: int
) -> Kernel:
    arrays = (np.uint32, *(np.uint8,) * 4, np.uint16, np.uint32, np.int16, np.int16, np.uint32)
    return declare(
        "packed_winner",
        "",
        arrays,
        12,
        PATH_COST=path_cost,
        LANES=lanes,
        WALKS=walks,
        ADAPTIVE=adaptive,
        SUM_BYTES=sum_bytes,
        PATHS=paths,
        STRETCH=STRETCH,
        THREADS=_threads(walks),
        SUBPIXEL_STEPS=SUBPIXEL_STEPS,
        DIRECTIONS=DECLARED,
    )


WALKS = ((False, False), (True, False), (True, True))  # and whether a penalty adapts
# Of how many paths all costs are kept, at most: if rows are walked, and if not; beside sweeps.
PATHS = {True: (2, 6), False: (4, 8)}
WITH_SWEEPS = 2
WAYS = (
    *((walks, adaptive, 0, paths) for walks, adaptive in WALKS for paths in PATHS[walks]),
    *((False, False, sum_bytes, WITH_SWEEPS) for sum_bytes in (1, 2)),
)

# By the elements of path costs, the lanes of a pixel, whether rows are walked, with a large penalty
# that adapts, the bytes of a sweep's sums, and how many paths are summed, at most. Nine bits are
# enough for sums of small costs only.
PACKED_WINNER_KERNELS = {
    (path_cost, lanes, *way): _kernel(path_cost, lanes, *way)
    for path_cost in (np.uint8, np.uint16)
    for lanes in LANES
    for way in WAYS
    if path_cost is np.uint8 or way[2] != 1
}


def packed_winner(
    left_steps: Array,
    packed_matches: Array,
    row_costs: Array,
    packed_costs: Array,
    swept_sums: Array,
    swept_ninths: Array,
    right_best: Array,
    winner: Array,
    refined: Array,
    rivals: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    directions: Sequence[tuple[int, int]],
    min_disparity: int,
    subpixel: str,
    lr_check: int,
) -> None:
    """Launch the kernel that chooses and checks disparities.

    Without a left-right check it does not compute the right view.
    """
    height, width, disparities = packed_matches.shape
    volumes, _, _, _, size = packed_costs.shape
    sweeps, _, _, _, sum_bytes = swept_sums.shape
    lanes, separate = lanes_of(disparities), row_costs.shape[0]
    walks = separate > 0
    adaptive = walks and p2_adaptation != "none"
    most = WITH_SWEEPS if sweeps else next(paths for paths in PATHS[walks] if paths >= volumes)
    way = (walks, adaptive, sum_bytes if sweeps else 0, most)
    kernel = PACKED_WINNER_KERNELS[(np.uint8, np.uint16)[size - 1], lanes, *way]
    images = (left_steps, packed_matches, row_costs, packed_costs, swept_sums, swept_ninths)
    written = (right_best, winner, refined, rivals)
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    walked = directions[:separate]
    paths = ((-1, 0) in walked, (1, 0) in walked, volumes)
    scalars = (min_disparity, fit_place(subpixel), lr_check >= 0)
    sizes, threads = (height, width, disparities), _threads(walks)
    grid = (-(-width // (_turns(walks) * threads // lanes)), height)
    kernel(grid, (threads,), *images, *written, *sizes, *penalties, *paths, *scalars)


packed_checks = PerPixel(
    SGM, "packed_checks", block=(32, 4), pixels=4, SUBPIXEL_STEPS=SUBPIXEL_STEPS
)
packed_confidence = PerPixel(SGM, "packed_confidence", MARGIN_STEPS=MARGIN_STEPS)
packed_reason = PerPixel(SGM, "packed_reason", SUBPIXEL_STEPS=SUBPIXEL_STEPS)
