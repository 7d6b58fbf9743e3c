"""Matching cost: hand-worked volumes, then what lies outside."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.reference.matching_cost import matching_cost

OUTSIDE = {
    "absolute": 255,
    "census-checkerboard": 32,
    "census-symmetric": 31,
    "census-ring": 32,
    "census-mean": 32,
    "census-ring-symmetric": 32,
}


def row_costs(
    left: list[int],
    right: list[int],
    *,
    cost: str,
    disparities: int = 3,
    min_disparity: int = 0,
    gradients: tuple[list[int], list[int]] | None = None,
    outside: int = -1,
) -> Any:
    """Costs of an image of one row, as nested lists; with gradients, if they are given."""
    dtype = np.uint8 if cost == "absolute" else np.uint32
    volume = np.empty((1, len(left), disparities), np.uint8)
    views: list[Any] = [np.array([row], dtype) for row in (left, right)]
    views += [np.array([row], np.uint8) for row in gradients or ([0], [0])]
    a, b, c, d = views
    matching_cost(a, b, c, d, volume, cost, min_disparity, gradients is not None, outside)
    return volume[0].tolist()


def test_grey_levels_are_compared_with_candidates_to_the_left() -> None:
    costs = row_costs([10, 20, 30], [12, 20, 7], cost="absolute")
    assert costs == [[2, 255, 255], [0, 8, 255], [23, 10, 18]]


def test_words_are_compared_by_the_bits_that_differ() -> None:
    left, right = [0b1011, 0, 0xFFFFFFFF], [0b0110, 0x80000001, 0]
    costs = row_costs(left, right, cost="census-ring", disparities=2)
    assert costs == [[3, 32], [2, 2], [32, 30]]


def test_black_and_white_differ_by_255() -> None:
    assert row_costs([0, 255], [255, 0], cost="absolute", disparities=1) == [[255], [255]]


def test_a_negative_first_disparity_looks_to_the_right() -> None:
    costs = row_costs([10, 20, 30], [12, 20, 7], cost="absolute", min_disparity=-2)
    assert costs == [[3, 10, 2], [255, 13, 0], [255, 255, 23]]


@pytest.mark.parametrize(("cost", "largest"), OUTSIDE.items())
@pytest.mark.parametrize("min_disparity", [3, -5])
def test_outside_the_image_every_cost_has_its_stated_value(
    cost: str, largest: int, min_disparity: int
) -> None:
    costs = row_costs([7, 7, 7], [7, 7, 7], cost=cost, min_disparity=min_disparity)
    assert costs == [[largest] * 3] * 3


@pytest.mark.parametrize("gradient", [False, True])
def test_outside_the_image_the_cost_may_be_chosen(gradient: bool) -> None:
    gradients = ([9, 9], [9, 9]) if gradient else None
    for outside, expected in ((12, 12), (-1, 48 if gradient else 32)):
        costs = row_costs(
            [5, 5],
            [5, 5],
            cost="census-ring",
            disparities=1,
            min_disparity=1,
            gradients=gradients,
            outside=outside,
        )
        assert costs == [[expected], [0]]


def test_half_of_what_gradients_differ_by_is_added_to_words_up_to_16() -> None:
    gradients = ([31, 31, 62], [26, 36, 0])
    costs = row_costs([1, 1, 1], [1, 0, 1], cost="census-mean", disparities=2, gradients=gradients)
    assert costs == [[2, 48], [1 + 2, 2], [16, 1 + 13]]
    assert row_costs([9], [7], cost="absolute", disparities=1, gradients=([0], [62])) == [[2]]


def shifted(disparity: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    scene = np.random.default_rng(2).integers(0, 256, (5, 40), np.uint8)
    return scene[:, 9 : 9 + 21].copy(), scene[:, 9 + disparity : 9 + disparity + 21].copy()


@pytest.mark.parametrize("disparity", [-3, 0, 7])
def test_the_true_disparity_costs_nothing(disparity: int) -> None:
    left, right = shifted(disparity)
    volume = np.empty((5, 21, 16), np.uint8)
    matching_cost(left, right, left, right, volume, "absolute", -4, False, -1)
    inside = slice(max(disparity, 0), 21 + min(disparity, 0))
    assert not volume[:, inside, disparity + 4].any()
