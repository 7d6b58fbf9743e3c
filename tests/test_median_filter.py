"""Median filter: hand-worked medians, then edges."""

from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.reference.median_filters import median_filter


def smoothed(refined: Any) -> NDArray[np.int16]:
    disparity = np.array(refined, np.int16)
    median = np.empty_like(disparity)
    median_filter(disparity, median)
    return median


def test_the_fifth_of_nine_values_is_taken() -> None:
    assert smoothed([[9, 2, 7], [4, 100, 6], [3, 8, 1]])[1, 1] == 6


def test_the_edge_stands_in_at_the_corners() -> None:
    # Top left: 1 four times, 2 and 3 twice, 4 once; the others likewise.
    assert smoothed([[1, 2], [3, 4]]).tolist() == [[2, 2], [3, 3]]


def test_one_row_is_filtered_along_itself() -> None:
    assert smoothed([[9, 1, 5]]).tolist() == [[9, 5, 5]]


def test_one_pixel_stays() -> None:
    assert smoothed([[-16]]).tolist() == [[-16]]


def test_values_below_zero_count_like_any_other() -> None:
    invalid = -16
    assert smoothed([[invalid] * 3, [invalid, 80, invalid], [80] * 3])[1, 1] == invalid
    assert smoothed([[invalid] * 3, [invalid, 80, 96], [80] * 3])[1, 1] == 80


@pytest.mark.parametrize(("height", "width"), [(17, 23), (1, 9), (9, 1), (2, 2)])
def test_the_filter_equals_opencvs(height: int, width: int) -> None:
    generator = np.random.default_rng(9)
    disparity = generator.integers(-400, 4000, (height, width)).astype(np.int16)
    assert np.array_equal(smoothed(disparity), cv2.medianBlur(disparity, 3).reshape(height, width))
