"""Write thresholds given by the user into an array on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import least_magnitude

KERNELS = {"manual": declare("manual_thresholds", "", (np.int32,))}


def manual_thresholds(levels: Array, low: int, high: int, convention: str) -> None:
    """Launch the kernel that writes the two thresholds."""
    weak, strong = least_magnitude(low, convention), least_magnitude(high, convention)
    KERNELS["manual"]((1,), (1,), levels, weak, strong)
