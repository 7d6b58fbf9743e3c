"""Path sum: a hand-worked sum, then its range."""

import numpy as np

from wheatstone.gpu.reference.disparity import path_sum


def test_the_first_path_replaces_and_the_others_add() -> None:
    sums = np.array([[[7, 7, 7]]], np.uint16)
    path_sum(np.array([[[1, 2, 3]]], np.uint16), sums, True)
    assert sums.tolist() == [[[1, 2, 3]]]
    path_sum(np.array([[[10, 0, 40]]], np.uint16), sums, False)
    assert sums.tolist() == [[[11, 2, 43]]]


def test_eight_of_the_largest_path_costs_do_not_overflow() -> None:
    largest = np.full((1, 2, 3), 255 + 4095, np.uint16)
    sums = np.empty_like(largest)
    for path in range(8):
        path_sum(largest, sums, path == 0)
    assert (sums == 34800).all()


def test_the_order_of_paths_does_not_matter() -> None:
    paths = np.random.default_rng(5).integers(0, 4351, (8, 3, 5, 16), np.uint16)
    forwards, backwards = np.empty((2, 3, 5, 16), np.uint16)
    for i in range(8):
        path_sum(paths[i], forwards, i == 0)
        path_sum(paths[7 - i], backwards, i == 0)
    assert np.array_equal(forwards, backwards)
    assert np.array_equal(forwards, paths.sum(axis=0))
