"""Rectifying without a calibration: rows of every pixel by the truth, disparities, refusals."""

import numpy as np
import pytest

from tests.turned_pairs import HEIGHT, TURNED, WIDTH, ends, turned_pair
from wheatstone.viewer.io.cameras.uncalibrated import (
    divisor,
    rectify_uncalibrated,
    scaled_down,
)
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.scene import Scene


@pytest.mark.parametrize(
    ("scene", "right", "left"),
    [
        ("garden", TURNED, (0.0, 1.0, 0.0)),
        ("corridor", (-3.0, 0.98, -20.0), (0.0, 1.0, 0.0)),
        ("orbit", (-2.0, 1.02, 10.0), (1.5, 1.0, 0.0)),
    ],
)
def test_rows_are_levelled_and_disparities_are_those_searched(
    scene: str, right: tuple[float, float, float], left: tuple[float, float, float]
) -> None:
    pair = turned_pair(scene, right=right, left=left)
    rectified = rectify_uncalibrated(pair.left, pair.right)
    assert rectified.before.median > 4 and rectified.after.median < 0.5
    (x, y), (match, row) = ends(pair, rectified)
    assert np.median(np.abs(row - y)) < 0.25 and np.percentile(np.abs(row - y), 95) < 1
    assert rectified.rectification.disparities is not None
    first, count = rectified.rectification.disparities
    assert first == 0 and count % 16 == 0 and count <= 64
    disparity = x - match
    assert np.mean((disparity >= 0) & (disparity <= count - 1)) > 0.98


def test_depth_is_relative_and_views_stay_in_place() -> None:
    pair = turned_pair()
    rectified = rectify_uncalibrated(pair.left, pair.right)
    calibration = rectified.rectification.calibration
    assert (calibration.unit, calibration.baseline, calibration.focal) == ("relative", 1.0, 480.0)
    place = rectified.rectification.left.at(180, 240)
    assert place == pytest.approx((180, 240), abs=12)
    assert rectified.rectification.right.place.shape == (360, 480, 2)
    assert "relative" in rectified.notes[1] and "--disparities" in rectified.notes[1]


def test_the_same_pair_is_rectified_alike() -> None:
    pair = turned_pair()
    first, second = (rectify_uncalibrated(pair.left, pair.right) for _ in range(2))
    for one, other in zip(first.homographies, second.homographies, strict=True):
        assert np.array_equal(one, other)


def test_views_with_too_little_in_common_are_refused() -> None:
    flat = np.full((240, 320), 99, np.uint8)
    with pytest.raises(ValueError, match="0 points match, 30 are needed"):
        rectify_uncalibrated(flat, flat)


def test_a_camera_that_moved_ahead_is_refused() -> None:
    """The epipole is in the image's middle: no homography sends it to infinity."""
    scene = Scene("corridor", 0, (WIDTH, HEIGHT))
    views = [grey_levels(scene.render(index).left) for index in (0, 4)]
    with pytest.raises(ValueError, match="the cameras do not lie side by side"):
        rectify_uncalibrated(*views)


@pytest.mark.parametrize(
    ("size", "by"), [((1920, 1080), 2), ((1600, 1250), 1), ((4000, 3000), 3), ((1, 1), 1)]
)
def test_large_views_are_scaled_down_until_they_are_live(size: tuple[int, int], by: int) -> None:
    assert divisor(*size) == by


def test_scaling_down_takes_means_and_leaves_a_rest_out() -> None:
    view = np.array([[0, 2, 10, 20, 99], [4, 6, 30, 40, 99], [9, 9, 9, 9, 9]], np.uint8)
    assert scaled_down(view, 2).tolist() == [[3, 25]]
    assert scaled_down(view, 1) is view
