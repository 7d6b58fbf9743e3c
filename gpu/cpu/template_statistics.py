"""Sum what correlation needs to know about the template alone.

Computes gpu.reference.template_statistics.
"""

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.ncc.params import Region


def template_statistics(
    left: NDArray[np.uint8], template_sums: NDArray[np.int64], template: Region
) -> None:
    """Write both sums."""
    x, y, width, height = template
    pattern = left[y : y + height, x : x + width]
    counts = np.bincount(pattern.ravel(), minlength=256)
    greys = np.arange(256)
    template_sums[:] = counts @ greys, counts @ greys**2
