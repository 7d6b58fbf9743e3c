"""Gaussian filter: weights, hand-worked sums, borders, OpenCV's own, rounding."""

from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.canny.params import LARGEST_SIGMA, gaussian_weights, kernel_radius
from wheatstone.gpu.reference.image_filters import gaussian_filter

AVEIRO = ("aveiro-2015", "aveiro-2025")


def smoothed(left: Any, sigma: float, convention: str) -> NDArray[np.uint16]:
    image = np.array(left, np.uint8)
    side = kernel_radius(sigma, convention) + 1
    sums = np.full(image.shape, 9999, np.uint16)
    gaussian_filter(image, sums, np.empty((side, side), np.float32), sigma, convention)
    return sums


def noise(height: int, width: int) -> NDArray[np.uint8]:
    return np.random.default_rng((height, width)).integers(0, 256, (height, width), np.uint8)


def test_weights_of_opencv_are_whole_and_sum_to_65536() -> None:
    # exp(-d^2 / (2 * 0.5^2)) is 1, 0.1353, 0.0003; of 256 in all: 0.07, 27.25 and what remains.
    row = np.array([202, 27, 0])
    assert np.array_equal(gaussian_weights(0.5, "opencv"), np.outer(row, row))
    for sigma in np.arange(1, 61) / 10:
        quadrant = gaussian_weights(float(sigma), "opencv")
        whole = np.block(
            [[quadrant[:0:-1, :0:-1], quadrant[:0:-1]], [quadrant[:, :0:-1], quadrant]]
        )
        assert whole.sum() == 65536
        assert (whole == np.rint(whole)).all()


@pytest.mark.parametrize(
    ("sigma", "opencv", "aveiro"),
    [(0.1, 1, 1), (0.5, 2, 2), (1.0, 3, 3), (1.4, 4, 3), (6.0, 18, 13)],
)
def test_kernels_reach_as_far_as_published(sigma: float, opencv: int, aveiro: int) -> None:
    assert kernel_radius(sigma, "opencv") == opencv
    assert kernel_radius(sigma, "aveiro-2015") == kernel_radius(sigma, "aveiro-2025") == aveiro


def test_opencv_rounds_halves_up() -> None:
    # A row of weights is 27, 202, 27 of 256: 27 * 7 * 256 / 65536 is 0.738, 27 * 4 is 0.42.
    assert smoothed([[0, 7, 0, 0]], 0.5, "opencv").tolist() == [[1, 6, 1, 0]]
    assert smoothed([[0, 4, 0, 0]], 0.5, "opencv").tolist() == [[1, 3, 0, 0]]


def test_opencv_mirrors_the_image_without_repeating_its_edge() -> None:
    # (202 * 0 + 27 * 90 + 27 * 90) / 256 at the left end, where 90 stands on both sides.
    assert smoothed([[0, 90, 90]], 0.5, "opencv")[0].tolist() == [19, 81, 90]


@pytest.mark.parametrize(("height", "width"), [(37, 53), (1, 1), (1, 9), (5, 2)])
def test_opencv_equals_gaussian_blur_at_every_sigma(height: int, width: int) -> None:
    image = noise(height, width)
    fractions = np.random.default_rng(3).uniform(0.001, LARGEST_SIGMA, 20).round(3)
    for sigma in (*np.arange(2, 61, 3) / 10, *fractions):
        expected = cv2.GaussianBlur(image, (0, 0), float(sigma)).reshape(image.shape)
        assert np.array_equal(smoothed(image, float(sigma), "opencv"), expected), sigma


@pytest.mark.parametrize("convention", AVEIRO)
def test_aveiro_leaves_a_black_frame_and_truncates(convention: str) -> None:
    # At sigma 0.5 weights sum to 1.02897, so white becomes 262.388.
    sums = smoothed(np.full((7, 8), 255), 0.5, convention)
    assert (sums[2:-2, 2:-2] == 262).all()
    sums[2:-2, 2:-2] = 0
    assert not sums.any()


@pytest.mark.parametrize(("convention", "step"), [("aveiro-2015", 1), ("aveiro-2025", -1)])
def test_aveiro_rounds_every_product_and_every_sum_in_its_order(convention: str, step: int) -> None:
    image, weights = noise(9, 11), gaussian_weights(1.0, convention)
    total = np.float32(0)
    for dy in range(-3, 4):
        for dx in range(-3, 4):
            grey = np.float32(image[4 + step * dy, 5 + step * dx])
            total = np.float32(total + np.float32(grey * weights[abs(dy), abs(dx)]))
    assert smoothed(image, 1.0, convention)[4, 5] == int(total)


def test_the_years_differ_by_rounding_alone() -> None:
    image = noise(200, 300)
    first, second = (smoothed(image, 1.0, convention).astype(int) for convention in AVEIRO)
    assert 0 < np.count_nonzero(first != second) < 50
    assert abs(first - second).max() == 1
