"""How variant `fast` of semi-global matching lays out its work and its arrays."""

from typing import Any

LANES = (1, 2, 4, 8, 16, 32)  # that own a pixel, 16 disparities each


def lanes_of(disparities: int) -> int:
    """Lanes that own a pixel: the power of two for which all disparities have a place."""
    return next(lanes for lanes in LANES if 16 * lanes >= disparities)


def pitch(height: int, width: int, params: Any) -> int:
    """Pixels of a row of descriptors: a multiple of eight, at least three more than the image's."""
    return (width + 3 + 7) // 8 * 8
