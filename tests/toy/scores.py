"""Difference from the mean of a rectangle."""

from wheatstone.gpu.pipeline import Array


def scores(left: Array, searched: Array, out: Array, template: tuple[int, int, int, int]) -> None:
    """Subtract the mean of the left image's rectangle from the image searched; black is NaN."""
    x, y, width, height = template
    out[:] = (searched - left[y : y + height, x : x + width].mean()) / 255
    out[searched == 0] = float("nan")
