"""Choose edge pixels by two thresholds and hysteresis."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int32, Uint8
from wheatstone.gpu.pipelines.canny.params import (
    GAIN,
    HISTOGRAM_BINS,
    STRONG,
    WEAK,
    least_magnitude,
)


def manual_thresholds(levels: Int32, low: int, high: int, convention: str) -> None:
    """Write the smallest magnitudes of weak and of strong pixels, from given thresholds.

    In ``opencv`` a magnitude must exceed its threshold, in ``aveiro-2015`` and ``aveiro-2025`` it
    may equal it.

    Args:
        levels: (2,) the two magnitudes, written.
        low, high: thresholds, in units of the magnitude.

    Source: cv2.Canny; ``first_edges`` and ``hysteresis_edges`` of the course program.
    """
    levels[:] = least_magnitude(low, convention), least_magnitude(high, convention)


NO_EDGE = 2**31 - 1  # a level that no magnitude reaches


def automatic_thresholds(
    blurred: Uint8,
    magnitude: Int32,
    suppressed: Int32,
    levels: Int32,
    histogram: Int32,
    thresholds: str,
    aperture: int,
    convention: str,
) -> None:
    """Write the smallest magnitudes of weak and of strong pixels, chosen by a histogram.

    Each is at least 1. Magnitudes are counted in bins as wide as the aperture's gain g = 1, 12, 160
    for apertures 3, 5, 7: by that factor gradients exceed those of aperture 3.

    - ``median``: with m the median grey level (of an even number of pixels the upper middle one),
      the thresholds are 67 m / 100 g and 133 m / 100 g (both quotients rounded down), exceeded or
      reached as manual ones.
    - ``otsu``: local maxima, by magnitude, fall into two classes at the bin t that makes the
      variance between the classes largest (the lowest such t; both classes occupied): strong are
      the bins above t. Weak are magnitudes from half that, rounded down. If all maxima share a bin,
      they are strong; if there are none, there is no edge. The variance is
      w0 w1 (s1/w1 - s0/w0)^2 in double, with w the number of pixels and s the sum of bins of each
      class.
    - ``quantile``: t is the lowest bin of all pixels' magnitudes such that more than 7 of 10 pixels
      lie in it or below; strong are the bins above t. Weak are magnitudes from 2/5 of that, rounded
      down.

    Args:
        blurred: (H, W) grey levels.
        magnitude, suppressed: (H, W) magnitudes, of all pixels and of local maxima.
        levels: (2,) the two magnitudes, written.
        histogram: (2048,) pixels by grey level, bin of local maximum, or bin of magnitude, written.

    Source: median: A. Rosebrock, "Zero-parameter, automatic Canny edge detection", 2015. otsu:
    N. Otsu, "A Threshold Selection Method from Gray-Level Histograms", 1979. quantile: MathWorks,
    ``edge``.
    """
    images: dict[str, NDArray[Any]] = dict(median=blurred, otsu=suppressed, quantile=magnitude)
    counted = images[thresholds]
    width = 1 if thresholds == "median" else GAIN[aperture]
    bins = counted[counted > 0] if thresholds == "otsu" else counted.reshape(-1)
    histogram[:] = np.bincount(bins // width, minlength=HISTOGRAM_BINS)
    choose_levels(histogram, levels, thresholds, aperture, convention)


def choose_levels(
    histogram: Int32, levels: Int32, thresholds: str, aperture: int, convention: str
) -> None:
    """Write the levels for weak and strong pixels that a rule chooses from a histogram."""
    gain = GAIN[aperture]
    if thresholds == "median":
        grey = quantile_bin(histogram, 1, 2)
        manual_thresholds(levels, 67 * grey // 100 * gain, 133 * grey // 100 * gain, convention)
    elif thresholds == "otsu":
        strong = otsu_bin(histogram) * gain
        levels[:] = (strong // 2, strong) if histogram.any() else NO_EDGE
    else:
        strong = (quantile_bin(histogram, 7, 10) + 1) * gain
        levels[:] = 2 * strong // 5, strong
    np.maximum(levels, 1, out=levels)


@compiled
def quantile_bin(histogram: Int32, numerator: int, denominator: int) -> Any:
    """Return the lowest bin such that more than a fraction of all values lie in it or below."""
    total = histogram.sum()
    below, chosen = 0, 0
    while chosen < histogram.size - 1:
        below += histogram[chosen]
        if denominator * below > numerator * total:
            break
        chosen += 1
    return chosen


@compiled
def otsu_bin(histogram: Int32) -> Any:
    """Return the first bin of the upper class by Otsu's method, or the only occupied bin."""
    total, whole_sum = 0, 0
    for i in range(histogram.size):
        total += histogram[i]
        whole_sum += i * histogram[i]
    lower, lower_sum, largest, chosen = 0, 0, -1.0, 0
    for t in range(histogram.size):
        if lower == 0:
            chosen = t  # until something lies below, everything is the upper class
        lower += histogram[t]
        lower_sum += t * histogram[t]
        if 0 < lower < total:
            upper, upper_sum = total - lower, whole_sum - lower_sum
            difference = upper_sum / upper - lower_sum / lower
            variance = float(lower * upper) * (difference * difference)
            if variance > largest:
                largest, chosen = variance, t + 1
    return chosen


@compiled
def edge_seeds(suppressed: Int32, levels: Int32, seeds: Uint8, convention: str) -> None:
    """Write 255 for strong local maxima, 128 for weak ones, 0 for all other pixels.

    A pixel is weak from the first level on and strong from the second. In ``aveiro-2015`` and
    ``aveiro-2025`` the outermost rows and columns of the image are excluded, with the published
    error: strong pixels are searched one row too high, so those of the last row but one are weak,
    and if the level is 0 those of the first row are strong.

    Args:
        suppressed: (H, W) magnitudes of local maxima.
        levels: (2,) least magnitude of a weak and of a strong pixel.
        seeds: (H, W) 0, 128 or 255, written.

    Source: ``first_edges`` and ``hysteresis_edges`` of the course program; cv2.Canny.
    """
    height, width = suppressed.shape
    margin = 0 if convention == "opencv" else 1
    for y in range(height):
        for x in range(width):
            inside = margin <= x < width - margin
            may_be_weak = inside and margin <= y < height - margin
            may_be_strong = inside and y < height - 2 * margin
            if may_be_strong and suppressed[y, x] >= levels[1]:
                seeds[y, x] = STRONG
            elif may_be_weak and suppressed[y, x] >= levels[0]:
                seeds[y, x] = WEAK
            else:
                seeds[y, x] = 0


KEPT, REJECTED = 2, 1  # strengths of weak pixels; a strong one has 3, no edge 0


@compiled
def hysteresis(seeds: Uint8, edges: Uint8, strength: Uint8) -> None:
    """Mark edges: strong pixels, and weak ones that are connected to a strong one.

    Two pixels that are not 0 are connected if they touch, also by their corners, or if a chain of
    such pixels of any length leads from one to the other. The order of the search does not matter.

    Args:
        seeds: (H, W) 255: strong; 128: weak; 0: no edge.
        edges: (H, W) 255 or 0, written.
        strength: (H, W) 3: strong; 2: weak and kept; 1: weak and rejected; 0: no edge; written.

    Source: Canny 1986, section VII; cv2.Canny.
    """
    height, width = seeds.shape
    pixels = np.empty((height * width, 2), np.int32)  # each pixel is put here once at most
    count = 0
    for y in range(height):
        for x in range(width):
            strong = seeds[y, x] == STRONG
            edges[y, x] = 255 if strong else 0
            strength[y, x] = 3 if strong else REJECTED if seeds[y, x] else 0
            if strong:
                pixels[count] = y, x
                count += 1
    while count > 0:
        count -= 1
        count = _continue(pixels[count, 0], pixels[count, 1], pixels, count, edges, strength)


@compiled
def _continue(y: int, x: int, pixels: Int32, count: int, edges: Uint8, strength: Uint8) -> Any:
    """Mark the weak neighbours of an edge pixel as edges, and append them to ``pixels``."""
    height, width = edges.shape
    for next_y in range(max(y - 1, 0), min(y + 2, height)):
        for next_x in range(max(x - 1, 0), min(x + 2, width)):
            if strength[next_y, next_x] == REJECTED:
                strength[next_y, next_x], edges[next_y, next_x] = KEPT, 255
                pixels[count] = next_y, next_x
                count += 1
    return count
