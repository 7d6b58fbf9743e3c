"""Choose edge thresholds from the image."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int32, Uint8
from wheatstone.gpu.pipelines.canny.params import GAIN, HISTOGRAM_BINS
from wheatstone.gpu.reference.manual_thresholds import manual_thresholds

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
    """Write the least magnitude of a weak pixel and of a strong one, each at least 1.

    Magnitudes are counted in bins as wide as the aperture's gain g = 1, 12, 160 for apertures 3, 5,
    7: by that factor gradients exceed those of aperture 3.

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
    """Write the two levels that a rule chooses from a histogram."""
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
    """Return the first bin of the upper class, or the only bin that is occupied."""
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
