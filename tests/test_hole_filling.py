"""Hole filling: hand-worked holes, then properties, and the parallel variant on large holes."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.cpu import speckles_and_holes as on_cpu
from wheatstone.gpu.kernels import disparity as on_gpu
from wheatstone.gpu.pipelines.sgm import SgmParams
from wheatstone.gpu.pipelines.sgm.images import mask_words
from wheatstone.gpu.reference.speckles_and_holes import hole_filling

HOLE = -16


def filled(disparity: Any, min_disparity: int = 0) -> NDArray[np.int16]:
    given = np.array(disparity, np.int16)
    result = np.empty_like(given)
    hole_filling(given, result, min_disparity)
    return result


def test_an_occlusion_shows_the_background_on_its_left() -> None:
    # A step of 2 pixels hides 2, and 2 more are forgiven: 4 holes, not 5.
    start = [32] * 5
    assert filled([[*start, *[HOLE] * 4, 64]]).tolist() == [start + [32] * 4 + [64]]
    above = [64] * 11
    assert filled([above, [*start, *[HOLE] * 5, 64], above])[1, 7] == 64


def test_at_the_left_edge_the_surface_on_the_right_goes_on() -> None:
    # Column 3 has no partner at a disparity of 4 pixels, column 4 has: there it is an occlusion.
    above = [32] * 6
    assert filled([above, [32, 32, 32, HOLE, HOLE, 64], above]).tolist()[1][3:5] == [64, 32]
    assert filled([[7] * 3, [HOLE, HOLE, 9], [7] * 3]).tolist()[1] == [9, 9, 9]


def test_a_small_step_and_a_step_down_hide_nothing() -> None:
    # Found: 32 on one side, five times more on the other sides; the fourth of eight is theirs.
    for left, right, around in ((32, 48, 48), (64, 32, 64)):
        row = [around] * 9
        assert filled([row, [left] * 7 + [HOLE, right], row])[1, 7] == around


def test_the_fourth_of_eight_is_taken() -> None:
    # Left 7 and right 4: not an occlusion, so it is the median of 1..8, the lower of 4 and 5.
    assert filled([[6, 2, 8], [7, HOLE, 4], [3, 5, 1]])[1, 1] == 4


def test_what_lies_further_away_counts_as_well() -> None:
    disparity = np.full((5, 5), HOLE)
    disparity[::2, ::2] = [[1, 2, 3], [4, HOLE, 5], [6, 7, 8]]
    assert filled(disparity)[2, 2] == 4
    assert filled(disparity)[0, 1] == 1  # between 1 and 2, and far below nothing


def test_an_edge_of_the_image_takes_the_median_of_fewer() -> None:
    assert filled([[5, HOLE, 9], [6, 7, 8]])[0, 1] == 7  # of 5 to 9


def test_without_any_disparity_holes_stay() -> None:
    assert filled([[HOLE] * 3] * 2).tolist() == [[HOLE] * 3] * 2


def test_a_filled_pixel_fills_no_other() -> None:
    # From the corner nothing is seen but holes, though both of them are filled.
    disparity = np.full((5, 5), HOLE)
    disparity[1, 2] = 80
    result = filled(disparity)
    assert result[1, 0] == 80 and result[4, 4] == HOLE


def test_invalid_is_one_pixel_below_the_range() -> None:
    assert filled([[88, 64, 80]], min_disparity=5).tolist() == [[88, 80, 80]]


def test_valid_pixels_are_kept_and_every_fill_is_found_around() -> None:
    generator = np.random.default_rng(5)
    disparity = generator.integers(0, 1000, (19, 33)).astype(np.int16)
    disparity[generator.random((19, 33)) < 0.4] = HOLE
    result = filled(disparity)
    valid = disparity != HOLE
    assert np.array_equal(result[valid], disparity[valid])
    assert np.isin(result[~valid], disparity[valid]).all()


def with_holes(height: int, width: int, share: float) -> NDArray[np.int16]:
    generator = np.random.default_rng((height, width))
    disparity = generator.integers(0, 99, (height, width)).astype(np.int16)
    disparity[generator.random((height, width)) < share] = HOLE
    return disparity


@pytest.mark.parametrize("share", [0.3, 0.97, 0.999, 1.0])
@pytest.mark.parametrize(("height", "width"), [(1, 70), (70, 1), (16, 5), (67, 131)])
def test_the_parallel_variant_equals_the_reference(height: int, width: int, share: float) -> None:
    disparity = with_holes(height, width, share)
    result = np.empty_like(disparity)
    on_cpu.hole_filling(disparity, result, 0)
    assert np.array_equal(result, filled(disparity))


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("share", [0.3, 0.97, 0.999, 1.0])
@pytest.mark.parametrize(("height", "width"), [(1, 70), (70, 1), (96, 64), (67, 131)])
def test_the_emulated_kernels_equal_the_reference(height: int, width: int, share: float) -> None:
    disparity = with_holes(height, width, share)
    result = np.empty_like(disparity)
    masks = np.full(mask_words(height, width, SgmParams()), 0xFFFFFFFF, np.uint32)
    on_gpu.hole_filling(disparity, result, masks, 0)
    assert np.array_equal(result, filled(disparity))
