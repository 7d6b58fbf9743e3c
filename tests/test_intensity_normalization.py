"""Intensity normalization: hand-worked levels, black images, and that integers are enough."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.reference.image_filters import intensity_normalization


def normalized(smoothed: Any) -> tuple[NDArray[np.uint8], int]:
    values = np.array(smoothed, np.uint16)
    blurred, peak = np.empty(values.shape, np.uint8), np.empty(1, np.int32)
    intensity_normalization(values, blurred, peak)
    return blurred, int(peak[0])


def test_the_peak_becomes_white_and_the_rest_is_truncated() -> None:
    # 255 * 1 / 100 = 2.55; 255 * 50 / 100 = 127.5; 255 * 99 / 100 = 252.45.
    blurred, peak = normalized([[0, 1, 50], [99, 100, 2]])
    assert peak == 100
    assert blurred.tolist() == [[0, 2, 127], [252, 255, 5]]


def test_a_black_image_stays_black() -> None:
    blurred, peak = normalized(np.zeros((3, 4)))
    assert peak == 0
    assert not blurred.any()


def test_values_above_white_are_brought_below_it() -> None:
    blurred, _ = normalized([[262, 255, 131]])
    assert blurred.tolist() == [[255, 248, 127]]


def test_integers_give_what_the_published_single_precision_gives() -> None:
    for peak in (*range(1, 463), 1000, 4058):
        values = np.arange(peak + 1)
        quotients = np.float32(255) * values.astype(np.float32) / np.float32(peak)
        assert np.array_equal(normalized(values[np.newaxis])[0][0], quotients.astype(int))
