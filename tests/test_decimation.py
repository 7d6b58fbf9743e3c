"""Decimation: hand-worked blocks, then its properties, then parity on random disparities."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.cpu import output_filters as on_cpu
from wheatstone.gpu.reference.output_filters import decimation

SHAPES = ((1, 1), (3, 5), (20, 33), (67, 131))


def decimated(guided: Any, side: int, min_disparity: int = 0) -> NDArray[np.int16]:
    disparity = np.array(guided, np.int16)
    result = np.empty_like(disparity)
    decimation(disparity, result, min_disparity, side)
    return result


def random_disparity(seed: int, shape: tuple[int, int], first: int) -> NDArray[np.int16]:
    random = np.random.default_rng(seed)
    steps = random.integers(16, 16 * 512, shape)
    steps[random.random(shape) < (0.1, 0.6, 0.95)[seed % 3]] = 0
    return (steps + (first - 1) * 16).astype(np.int16)


def test_two_by_two_pixels_take_the_lower_median() -> None:
    assert decimated([[40, 30], [20, 10]], 2).tolist() == [[20, 20], [20, 20]]
    assert decimated([[40, 30], [20, -16]], 2).tolist() == [[30, 30], [30, 30]]
    assert decimated([[40, -16], [20, -16]], 2).tolist() == [[20, 20], [20, 20]]


def test_four_by_four_pixels_take_the_mean_of_those_with_a_disparity() -> None:
    block = np.full((4, 4), -16)
    block[1, 2], block[3, 0] = 10, 13
    assert np.all(decimated(block, 4) == 12)  # 11.5, rounded up
    block[0, 0] = 11
    assert np.all(decimated(block, 4) == 11)  # 11.33


def test_a_mean_below_zero_is_rounded_as_one_above() -> None:
    assert np.all(decimated([[-30, -33]], 4, min_disparity=-3) == -31)  # -31.5, rounded up


def test_a_block_without_a_disparity_has_none() -> None:
    for side in (2, 4):
        assert np.all(decimated(np.full((5, 5), -16), side) == -16)


def test_blocks_at_the_edge_are_smaller() -> None:
    assert decimated([[16, 32, 48], [64, 80, 96], [112, 128, 144]], 2).tolist() == [
        [32, 32, 48],
        [32, 32, 48],
        [112, 112, 144],
    ]


@pytest.mark.parametrize("side", [2, 4])
def test_decimating_again_changes_nothing(side: int) -> None:
    once = decimated(random_disparity(1, (37, 50), 0), side)
    assert np.array_equal(decimated(once, side), once)


@pytest.mark.parametrize("side", [2, 4])
@pytest.mark.parametrize("shape", SHAPES)
def test_all_cores_give_the_same(shape: tuple[int, int], side: int) -> None:
    for seed, first in enumerate((0, -1024, 512, -3)):
        guided = random_disparity(seed, shape, first)
        result = np.empty_like(guided)
        on_cpu.decimation(guided, result, first, side)
        assert np.array_equal(result, decimated(guided, side, first))


def kernel_is_the_same(shape: tuple[int, int], arrays: Any) -> None:
    from wheatstone.gpu.kernels.disparity import decimation as launch

    for seed, first in enumerate((0, -1024, 512, -3)):
        guided = random_disparity(seed, shape, first)
        for side in (1, 2, 4):
            result = arrays.zeros(shape, np.int16)
            launch(arrays.asarray(guided), result, first, side)
            assert np.array_equal(result.tolist(), decimated(guided, side, first))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.usefixtures("emulation")
def test_the_kernel_gives_the_same(shape: tuple[int, int]) -> None:
    kernel_is_the_same(shape, np)


@pytest.mark.cuda
@pytest.mark.parametrize("shape", SHAPES)
def test_the_kernel_gives_the_same_on_a_gpu(shape: tuple[int, int]) -> None:
    import cupy

    kernel_is_the_same(shape, cupy)
