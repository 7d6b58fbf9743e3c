"""Winner-takes-all of the right view: hand-worked diagonals, then ties and borders."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.reference.disparity import right_winner_takes_all


def right_winners(sums: Any, min_disparity: int = 0) -> NDArray[np.int16]:
    volume = np.array(sums, np.uint16)
    winner = np.full(volume.shape[:2], -9, np.int16)
    right_winner_takes_all(volume, winner, min_disparity)
    return winner


SUMS = [[[5, 1, 9], [4, 2, 3], [7, 8, 0]]]


def test_sums_are_compared_along_the_diagonal() -> None:
    # x = 0: S(0, 0) = 5, S(1, 1) = 2, S(2, 2) = 0.  x = 1: S(1, 0) = 4, S(2, 1) = 8.  x = 2: 7.
    assert right_winners(SUMS).tolist() == [[2, 0, 0]]


def test_a_negative_first_disparity_looks_to_the_left() -> None:
    # x = 0: only S(0, 2) = 9.  x = 1: S(0, 1) = 1, S(1, 2) = 3.  x = 2: S(0, 0) = 5, S(1, 1) = 2,
    # S(2, 2) = 0.
    assert right_winners(SUMS, -2).tolist() == [[2, 1, 2]]


def test_of_equal_sums_the_lowest_disparity_wins() -> None:
    assert right_winners([[[6, 0, 0], [0, 6, 0], [0, 0, 6]]]).tolist() == [[0, 0, 0]]
    assert right_winners([[[7, 0, 0], [0, 6, 0], [0, 0, 6]]])[0, 0] == 1


@pytest.mark.parametrize("min_disparity", [3, -5])
def test_a_right_pixel_without_candidates_has_none(min_disparity: int) -> None:
    assert right_winners(SUMS, min_disparity).tolist() == [[-1, -1, -1]]


def test_only_some_right_pixels_may_have_candidates() -> None:
    # x = 0: S(2, 0).  x = 1 and 2: left pixels 3 and 4, beyond the image.
    assert right_winners(SUMS, 2).tolist() == [[0, -1, -1]]


@pytest.mark.parametrize("min_disparity", [-7, 0, 4])
def test_right_winners_are_the_smallest_of_their_candidates(min_disparity: int) -> None:
    sums = np.random.default_rng(7).integers(0, 9, (3, 11, 16), np.uint16)
    for (y, x), winner in np.ndenumerate(right_winners(sums, min_disparity)):
        lefts = {d: x + min_disparity + d for d in range(16)}
        candidates = [(int(sums[y, at, d]), d) for d, at in lefts.items() if 0 <= at < 11]
        assert winner == min(candidates, default=(0, -1))[1]
