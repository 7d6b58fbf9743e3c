"""Choose edge thresholds from the image on all cores.

Computes gpu.reference.automatic_thresholds.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import on_all_cores, shares
from wheatstone.gpu.cpu.rows import fill
from wheatstone.gpu.image import Int32, Uint8
from wheatstone.gpu.pipelines.canny.params import GAIN, HISTOGRAM_BINS
from wheatstone.gpu.reference.automatic_thresholds import choose_levels


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
    """Count histograms of shares of the rows, add them, and choose the thresholds."""
    images: dict[str, NDArray[Any]] = dict(median=blurred, otsu=suppressed, quantile=magnitude)
    counted = images[thresholds]
    width = 1 if thresholds == "median" else GAIN[aperture]
    rows = list(shares(counted.shape[0]))
    counts = np.empty((len(rows), HISTOGRAM_BINS), np.int32)
    first = 1 if thresholds == "otsu" else 0
    on_all_cores(
        [partial(_count, counted, counts[i], width, first, *row) for i, row in enumerate(rows)]
    )
    counts.sum(axis=0, out=histogram)
    choose_levels(histogram, levels, thresholds, aperture, convention)


@compiled
def _count(
    counted: NDArray[Any], counts: Int32, width: int, first: int, top: int, bottom: int
) -> None:
    """Count the values from ``first`` on, in bins of a given width."""
    fill(counts, 0)
    for y in range(top, bottom):
        for x in range(counted.shape[1]):
            if counted[y, x] >= first:
                counts[counted[y, x] // width] += 1
