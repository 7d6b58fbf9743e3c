"""Ticks and limits for the axes of plots, at round numbers."""

import math
from collections.abc import Sequence


def nice_ticks(longest: float, most: int = 6) -> list[float]:
    """List round numbers from 0 up to a length, in steps of 1, 2 or 5 times a power of ten.

    Empty for a length that is not positive.
    """
    if longest <= 0:
        return []
    exponent = -9
    steps = (base * 10.0**e for e in range(exponent, 12) for base in (1, 2, 5))
    step = next(step for step in steps if longest / step < most)
    return [n * step for n in range(int(longest / step + 1e-9) + 1)]


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Return powers of ten around positive numbers, a decade or more apart; 1 and 10 for none."""
    if not values:
        return 1.0, 10.0
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    return 10.0**low, 10.0**high


def decade_ticks(low: float, high: float, most: int) -> tuple[list[float], list[str]]:
    """List the powers of ten in a range and their labels, ``most`` of them, evenly thinned out."""
    first, last = round(math.log10(low)), round(math.log10(high))
    every = -(-(last - first + 1) // most)
    powers = range(first, last + 1, every)
    return [10.0**power for power in powers], [f"{10.0**power:g}" for power in powers]
