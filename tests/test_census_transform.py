"""Census transform: hand-worked words, then the borders."""

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.reference.descriptors import PAIRS, census_transform

COSTS = tuple(PAIRS)


def words(image: NDArray[np.uint8], cost: str) -> NDArray[np.uint32]:
    """Census words of the left view; the right view is black."""
    left, right = np.empty(image.shape, np.uint32), np.empty(image.shape, np.uint32)
    census_transform(image, np.zeros_like(image), left, right, cost)
    return left


def window(grey: dict[tuple[int, int], int]) -> NDArray[np.uint8]:
    """7 rows by 9 columns of grey level 5 but for the pixels (dy, dx) given from the centre."""
    image = np.full((7, 9), 5, np.uint8)
    for (dy, dx), level in grey.items():
        image[3 + dy, 4 + dx] = level
    return image


def test_checkerboard_marks_darker_pixels_at_odd_offsets_row_by_row() -> None:
    # The rows compare 5, 4, 5, 4, 5, 4 and 5 pixels, so (0, 1) is the 17th bit from the left.
    image = window({(-3, -4): 4, (0, 1): 4, (3, 4): 4, (-1, 0): 6, (3, 3): 4})
    word = words(image, "census-checkerboard")[3, 4]
    assert f"{word:032b}" == "10000000000000001000000000000001"


def test_symmetric_marks_pixels_brighter_than_their_mirror_image() -> None:
    # (-3, -4) > (3, 4); (-3, 0) > (3, 0); (0, -1) > (0, 1); but not (0, -2) > (0, 2).
    image = window({(-3, -4): 6, (3, 0): 4, (0, -1): 6, (0, 2): 6})
    word = words(image, "census-symmetric")[3, 4]
    assert f"{word:031b}" == "1000100000000000000000000000001"


def test_ring_marks_darker_pixels_of_the_5x5_window_then_of_the_outer_eight() -> None:
    inner = {(-2, -2): 4, (0, -1): 4, (2, 2): 4, (1, 1): 6}
    outer = {(-3, -4): 4, (0, -4): 4, (3, 4): 4}
    never_compared = {(0, 3): 4, (-3, 1): 4, (3, -2): 4}
    word = words(window(inner | outer | never_compared), "census-ring")[3, 4]
    assert f"{word:032b}" == "10000000000100000000000110010001"


def test_ring_symmetric_marks_darker_pixels_then_brighter_mirror_images() -> None:
    # Of the 24 neighbours the 1st, 17th and 24th are darker; of the pairs the first, (-3, -4), and
    # the last two, (-1, 0) and (0, -1), are brighter than their mirror images.
    darker = {(-2, -2): 4, (1, 0): 4, (2, 2): 4}
    brighter = {(-3, -4): 6, (0, -1): 6, (0, 4): 6}
    word = words(window(darker | brighter), "census-ring-symmetric")[3, 4]
    assert f"{word:032b}" == "10000000000000001000000110000011"


def test_mean_marks_pixels_darker_than_the_mean_of_the_3x3_around_the_centre() -> None:
    # The mean is 5 + 3/9 + 6/9 = 6, so that the 5s are darker, and 6 as well as 7 are not.
    around = {(-1, 1): 8, (0, 0): 11}
    image = window(around | {(-3, -4): 6, (-3, -2): 7})
    word = words(image, "census-mean")[3, 4]
    assert f"{word:032b}" == "00111111111111111111111111111111"


@pytest.mark.parametrize("cost", COSTS)
def test_equal_pixels_give_no_bit(cost: str) -> None:
    assert not words(np.full((8, 11), 200, np.uint8), cost).any()


def test_a_bright_pixel_sets_every_bit_of_its_own_word() -> None:
    image = window({(0, 0): 255})
    assert words(image, "census-checkerboard")[3, 4] == 2**32 - 1
    assert words(image, "census-ring")[3, 4] == 2**32 - 1
    assert words(image, "census-mean")[3, 4] == 2**32 - 1
    assert words(image, "census-symmetric")[3, 4] == 0  # which never looks at its centre


def test_the_nearest_edge_pixel_stands_in_outside_the_image() -> None:
    # Seen from the 9, all columns to its right are 0 and all others 9, in every row.
    image = np.array([[9, 0]], np.uint8)
    checkerboard = words(image, "census-checkerboard")[0]
    assert f"{checkerboard[0]:032b}" == "00011001100011001100011001100011"
    assert checkerboard[1] == 0
    # Left of the centre 9, right of it 0: every pair but those in the centre column.
    symmetric = words(image, "census-symmetric")[0]
    assert f"{symmetric[0]:031b}" == "1111000001111000001111000001111"
    ring = words(image, "census-ring")[0]
    assert f"{ring[0]:032b}" == "00011000110011000110001100101001"
    # Means of 6 and 3 in place of the centres: brighter than every 0, darker than every 9.
    mean = words(image, "census-mean")[0]
    assert f"{mean[0]:032b}" == "00011001100011001100011001100011"
    assert f"{mean[1]:032b}" == "00111001100111001100111001100111"


def test_each_view_gets_its_own_words() -> None:
    dark, bright = np.zeros((7, 9), np.uint8), window({(0, 0): 255})
    left, right = np.empty((2, 7, 9), np.uint32)
    census_transform(dark, bright, left, right, "census-ring")
    assert left[3, 4] == 0
    assert right[3, 4] == 2**32 - 1


@pytest.mark.parametrize("cost", COSTS)
def test_words_do_not_change_under_another_exposure(cost: str) -> None:
    image = np.random.default_rng(1).integers(0, 100, (13, 17), np.uint8)
    assert np.array_equal(words(image, cost), words(2 * image + 40, cost))
