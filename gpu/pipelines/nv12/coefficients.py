"""Compute integer coefficients for the colour matrix and range of a decoded video."""

import numpy as np

from wheatstone.gpu.image import Int32

COUNT = 6
ONE = 1 << 14  # of the fixed point
MATRICES = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}
"""Shares of red and blue in the brightness, by name."""


def coefficients(matrix: str, *, full_range: bool) -> Int32:
    """Compute the coefficients of the conversion to RGB.

    Args:
        matrix: one of ``MATRICES``.
        full_range: whether brightness lies in 0 to 255, as in MJPEG; if not, in 16 to 235.

    Returns:
        (6,) the brightness of black; then, in 1/16384: the factor of brightness, those of the red
        difference in red, of the blue and the red difference in green, of the blue one in blue.
    """
    red, blue = MATRICES[matrix]
    green = 1 - red - blue
    brightness, difference = (1.0, 1.0) if full_range else (255 / 219, 255 / 224)
    of_red, of_blue = 2 * (1 - red) * difference, 2 * (1 - blue) * difference
    factors = (brightness, of_red, -of_blue * blue / green, -of_red * red / green, of_blue)
    black = 0 if full_range else 16
    return np.array([black, *(round(ONE * factor) for factor in factors)], np.int32)
