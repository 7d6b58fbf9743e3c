"""Reproducible camera noise."""

import numpy as np
from numpy.typing import NDArray


def with_noise(
    pixels: NDArray[np.uint8], largest: int, random: np.random.Generator
) -> NDArray[np.uint8]:
    """Add noise to every colour of a picture, as the sum of two uniform random numbers.

    Args:
        pixels: (H, W, 3) RGB.
        largest: largest change of a colour in levels; small changes are the most frequent.
    """
    throws = random.integers(0, largest + 1, (2, *pixels.shape), np.uint8)
    noise = throws.sum(axis=0, dtype=np.int16) - np.int16(largest)
    noisy: NDArray[np.uint8] = np.clip(pixels + noise, 0, 255).astype(np.uint8)
    return noisy
