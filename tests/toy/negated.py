"""The negative."""

from wheatstone.gpu.pipeline import Array


def negated(left: Array, out: Array) -> None:
    """Subtract each pixel from 255."""
    out[:] = 255 - left
