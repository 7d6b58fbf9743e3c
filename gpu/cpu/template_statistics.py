"""Sum the template's grey levels and their squares, for correlation.

Computes gpu.reference.template_statistics.
"""

import numpy as np

from wheatstone.gpu.image import Int64, Uint8
from wheatstone.gpu.pipelines.ncc.params import Region


def template_statistics(left: Uint8, template_sums: Int64, template: Region) -> None:
    """Write the sums of the template's grey levels and of their squares."""
    x, y, width, height = template
    pattern = left[y : y + height, x : x + width]
    counts = np.bincount(pattern.ravel(), minlength=256)
    greys = np.arange(256)
    template_sums[:] = counts @ greys, counts @ greys**2
