"""Template statistics: sums by hand, then NumPy's."""

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.ncc.params import Region
from wheatstone.gpu.reference.correlation import template_statistics


def sums_of(left: NDArray[np.uint8], template: Region) -> list[int]:
    template_sums = np.empty(2, np.int64)
    template_statistics(left, template_sums, template)
    return [int(value) for value in template_sums]


def test_the_template_is_summed_and_nothing_beside_it() -> None:
    left = np.full((5, 6), 255, np.uint8)
    left[1:4, 2:5] = [[1, 2, 3], [0, 0, 0], [0, 0, 4]]
    assert sums_of(left, (2, 1, 3, 3)) == [10, 30]


@pytest.mark.parametrize("template", [(0, 0, 300, 300), (3, 290, 256, 7), (299, 0, 1, 300)])
def test_the_sums_are_numpys(template: Region) -> None:
    left = np.random.default_rng(3).integers(0, 256, (300, 300)).astype(np.uint8)
    x, y, width, height = template
    part = left[y : y + height, x : x + width].astype(np.int64)
    assert sums_of(left, template) == [part.sum(), (part**2).sum()]


def test_squares_beyond_32_bits_are_summed() -> None:
    left = np.full((400, 400), 255, np.uint8)
    assert sums_of(left, (0, 0, 400, 400)) == [160000 * 255, 160000 * 255**2]
