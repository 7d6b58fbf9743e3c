"""Random colours of decoded video, unlike a camera's, to compare variants."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.nv12.coefficients import MATRICES, coefficients
from wheatstone.gpu.pipelines.nv12.images import COEFFICIENTS


def random_colours(random: np.random.Generator, height: int, width: int) -> dict[str, NDArray[Any]]:
    """Draw the chroma planes of both views, and the coefficients to convert them."""
    matrix = list(MATRICES)[random.integers(len(MATRICES))]
    full_range = bool(random.integers(2))
    found: dict[str, NDArray[Any]] = {COEFFICIENTS: coefficients(matrix, full_range=full_range)}
    for name in ("left_chroma", "right_chroma"):
        shape = NV12.image(name).shape(height, width, NV12.params())
        found[name] = random.integers(0, 256, shape, np.uint8)
    return found
