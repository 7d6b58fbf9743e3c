"""Horizontal gradient: hand-worked slopes, cut off at 31; OpenCV's Sobel."""

import cv2
import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.cpu import descriptors as on_cpu
from wheatstone.gpu.reference.descriptors import horizontal_gradient


def gradient(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The gradient of the left view; the right view is black."""
    left, right = np.empty((2, *image.shape), np.uint8)
    horizontal_gradient(image, np.zeros_like(image), left, right)
    assert (right == 31).all()
    return np.asarray(left)


def test_a_row_that_brightens_is_above_31_and_its_ends_are_half_as_steep() -> None:
    assert gradient(np.array([[10, 12, 14]], np.uint8)).tolist() == [[39, 47, 39]]
    assert gradient(np.array([[14, 12, 10]], np.uint8)).tolist() == [[23, 15, 23]]


def test_the_middle_row_counts_twice() -> None:
    image = np.array([[0, 0, 1], [0, 0, 2], [0, 0, 3]], np.uint8)
    assert gradient(image)[:, 1].tolist() == [31 + 5, 31 + 8, 31 + 11]


def test_steeper_slopes_are_cut_off() -> None:
    assert gradient(np.array([[0, 0, 255, 0, 0]], np.uint8)).tolist() == [[31, 62, 31, 0, 31]]


def test_the_gradient_is_opencvs_sobel_and_a_row_at_a_time_gives_the_same() -> None:
    for shape in ((1, 1), (2, 3), (1, 40), (17, 33)):
        image = np.random.default_rng(3).integers(90, 110, shape, np.uint8)
        sobel = cv2.Sobel(image, cv2.CV_16S, 1, 0, borderType=cv2.BORDER_REPLICATE)
        expected = np.clip(sobel.reshape(shape), -31, 31).astype(np.uint8) + np.uint8(31)
        assert np.array_equal(gradient(image), expected)
        result = np.empty((2, *shape), np.uint8)
        on_cpu.horizontal_gradient(image, image, *result)
        assert np.array_equal(result, np.stack([expected, expected]))
