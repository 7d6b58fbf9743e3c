"""Invert an image."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint8


@compiled
def invert(left: Uint8, inverted: Uint8) -> None:
    """Write 255 minus the grey level of each pixel.

    Args:
        left: (H, W) grey levels.
        inverted: (H, W) their negative, written.
    """
    height, width = left.shape
    for y in range(height):
        for x in range(width):
            inverted[y, x] = 255 - left[y, x]
