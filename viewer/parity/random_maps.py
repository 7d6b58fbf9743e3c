"""Random rectification maps, unlike a camera's, to compare variants."""

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.rectify.images import FRACTION, OUTSIDE

REACH = 12  # pixels that a place may be away, at most; beyond the border for a few


def random_maps(
    random: np.random.Generator, height: int, width: int
) -> dict[str, NDArray[np.int16]]:
    """Draw a map for each view: most places near their pixel, a tenth anywhere, some outside."""
    return {view: _map(random, height, width) for view in ("left", "right")}


def _map(random: np.random.Generator, height: int, width: int) -> NDArray[np.int16]:
    steps = REACH * FRACTION
    drawn = random.integers(-steps, steps + 1, (height, width, 2), np.int16)
    anywhere = random.random((height, width)) < 0.1
    drawn[anywhere] = random.integers(-(2**15) + 1, 2**15, (int(anywhere.sum()), 2), np.int16)
    drawn[random.random((height, width)) < 0.05] = OUTSIDE
    return drawn
