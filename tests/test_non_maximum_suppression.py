"""Non-maximum suppression: each direction, ties, edges, and squares against roots."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.reference.gradient import non_maximum_suppression

AVEIRO = "aveiro-2025"


def kept(
    magnitude: Any, direction: int, convention: str = "opencv", gradients: Any = None
) -> NDArray[np.int32]:
    """Local maxima where all pixels have one direction; ``gradients``: compare their squares."""
    values = np.array(magnitude, np.int32)
    across = np.array(values if gradients is None else gradients, np.int16)
    suppressed = np.full(values.shape, 77, np.int32)
    norm = "l1" if gradients is None else "l2"
    directions = np.full(values.shape, direction, np.uint8)
    non_maximum_suppression(
        across, np.zeros_like(across), values, directions, suppressed, convention, norm
    )
    return suppressed


@pytest.mark.parametrize(
    ("direction", "neighbours"),
    [
        (0, [(1, 0), (1, 2)]),
        (1, [(0, 0), (2, 2)]),
        (2, [(0, 1), (2, 1)]),
        (3, [(0, 2), (2, 0)]),
    ],
)
def test_a_pixel_is_compared_along_its_direction(
    direction: int, neighbours: list[tuple[int, int]]
) -> None:
    for y in range(3):
        for x in range(3):
            magnitude = np.full((3, 3), 1)
            magnitude[1, 1] = 5
            if (y, x) != (1, 1):
                magnitude[y, x] = 6
            expected = 0 if (y, x) in neighbours else 5
            assert kept(magnitude, direction)[1, 1] == expected, (y, x)


def test_opencv_keeps_the_first_of_two_equal_pixels_and_aveiro_neither() -> None:
    row, column = [[1, 5, 5, 1]], [[1], [5], [5], [1]]
    assert kept(row, 0).tolist() == [[0, 5, 0, 0]]
    assert kept(column, 2).tolist() == [[0], [5], [0], [0]]
    assert not kept(row, 0, AVEIRO).any()
    assert not kept(column, 2, AVEIRO).any()


def test_of_two_equal_pixels_on_a_diagonal_neither_is_kept() -> None:
    for convention in ("opencv", AVEIRO):
        assert not kept(np.diag([1, 5, 5, 1]), 1, convention).any()
        assert not kept(np.fliplr(np.diag([1, 5, 5, 1])), 3, convention).any()


def test_outside_the_image_there_is_no_magnitude() -> None:
    assert kept([[3]], 0).tolist() == [[3]]
    assert kept([[3, 2], [1, 1]], 1).tolist() == [[3, 2], [1, 0]]


def test_no_direction_and_no_magnitude_give_nothing() -> None:
    assert kept([[0, 0, 0]], 4).tolist() == [[0, 0, 0]]
    assert kept([[0, 0, 0]], 0).tolist() == [[0, 0, 0]]


def test_squares_tell_apart_what_roots_rounded_do_not() -> None:
    roots = [[15, 15, 15]]
    assert kept(roots, 0, gradients=[[13, 14, 12]]).tolist() == [[0, 15, 0]]
