"""How variant `fast` of semi-global matching lays out its work and its arrays."""

LANES = (1, 2, 4, 8, 16, 32)  # that own a pixel, 16 disparities each


def lanes_of(disparities: int) -> int:
    """Lanes that own a pixel: the power of two for which all disparities have a place."""
    return next(lanes for lanes in LANES if 16 * lanes >= disparities)
