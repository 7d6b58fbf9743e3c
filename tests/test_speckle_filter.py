"""Speckle filter: hand-worked islands, then OpenCV's, on islands that wind."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.cpu import speckles_and_holes as on_cpu
from wheatstone.gpu.kernels import disparity as on_gpu
from wheatstone.gpu.reference import speckles_and_holes as as_specified

INVALID = -16
FILTERS: tuple[Callable[..., None], ...] = (
    as_specified.speckle_filter,
    on_cpu.speckle_filter,
)


@pytest.fixture(params=FILTERS, ids=("reference", "cpu"))
def speckle_filter(request: pytest.FixtureRequest) -> Callable[..., None]:
    chosen: Callable[..., None] = request.param
    return chosen


def everything(
    speckle_filter: Callable[..., None],
    disparity: Any,
    size: int,
    step: int = 1,
    min_disparity: int = 0,
) -> list[NDArray[Any]]:
    given = np.array(disparity, np.int16)
    images: list[NDArray[Any]] = [
        np.full(given.shape, 9, dtype) for dtype in (np.int16, np.int32, np.int32)
    ]
    speckle_filter(given, *images, min_disparity, size, step)
    return images


def filtered(
    speckle_filter: Callable[..., None], disparity: Any, size: int, **changes: int
) -> NDArray[np.int16]:
    return everything(speckle_filter, disparity, size, **changes)[0]


def test_an_island_of_as_many_pixels_as_given_is_rejected(
    speckle_filter: Callable[..., None],
) -> None:
    row = [[80, 80, 160, 160, 160]]
    assert filtered(speckle_filter, row, 1).tolist() == row
    assert filtered(speckle_filter, row, 2).tolist() == [[INVALID] * 2 + [160] * 3]
    assert filtered(speckle_filter, row, 3).tolist() == [[INVALID] * 5]


def test_a_slope_is_one_island_and_a_cliff_ends_it(speckle_filter: Callable[..., None]) -> None:
    slope = [[0, 16, 32, 48, 65]]  # the last step is one sixteenth too large
    assert filtered(speckle_filter, slope, 3).tolist() == [[0, 16, 32, 48, INVALID]]
    assert filtered(speckle_filter, slope, 3, step=2).tolist() == slope


def test_diagonal_neighbours_are_not_connected(speckle_filter: Callable[..., None]) -> None:
    assert filtered(speckle_filter, [[80, 0], [0, 80]], 1).tolist() == [[INVALID] * 2] * 2
    assert filtered(speckle_filter, [[80, 80], [0, 80]], 1).tolist() == [[80, 80], [INVALID, 80]]


def test_invalid_pixels_belong_to_no_island(speckle_filter: Callable[..., None]) -> None:
    # With a first disparity of 5 px, invalid is 64; it is near 70, yet parts its neighbours.
    row = [[70, 64, 70, 70]]
    assert filtered(speckle_filter, row, 1, min_disparity=5).tolist() == [[64, 64, 70, 70]]


def winding(height: int, width: int, kind: str) -> NDArray[np.int16]:
    """Disparities whose islands are long and thin, or many."""
    generator = np.random.default_rng((height, width))
    y, x = np.mgrid[:height, :width]
    if kind == "comb":  # teeth that hang together only at the bottom
        return np.where((x % 2 == 0) | (y == height - 1), 160, 480).astype(np.int16)
    if kind == "snake":
        turn = np.where(y // 2 % 2 == 0, width - 1, 0)
        return np.where((y % 2 == 0) | (x == turn), 160, INVALID).astype(np.int16)
    levels = generator.integers(-1, 3 if kind == "islands" else 9, (height, width))
    return (levels * 16).astype(np.int16)


@pytest.mark.parametrize("kind", ["comb", "snake", "islands", "dust"])
@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 50), (50, 1), (67, 45), (131, 211)])
def test_the_filter_equals_opencvs(
    speckle_filter: Callable[..., None], height: int, width: int, kind: str
) -> None:
    disparity = winding(height, width, kind)
    for size, step in ((1, 1), (10, 1), (1000, 1), (30, 0), (5, 2)):
        expected, _ = cv2.filterSpeckles(disparity.copy(), INVALID, size, 16 * step)
        result = filtered(speckle_filter, disparity, size, step=step)
        assert np.array_equal(result, expected.reshape(height, width)), (size, step)


def test_islands_are_known_by_their_first_pixel_and_size(
    speckle_filter: Callable[..., None],
) -> None:
    disparity = np.array([[80, 0, 80, 80], [80, 80, 80, INVALID], [0, 0, INVALID, 0]], np.int16)
    _, islands, sizes = everything(speckle_filter, disparity, 1)
    assert islands.tolist() == [[0, 1, 0, 0], [0, 0, 0, -1], [8, 8, -1, 11]]
    assert sizes.tolist() == [[6, 1, 6, 6], [6, 6, 6, 0], [2, 2, 0, 1]]


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("kind", ["comb", "snake", "islands", "dust"])
def test_emulated_kernels_follow_islands_from_tile_to_tile(kind: str) -> None:
    disparity = winding(67, 101, kind)
    emulated = everything(on_gpu.speckle_filter, disparity, 10)
    for ours, expected in zip(emulated, everything(FILTERS[0], disparity, 10), strict=True):
        assert np.array_equal(ours, expected)
