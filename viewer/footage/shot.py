"""A shot: one frame of a live source, decoded."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Shot:
    """One frame of a live source.

    Attributes:
        pixels: (H, W) grey levels or (H, W, 3) RGB.
        time: seconds of ``time.monotonic`` at which it was taken, as far as its stamps tell.
        period: seconds from one frame to the next; 0 while that is not known.
    """

    pixels: NDArray[np.uint8]
    time: float
    period: float = 0.0
