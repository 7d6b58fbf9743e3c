"""Edge seeds: levels, and the published slip of one row."""

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.reference.edges import edge_seeds


def seeds(
    suppressed: NDArray[np.int32], weak: int, strong: int, convention: str
) -> NDArray[np.uint8]:
    marked = np.full(suppressed.shape, 77, np.uint8)
    edge_seeds(suppressed, np.array([weak, strong], np.int32), marked, convention)
    return marked


def test_magnitudes_are_weak_and_strong_from_their_levels_on() -> None:
    magnitudes = np.array([[0, 44, 45, 49, 50, 1000]], np.int32)
    assert seeds(magnitudes, 45, 50, "opencv").tolist() == [[0, 0, 128, 128, 255, 255]]


@pytest.mark.parametrize("convention", ["aveiro-2015", "aveiro-2025"])
def test_aveiro_never_starts_in_the_last_but_one_row(convention: str) -> None:
    expected = np.zeros((6, 5), np.uint8)
    expected[1:4, 1:-1] = 255
    expected[0, 1:-1] = (
        255  # the row where the published program begins; empty unless the level is 0
    )
    expected[4, 1:-1] = 128
    strong = np.full((6, 5), 90, np.int32)
    assert np.array_equal(seeds(strong, 45, 50, convention), expected)


@pytest.mark.parametrize("convention", ["aveiro-2015", "aveiro-2025"])
def test_a_level_of_zero_takes_every_pixel_inside(convention: str) -> None:
    nothing = np.zeros((5, 5), np.int32)
    assert np.count_nonzero(seeds(nothing, 0, 0, convention)) == 12
    assert np.count_nonzero(seeds(nothing, 0, 1, convention)) == 9
