"""Bright pixels."""

from wheatstone.gpu.pipeline import Array


def edges(image: Array, out: Array, threshold: int) -> None:
    """Mark the pixels from a grey level on."""
    out[:] = (image >= threshold) * 255
