"""Guided median: hand-worked windows, borders, ties; then every variant's arithmetic."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.cpu import median_filters as on_cpu
from wheatstone.gpu.emulation.device import EmulatedTexture
from wheatstone.gpu.kernels import disparity as on_gpu
from wheatstone.gpu.reference.median_filters import guided_median


def smoothed(filled: Any, left: Any, tolerance: int, min_disparity: int = 0) -> NDArray[np.int16]:
    disparity = np.array(filled, np.int16)
    result = np.empty_like(disparity)
    guided_median(disparity, np.array(left, np.uint8), result, min_disparity, tolerance)
    return result


def test_only_neighbours_as_bright_count() -> None:
    filled, left = np.full((7, 7), 320), np.full((7, 7), 100)
    filled[3, 3] = 80
    assert smoothed(filled, left, 20)[3, 3] == 320
    left[:] = 121  # one more than is similar
    left[3, 3] = 100
    assert smoothed(filled, left, 20)[3, 3] == 80
    left[0] = 120  # seven that are similar just so
    assert smoothed(filled, left, 20)[3, 3] == 320


def test_of_an_even_number_the_lower_middle_is_taken() -> None:
    # Each column stands seven times; the outermost, which stand more often, are too bright.
    median = smoothed([[16, 48, 32, 16]], [[99, 0, 0, 99]], 1)
    assert median.tolist() == [[16, 32, 32, 16]]


def test_what_has_no_disparity_counts_nothing_and_stays() -> None:
    invalid = -16
    filled = np.full((7, 7), invalid)
    filled[3, 3], filled[0, 0] = 160, 64
    median = smoothed(filled, np.zeros((7, 7)), 255)
    assert median[3, 3] == 64 and median[0, 0] == 64  # the lower of two; the corner stands often
    assert np.count_nonzero(median != invalid) == 2


def test_disparities_below_zero_are_in_order() -> None:
    filled = [[-320, -160, 80]]
    assert smoothed(filled, [[9, 9, 9]], 1, min_disparity=-30)[0, 1] == -160


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (20, 33), (9, 70)])
@pytest.mark.parametrize("tolerance", [1, 20, 255])
def test_sixteen_pixels_at_a_time_give_the_same(shape: tuple[int, int], tolerance: int) -> None:
    random = np.random.default_rng(5)
    for first, disparities in ((0, 64), (-1024, 512)):
        steps = np.where(
            random.random(shape) < 0.2, 0, random.integers(16, 16 * disparities, shape)
        )
        filled = (steps + (first - 1) * 16).astype(np.int16)
        left = random.integers(0, 60, shape, np.uint8)
        expected, result = np.empty((2, *shape), np.int16)
        guided_median(filled, left, expected, first, tolerance)
        on_cpu.guided_median(filled, left, result, first, tolerance)
        assert np.array_equal(result, expected)


def random_case(seed: int, shape: tuple[int, int]) -> tuple[NDArray[Any], NDArray[Any], int, int]:
    random = np.random.default_rng(seed)
    first, disparities = ((0, 128), (-1024, 512), (-3, 16), (0, 512))[seed % 4]
    near = random.integers(16, 16 * min(disparities, 16 << seed % 6), shape)
    steps = np.where(random.random(shape) < (0, 0.2, 0.9)[seed % 3], 0, near)
    steps[:, shape[1] // 2 :] = np.maximum(steps[:, shape[1] // 2 :], seed % 2 * 40)
    left = random.integers(0, 1 << 1 + seed % 8, shape, np.uint8)
    left = left + np.uint8(255 - left.max()) * np.uint8(seed % 2)
    return (steps + (first - 1) * 16).astype(np.int16), left, first, (1, 20, 130, 255, 7)[seed % 5]


@pytest.mark.parametrize("memory", ["global", "texture"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 130), (34, 32), (37, 64), (5, 144), (66, 261)])
@pytest.mark.usefixtures("emulation")
def test_thirty_two_pixels_at_a_time_give_the_same(shape: tuple[int, int], memory: str) -> None:
    """Rows that can be read and written in whole words are among them, and such that cannot."""
    for seed in range(12):
        filled, left, first, tolerance = random_case(seed, shape)
        expected, result = np.empty((2, *shape), np.int16)
        guided_median(filled, left, expected, first, tolerance)
        image: Any = left
        if memory == "texture":
            image = EmulatedTexture(shape, np.uint8)
            image.pixels[:] = left
        on_gpu.guided_median(filled, image, result, first, tolerance, memory)
        assert np.array_equal(result, expected)
