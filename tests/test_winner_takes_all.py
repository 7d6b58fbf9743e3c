"""Winner-takes-all: hand-worked winners, then ties."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.reference.disparity import winner_takes_all


def winners(sums: Any) -> NDArray[np.int16]:
    volume = np.array(sums, np.uint16)
    winner = np.full(volume.shape[:2], -9, np.int16)
    winner_takes_all(volume, winner)
    return winner


def test_the_smallest_sum_wins() -> None:
    sums = [[[3, 1, 2], [0, 5, 5]], [[9, 8, 7], [40000, 39999, 65535]]]
    assert winners(sums).tolist() == [[1, 0], [2, 1]]


@pytest.mark.parametrize(
    ("sums", "lowest"), [([4, 4, 4], 0), ([5, 4, 4], 1), ([4, 5, 4], 0), ([6, 5, 5], 1)]
)
def test_of_equal_sums_the_lowest_disparity_wins(sums: list[int], lowest: int) -> None:
    assert winners([[sums]]).tolist() == [[lowest]]


def test_nothing_before_the_winner_is_as_small_and_nothing_after_it_smaller() -> None:
    sums = np.random.default_rng(6).integers(0, 9, (7, 11, 16), np.uint16)
    for (y, x), d in np.ndenumerate(winners(sums)):
        assert (sums[y, x, :d] > sums[y, x, d]).all()
        assert (sums[y, x, d:] >= sums[y, x, d]).all()
