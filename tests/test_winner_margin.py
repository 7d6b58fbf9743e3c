"""Winner margin: hand-worked ratios, then what it has to do with uniqueness."""

import numpy as np
import pytest

from wheatstone.gpu.reference.checks import uniqueness_check
from wheatstone.gpu.reference.confidence import winner_margin


def margin(sums: list[int], winner: int) -> int:
    """Margin of one pixel, in 1/100 per cent."""
    measured = np.empty((1, 1), np.uint16)
    winner_margin(np.array([[sums]], np.uint16), np.array([[winner]], np.int16), measured)
    return int(measured[0, 0])


@pytest.mark.parametrize(
    ("sums", "winner", "hundredths"),
    [
        ([200, 90, 95, 120], 1, 2500),  # 30 of 120; the 95 beside the winner is no rival
        ([60, 90, 20, 90], 2, 6666),  # 40 of 60, rounded down
        ([7, 9, 9, 7], 0, 0),  # a tie
        ([0, 9, 9, 5], 0, 10000),  # a winner that costs nothing
        ([0, 9, 9, 0], 0, 0),  # two of them
    ],
)
def test_the_margin_is_the_rivals_excess_over_the_rival(
    sums: list[int], winner: int, hundredths: int
) -> None:
    assert margin(sums, winner) == hundredths


def test_the_largest_sums_do_not_overflow() -> None:
    assert margin([65535, 65535, 1], 2) == 9999
    assert margin([65534, 65535, 65535], 0) == 0


def test_the_margin_is_the_largest_uniqueness_that_keeps_the_pixel() -> None:
    sums = np.random.default_rng(3).integers(50, 90, (11, 13, 16), np.uint16)
    winner = sums.argmin(axis=2).astype(np.int16)
    measured, unique = np.empty((11, 13), np.uint16), np.empty_like(winner)
    winner_margin(sums, winner, measured)
    for uniqueness in range(0, 101, 5):
        uniqueness_check(winner * np.int16(16), sums, winner, unique, 0, uniqueness)
        assert np.array_equal(unique >= 0, measured >= 100 * uniqueness)
