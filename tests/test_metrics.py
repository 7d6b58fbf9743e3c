"""Measures of quality, on arrays made by hand."""

import math

import numpy as np
import pytest

from benchmarks.sparsification import area_under, sparsification
from wheatstone.gpu.analysis.metrics import (
    average_error,
    bad,
    consistent,
    density,
    error_quantile,
    in_pixels,
    inside,
    not_covered,
    outliers,
    root_mean_square,
    seen_by_both,
    warp_error,
)

NAN, INF = math.nan, math.inf

# Errors: 0, 1, 1.25, 2.5; no result, -0.5, none because the truth is unknown, 40.
DISPARITY = np.array([[5, 6, 6.25, 7.5], [NAN, 4.5, 5, 45]], np.float32)
TRUTH = np.array([[5, 5, 5, 5], [5, 5, INF, 5]], np.float32)
KNOWN = np.isfinite(TRUTH)


def test_stored_disparities_become_pixels() -> None:
    stored = np.array([[-16, 0, 24, -80]], np.int16)
    pixels = in_pixels(stored, 1 / 16, -16)
    assert np.array_equal(pixels, [[NAN, 0, 1.5, -5]], equal_nan=True)


@pytest.mark.parametrize(
    ("threshold", "wrong"),
    [(0.5, 5), (1, 4), (1.25, 3), (2, 3), (3, 2), (100, 1)],  # of 7, one of them without result
)
def test_bad_pixels_are_wrong_by_more_than_the_threshold_or_have_no_result(
    threshold: float, wrong: int
) -> None:
    assert bad(DISPARITY, TRUTH, KNOWN, threshold) == pytest.approx(100 * wrong / 7)


def test_bad_pixels_of_those_with_a_result_are_a_choice_of_mask() -> None:
    estimated = KNOWN & np.isfinite(DISPARITY)
    assert bad(DISPARITY, TRUTH, estimated, 1) == pytest.approx(100 * 3 / 6)


def test_the_average_error_leaves_out_pixels_without_a_result() -> None:
    expected = (0 + 1 + 1.25 + 2.5 + 0.5 + 40) / 6
    assert average_error(DISPARITY, TRUTH, KNOWN) == pytest.approx(expected)


def test_density_is_the_share_of_judged_pixels_with_a_result() -> None:
    assert density(DISPARITY, KNOWN) == pytest.approx(100 * 6 / 7)
    assert density(DISPARITY, np.ones((2, 4), bool)) == pytest.approx(100 * 7 / 8)


def test_an_infinite_estimate_is_no_result() -> None:
    estimate = np.array([[INF, 5]], np.float32)
    truth, everywhere = np.full((1, 2), 5, np.float32), np.ones((1, 2), bool)
    assert bad(estimate, truth, everywhere, 1) == 50
    assert average_error(estimate, truth, everywhere) == 0
    assert density(estimate, everywhere) == 50


def test_without_judged_pixels_there_is_no_figure() -> None:
    nowhere = np.zeros((2, 4), bool)
    assert math.isnan(bad(DISPARITY, TRUTH, nowhere, 1))
    assert math.isnan(average_error(DISPARITY, TRUTH, nowhere))
    assert math.isnan(density(DISPARITY, nowhere))


def test_without_any_result_there_is_no_average_error_but_all_are_bad() -> None:
    nothing = np.full((2, 4), NAN, np.float32)
    assert math.isnan(average_error(nothing, TRUTH, KNOWN))
    assert bad(nothing, TRUTH, KNOWN, 1) == 100


def test_the_border_is_left_out_on_all_sides() -> None:
    assert inside((3, 5), 1).tolist() == [[False] * 5, [False, *[True] * 3, False], [False] * 5]
    assert inside((3, 5), 0).all()
    assert not inside((3, 5), 2).any()


# A wall at disparity 1 with a post at disparity 3 in columns 4 and 5. In the right view the post
# is at 1 and 2, where it covers the wall's left pixels 2 and 3; left pixel 0 leaves the image.
WALL_AND_POST = np.array([[1, 1, 1, 1, 3, 3, 1, 1]], np.float32)
VISIBLE = [[False, True, False, False, True, True, True, True]]


def test_a_pixel_covered_by_a_nearer_one_is_occluded() -> None:
    assert not_covered(WALL_AND_POST).tolist() == VISIBLE


def test_both_views_agree_on_what_is_seen_by_both() -> None:
    # Right columns 3 and 4 show wall that the post hides from the left view.
    right = np.array([[1, 3, 3, 1, 1, 1, 1, 1]], np.float32)
    assert seen_by_both(WALL_AND_POST, right).tolist() == VISIBLE


@pytest.mark.parametrize(("returned", "seen"), [(3, True), (4, True), (4.5, False), (INF, False)])
def test_a_partner_must_be_known_and_agree_within_a_pixel(returned: float, seen: bool) -> None:
    left = np.array([[INF, INF, INF, 3]], np.float32)
    right = np.array([[returned, 9, 9, 9]], np.float32)
    assert seen_by_both(left, right).tolist() == [[False, False, False, seen]]


def test_partners_are_rounded_to_the_nearest_column_halves_up() -> None:
    # 3 - 1.75 = 1.25 and 3 - 1.5 = 1.5.
    right = np.array([[INF, 1.75, 9, 9]], np.float32)
    assert seen_by_both(np.array([[INF, INF, INF, 1.75]], np.float32), right)[0, 3]
    assert not seen_by_both(np.array([[INF, INF, INF, 1.5]], np.float32), right)[0, 3]


def test_a_slanted_surface_does_not_cover_itself() -> None:
    ramp = np.array([[0, 0.5, 1, 1.5, 2, 2.5]], np.float32)  # arrives at 0, 1, 1, 2, 2, 3
    assert not_covered(ramp).all()


def test_unknown_truth_is_never_seen() -> None:
    unknown = np.array([[NAN, INF, -INF]], np.float32)
    assert not not_covered(unknown).any()
    assert not seen_by_both(unknown, unknown).any()


def test_outside_left_and_right_are_occluded() -> None:
    assert not_covered(np.array([[1, 0, -1]], np.float32)).tolist() == [[False, True, False]]


def test_leaving_out_the_least_confident_first() -> None:
    wrong = np.array([True, False, False, True])
    best, worst = np.array([1, 3, 4, 2]), np.array([4, 2, 1, 3])
    assert sparsification(wrong, best, 4).tolist() == pytest.approx([50, 100 / 3, 0, 0])
    assert sparsification(wrong, worst, 4).tolist() == pytest.approx([50, 200 / 3, 100, 100])
    assert area_under(sparsification(wrong, best, 4)) == pytest.approx(250 / 12)


def test_equal_confidence_is_as_good_as_none() -> None:
    wrong = np.array([True, False, False, False, True])
    assert sparsification(wrong, np.zeros(5), 20).tolist() == pytest.approx([40] * 20)
    halves = sparsification(wrong, np.array([0, 0, 0, 7, 7]), 5)
    assert halves.tolist() == pytest.approx([40, (1 + 2 / 3) / 4 * 100, 400 / 9, 50, 50])


def test_the_root_mean_square_weighs_large_errors() -> None:
    expected = math.sqrt((0 + 1 + 1.25**2 + 2.5**2 + 0.5**2 + 40**2) / 6)
    assert root_mean_square(DISPARITY, TRUTH, KNOWN) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("percent", "error"), [(0, 0), (50, 1.25), (66, 1.25), (67, 2.5), (99, 40)]
)
def test_a_quantile_is_one_of_the_errors(percent: int, error: float) -> None:
    assert error_quantile(DISPARITY, TRUTH, KNOWN, percent) == error  # of 0, .5, 1, 1.25, 2.5, 40


def test_outliers_are_wrong_by_three_pixels_and_five_percent_or_have_no_result() -> None:
    assert outliers(DISPARITY, TRUTH, KNOWN) == pytest.approx(100 * 2 / 7)
    far = np.array([[100, 100]], np.float32)
    estimate = far + np.array([[5, 5.25]], np.float32)
    assert outliers(estimate, far, np.ones((1, 2), bool)) == 50


def test_a_result_is_consistent_where_no_nearer_one_claims_its_place() -> None:
    assert consistent(WALL_AND_POST) == pytest.approx(100 * 5 / 8)
    holes = np.where([[False] * 4 + [True] * 2 + [False] * 2], NAN, WALL_AND_POST)
    assert consistent(holes) == pytest.approx(100 * 5 / 8)  # two holes, two uncovered


def test_the_warp_error_compares_with_what_lies_between_two_columns() -> None:
    left = np.array([[9, 30, 50, 70]], np.uint8)
    right = np.array([[10, 20, 60, 99]], np.uint8)
    disparity = np.array([[1, 0.5, 1, NAN]], np.float32)
    # Outside; 15 between 10 and 20; 20; no result.
    assert warp_error(disparity, left, right) == (15 + 30) / 2
    assert warp_error(np.array([[-3, 9, 9, 9]], np.float32), left, right) == 90
    assert math.isnan(warp_error(np.full((1, 4), NAN, np.float32), left, right))


def test_a_view_warped_by_its_own_shift_has_no_error() -> None:
    right = np.random.default_rng(5).integers(0, 256, (11, 33), np.uint8)
    left = np.roll(right, 4, axis=1)
    assert warp_error(np.full((11, 33), 4, np.float32), left, right) == 0
    assert warp_error(np.full((11, 33), 3, np.float32), left, right) > 40
