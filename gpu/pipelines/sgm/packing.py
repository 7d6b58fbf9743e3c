"""Lay out the work and the arrays of variant `fast` of semi-global matching."""

from collections.abc import Sequence
from typing import Any

STRETCH = 8  # pixels of a row, after which its path costs are kept
FEW_COSTS = 240_000_000  # path costs of an image, at most, that are all kept
SWEEP_THREADS = 256  # of a block of a sweep
LANES = (1, 2, 4, 8, 16, 32)  # that own a pixel, 16 disparities each


def lanes_of(disparities: int) -> int:
    """Count the lanes that own a pixel: the power of two for which all disparities have a place."""
    return next(lanes for lanes in LANES if 16 * lanes >= disparities)


def rows_of(directions: Sequence[tuple[int, int]]) -> int:
    """Count the directions (dx, dy) that run along rows."""
    return sum(dy == 0 for _, dy in directions)


def rows_apart(height: int, width: int, params: Any) -> int:
    """Count the paths along rows of which only stretches' ends are kept: in large images, all.

    Small images have time to write all path costs, but none to walk the rows again.
    """
    costs = params.paths_summed * height * width * params.disparities
    return rows_of(params.directions) if costs > FEW_COSTS else 0


def volumes(height: int, width: int, params: Any) -> int:
    """Count the paths of which all costs are kept."""
    return int(params.paths_summed) - rows_apart(height, width, params)


def stretches(height: int, width: int, params: Any) -> int:
    """Count the stretches of a row."""
    return -(-width // STRETCH)


def sweep_blocks(height: int, width: int, lanes: int) -> int:
    """Count the blocks of a sweep, whose rows are each moved by one column from the row before."""
    return -(-(height + width - 1) * lanes // SWEEP_THREADS)


def sweep_words(height: int, width: int, params: Any) -> int:
    """Count the words that blocks of both sweeps hand over: of two columns, eight a lane."""
    lanes = lanes_of(params.disparities)
    return 2 * sweep_blocks(height, width, lanes) * height * 2 * 8 * lanes if params.sweeps else 1
