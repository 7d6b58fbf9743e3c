"""Sub-pixel refinement: hand-worked parabolas, then OpenCV's rounding."""

from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.reference.disparity import subpixel_refinement


def refined(
    sums: Any, winner: Any, *, min_disparity: int = 0, subpixel: str | bool = "parabola"
) -> NDArray[np.int16]:
    volume, indices = np.array(sums, np.uint16), np.array(winner, np.int16)
    disparity = np.empty(indices.shape, np.int16)
    subpixel_refinement(volume, indices, disparity, min_disparity, cast("str", subpixel))
    return disparity


def sixteenths(sums: list[int], winner: int = 1, subpixel: str = "parabola") -> int:
    """Offset of the refined disparity from the winner, in 1/16 pixel."""
    return int(refined([[sums]], [[winner]], subpixel=subpixel)[0, 0]) - 16 * winner


@pytest.mark.parametrize(
    ("sums", "offset"),
    [
        ([9, 4, 9], 0),  # (0 + 10) / 20 = 0.5
        ([10, 4, 8], 2),  # (32 + 10) / 20 = 2.1
        ([10, 4, 4], 8),  # (96 + 6) / 12 = 8.5
        ([4, 4, 10], -7),  # (-96 + 6) / 12 = -7.5
    ],
)
def test_the_offset_is_the_rounded_minimum_of_the_parabola(sums: list[int], offset: int) -> None:
    assert sixteenths(sums) == offset


@pytest.mark.parametrize(
    ("sums", "offset"),
    [
        ([8, 4, 10], -1),  # (-32 + 10) / 20 = -1.1
        ([9, 4, 10], 0),  # (-16 + 11) / 22 = -0.2
        ([4, 3, 6], -3),  # (-32 + 4) / 8 = -3.5
    ],
)
def test_negative_quotients_round_towards_zero(sums: list[int], offset: int) -> None:
    assert sixteenths(sums) == offset


@pytest.mark.parametrize(
    ("sums", "offset"),
    [
        ([9, 4, 9], 0),  # (0 + 5) / 10 = 0.5
        ([10, 4, 8], 3),  # (32 + 6) / 12 = 3.2
        ([10, 4, 4], 8),  # (96 + 6) / 12 = 8.5
        ([4, 4, 10], -7),  # (-96 + 6) / 12 = -7.5
        ([8, 4, 10], -2),  # (-32 + 6) / 12 = -2.2
        ([4, 4, 4], 0),
    ],
)
def test_two_lines_as_steep_meet_where_the_offset_says(sums: list[int], offset: int) -> None:
    assert sixteenths(sums, subpixel="equiangular") == offset


def test_a_flat_curve_moves_nothing() -> None:
    assert sixteenths([4, 4, 4]) == 0


@pytest.mark.parametrize("winner", [0, 2])
def test_the_ends_of_the_range_are_not_refined(winner: int) -> None:
    assert sixteenths([3, 9, 3], winner) == 0


def test_without_subpixel_whole_disparities_are_written() -> None:
    assert refined([[[10, 4, 8]]], [[1]], subpixel="off").tolist() == [[16]]
    assert refined([[[10, 4, 8]]], [[1]], subpixel=False).tolist() == [[16]]  # as it was called


@pytest.mark.parametrize(("min_disparity", "expected"), [(-5, -62), (3, 66), (-1, 2)])
def test_the_first_disparity_is_added_before_the_offset(min_disparity: int, expected: int) -> None:
    assert refined([[[10, 4, 8]]], [[1]], min_disparity=min_disparity).tolist() == [[expected]]


def test_large_sums_do_not_overflow() -> None:
    # c = 34800 + 34799, numerator 16 + c: just over a half.
    assert sixteenths([34800, 0, 34799]) == 0
    assert sixteenths([34800, 0, 0]) == 8


def test_every_offset_equals_opencvs_formula_in_truncated_division() -> None:
    sums = np.random.default_rng(8).integers(0, 60, (19, 31, 16), np.uint16)
    winner = sums.argmin(axis=2).astype(np.int16)
    disparity = refined(sums, winner, min_disparity=-9)
    for (y, x), d in np.ndenumerate(winner):
        expected = (int(d) - 9) * 16
        if 0 < d < 15:
            below, here, above = (int(s) for s in sums[y, x, d - 1 : d + 2])
            curvature = max(below + above - 2 * here, 1)
            expected += int(((below - above) * 16 + curvature) / (2 * curvature))
        assert disparity[y, x] == expected
