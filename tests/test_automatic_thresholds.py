"""Automatic thresholds: hand-worked histograms, OpenCV's Otsu, images without edges."""

from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.canny.params import GAIN, HISTOGRAM_BINS
from wheatstone.gpu.reference.edges import NO_EDGE, automatic_thresholds, otsu_bin, quantile_bin


def levels(
    values: Any, thresholds: str, aperture: int = 3, convention: str = "opencv"
) -> tuple[int, int]:
    counted = np.atleast_2d(np.array(values, np.int32))
    result, histogram = np.empty(2, np.int32), np.empty(HISTOGRAM_BINS, np.int32)
    other = np.zeros_like(counted)
    blurred = counted.astype(np.uint8) if thresholds == "median" else other.astype(np.uint8)
    magnitude = counted if thresholds == "quantile" else other
    suppressed = counted if thresholds == "otsu" else other
    images = (blurred, magnitude, suppressed)
    automatic_thresholds(*images, result, histogram, thresholds, aperture, convention)
    return int(result[0]), int(result[1])


def histogram(bins: dict[int, int]) -> NDArray[np.int32]:
    counts = np.zeros(HISTOGRAM_BINS, np.int32)
    for bin_, count in bins.items():
        counts[bin_] = count
    return counts


def test_the_median_gives_two_thirds_and_four_thirds() -> None:
    # 67 and 133 of 100, exceeded; the same reached; twelve times as much for aperture 5.
    assert levels([10, 100, 200], "median") == (68, 134)
    assert levels([10, 100, 200], "median", convention="aveiro-2015") == (67, 133)
    assert levels([10, 100, 200], "median", aperture=5) == (67 * 12 + 1, 133 * 12 + 1)
    assert levels([10, 99, 101, 200], "median") == (67 * 101 // 100 + 1, 133 * 101 // 100 + 1)


def test_a_black_median_gives_levels_of_one() -> None:
    assert levels([0, 0, 9], "median") == (1, 1)
    assert levels([0, 0, 9], "median", convention="aveiro-2025") == (1, 1)


def test_otsu_parts_two_heaps() -> None:
    # Between 10, 11 and 50: the lowest bin that parts them is 11, so 12 is strong, 6 weak.
    assert levels([0, 0, 0, 10, 10, 11, 50, 50], "otsu") == (6, 12)
    assert levels([0, 10 * 160, 50 * 160], "otsu", aperture=7) == (11 * 160 // 2, 11 * 160)


def test_otsu_takes_all_maxima_that_share_a_bin() -> None:
    assert levels([0, 40, 40], "otsu") == (20, 40)


def test_otsu_without_a_maximum_finds_no_edge() -> None:
    assert levels([0, 0], "otsu") == (NO_EDGE, NO_EDGE)


def test_otsu_equals_opencvs() -> None:
    generator = np.random.default_rng(4)
    for _ in range(20):
        heaps = [generator.normal(m, s, 500) for m, s in generator.uniform(5, 200, (2, 2)) / (1, 4)]
        values = np.clip(np.concatenate(heaps), 0, 255).astype(np.uint8)
        threshold, _ = cv2.threshold(values, 0, 255, cv2.THRESH_OTSU)
        assert otsu_bin(np.bincount(values, minlength=HISTOGRAM_BINS)) == threshold + 1


def test_quantile_leaves_at_most_three_tenths_strong() -> None:
    # Seven of ten pixels are not more than 7 of 10, so the eighth counts as below, too.
    values = [0, 1, 2, 3, 4, 5, 6, 70, 80, 90]
    assert levels(values, "quantile") == (2 * 71 // 5, 71)
    assert quantile_bin(histogram({3: 7, 5: 3}), 7, 10) == 5
    assert quantile_bin(histogram({3: 8, 5: 2}), 7, 10) == 3


@pytest.mark.parametrize("aperture", GAIN)
def test_the_largest_magnitude_has_a_bin(aperture: int) -> None:
    largest = 2 * 1020 * GAIN[aperture]
    assert levels([largest] * 3, "quantile", aperture) == (
        2 * 2041 * GAIN[aperture] // 5,
        2041 * GAIN[aperture],
    )
