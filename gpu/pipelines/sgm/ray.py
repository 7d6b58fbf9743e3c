"""Hold the images and parameters that determine the costs of one pixel and its paths."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import Uint8


class RayViews(NamedTuple):
    """Hold the images that are read to compute one pixel's costs along a path.

    Attributes:
        left: (H, W) grey levels of the left view.
        left_descriptor, right_descriptor: (H, W) grey levels or census words that are compared.
        left_gradient, right_gradient: (H, W) gradients compared in addition to words, or unused.
    """

    left: Uint8
    left_descriptor: NDArray[np.uint8 | np.uint32]
    right_descriptor: NDArray[np.uint8 | np.uint32]
    left_gradient: Uint8
    right_gradient: Uint8


class Rules(NamedTuple):
    """Hold the parameters of ``matching_cost`` and ``path_aggregation``.

    Attributes:
        outside: the cost of a right pixel outside the image.
        words: whether descriptors are census words.
        gradient: whether gradients are compared in addition.
        adaptation: index in ``ADAPTATIONS``.
    """

    min_disparity: int
    outside: int
    words: bool
    gradient: bool
    p1: int
    p2: int
    adaptation: int
