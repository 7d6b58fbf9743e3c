"""Sum the aggregated costs of all paths."""

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint16


@compiled
def path_sum(path_costs: Uint16, sums: Uint16, first: bool) -> None:
    """Add the costs of one path to S(y, x, d); the first path overwrites ``sums``.

    Eight paths of at most 255 + 4095 each fit uint16.

    Args:
        path_costs: (H, W, D) aggregated costs L of one path.
        sums: (H, W, D) sums S, written or added to.
        first: whether this is the first path of a frame.
    """
    height, width, disparities = sums.shape
    for y in range(height):
        for x in range(width):
            for d in range(disparities):
                before = 0 if first else int64(sums[y, x, d])
                sums[y, x, d] = before + int64(path_costs[y, x, d])
