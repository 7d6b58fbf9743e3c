"""Uniqueness check: hand-worked rivals, then its limits."""

import numpy as np
import pytest

from wheatstone.gpu.reference.checks import uniqueness_check


def checked(
    sums: list[int], uniqueness: int, *, winner: int = 0, value: int = 0, min_disparity: int = 0
) -> int:
    """What becomes of one pixel with disparity ``value`` in 1/16 pixel."""
    unique = np.empty((1, 1), np.int16)
    uniqueness_check(
        np.array([[value]], np.int16),
        np.array([[sums]], np.uint16),
        np.array([[winner]], np.int16),
        unique,
        min_disparity,
        uniqueness,
    )
    return int(unique[0, 0])


INVALID = -16


def test_a_close_rival_rejects_the_winner() -> None:
    # 90 wins at d = 1; at 10 per cent, 99 * 90 = 8910 is below 90 * 100 = 9000.
    assert checked([200, 90, 200, 99], 10, winner=1, value=18) == INVALID
    assert checked([200, 90, 200, 101], 10, winner=1, value=18) == 18


def test_a_rival_exactly_at_the_margin_is_none() -> None:
    assert checked([90, 200, 100], 10, value=5) == 5  # 100 * 90 = 90 * 100


@pytest.mark.parametrize("sums", [[90, 90, 200, 200], [200, 90, 90, 200], [91, 90, 91, 200]])
def test_neighbours_of_the_winner_are_no_rivals(sums: list[int]) -> None:
    assert checked(sums, 50, winner=1, value=16) == 16


def test_two_disparities_away_is_a_rival_on_either_side() -> None:
    assert checked([91, 500, 90, 500, 500], 10, winner=2, value=32) == INVALID
    assert checked([500, 500, 90, 500, 91], 10, winner=2, value=32) == INVALID


def test_nought_per_cent_rejects_nothing() -> None:
    assert checked([90, 500, 90, 90], 0, value=0) == 0


def test_a_hundred_per_cent_rejects_every_winner_that_has_a_rival_and_costs_something() -> None:
    assert checked([1, 500, 60000], 100, value=0) == INVALID
    assert checked([0, 500, 60000], 100, value=0) == 0
    assert checked([500, 1, 500], 100, winner=1, value=16) == 16  # all others are neighbours


def test_the_winner_is_judged_and_the_smoothed_value_kept() -> None:
    assert checked([90, 500, 500, 500], 10, winner=0, value=48) == 48
    assert checked([90, 500, 500, 91], 10, winner=0, value=48) == INVALID


@pytest.mark.parametrize(("min_disparity", "invalid"), [(-5, -96), (1, 0), (7, 96)])
def test_invalid_is_one_pixel_below_the_range(min_disparity: int, invalid: int) -> None:
    assert checked([9, 500, 9], 5, value=160, min_disparity=min_disparity) == invalid


def test_the_largest_sums_do_not_overflow() -> None:
    assert checked([65533, 0, 65534], 1, value=4) == INVALID
    assert checked([34800, 0, 65534], 46, value=4) == 4  # 65534 * 54 > 34800 * 100


def test_a_disparity_that_is_not_searched_is_no_rival() -> None:
    assert checked([65534, 0, 65535], 1, value=4) == 4


def test_a_larger_margin_only_rejects_more() -> None:
    generator = np.random.default_rng(10)
    sums = generator.integers(50, 90, (11, 13, 16), np.uint16)
    winner = sums.argmin(axis=2).astype(np.int16)
    kept = np.ones((11, 13), bool)
    for uniqueness in (0, 5, 10, 20, 100):
        unique = np.empty_like(winner)
        uniqueness_check(winner * np.int16(16), sums, winner, unique, 0, uniqueness)
        assert not (~kept & (unique >= 0)).any()
        kept = unique >= 0
    assert not kept.any()
