"""Shots: frames of live sources, decoded, and what one or two devices saw at one time."""

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


@dataclass(frozen=True, eq=False)
class Pictures:
    """What one or two devices saw at one time.

    Attributes:
        shots: one, or the left and the right one.
        skew: milliseconds from the left one to the right one; None for a single one.
    """

    shots: tuple[Shot, ...]
    skew: float | None = None

    @property
    def left(self) -> NDArray[np.uint8]:
        """Look up the pixels of the left device, or of the single one."""
        return self.shots[0].pixels

    @property
    def right(self) -> NDArray[np.uint8] | None:
        """Look up the pixels of the right device; None for a single one."""
        return self.shots[1].pixels if len(self.shots) > 1 else None
