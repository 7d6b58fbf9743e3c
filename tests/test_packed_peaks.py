"""Peaks chosen from the lists of groups of pixels are the reference's, also where groups meet."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.kernels.packed_correlation import list_candidates, packed_peaks
from wheatstone.gpu.pipelines.ncc import NccParams
from wheatstone.gpu.pipelines.ncc.params import MOST_PEAKS
from wheatstone.gpu.pipelines.ncc.parts import groups, most_candidates
from wheatstone.gpu.reference.find_peaks import find_peaks

pytestmark = pytest.mark.usefixtures("emulation")
Scores = NDArray[np.float32]
Lists = NDArray[Any]
SIZE = 131, 259  # three groups of 128 x 64 each way, the last ones narrow
BORDERS = (62, 63, 64, 65), (126, 127, 128, 129)  # rows and columns about the first corner


def listed_of(scores: Scores, threshold: float) -> tuple[Lists, Lists]:
    """Lists as they come of scores: keys, and how many of every group."""
    height, width = scores.shape
    count = groups(height, width, None)
    keys = np.full(most_candidates(height, width, None), -1, np.int64)  # what is there is not read
    lists = keys, np.full(count, -1, np.int32)
    list_candidates(scores, *lists, threshold)
    return lists


def assert_peaks_of_reference(
    scores: Scores, side: int = 3, threshold: float = -1.0, count: int = MOST_PEAKS
) -> None:
    ours, theirs = (
        (np.full((MOST_PEAKS, 4), 7, np.float32), np.full((MOST_PEAKS, 4), 7, np.int32))
        for _ in range(2)
    )
    template = 0, 0, side, side
    packed_peaks(scores, *listed_of(scores, threshold), *ours, template, "exact", count)
    find_peaks(scores, *theirs, template, "exact", count, threshold)
    assert np.array_equal(ours[0].view(np.int32), theirs[0].view(np.int32))
    assert np.array_equal(ours[1], theirs[1])


def level(value: float = 0.0) -> Scores:
    return np.full(SIZE, value, np.float32)


def random_levels(seed: int, levels: int, height: int, width: int) -> Scores:
    """Scores of few different values, so that many are equal."""
    picked = np.random.default_rng(seed).integers(0, levels, (height, width))
    return np.float32(2 / levels) * picked.astype(np.float32) - np.float32(1)


@pytest.mark.parametrize("across", [(0, 1), (1, 0), (1, 1), (1, -1)])
def test_of_two_equal_scores_beside_each_other_the_first_is_a_peak(across: tuple[int, int]) -> None:
    for y in BORDERS[0]:
        for x in BORDERS[1]:
            scores = level()
            scores[y, x] = scores[y + across[0], x + across[1]] = 0.75
            assert_peaks_of_reference(scores, threshold=0.5)


@pytest.mark.parametrize("across", [(0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1)])
def test_a_pixel_is_no_peak_if_one_beyond_its_group_is_higher(across: tuple[int, int]) -> None:
    for y in BORDERS[0]:
        for x in BORDERS[1]:
            scores = level()
            scores[y, x], scores[y + across[0], x + across[1]] = 0.7, 0.75
            scores[20, 20] = 0.6
            assert_peaks_of_reference(scores, threshold=0.5, count=2)
            assert_peaks_of_reference(scores, side=1, threshold=0.5)


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_of_equal_scores_everywhere_only_the_first_pixel_is_a_peak(value: float) -> None:
    for threshold in (-1.0, 1.0):
        assert_peaks_of_reference(level(value), threshold=threshold)


@pytest.mark.parametrize("turned", [False, True])
def test_slopes_across_groups_have_one_peak(turned: bool) -> None:
    """Every group's best lies at its border, and all but one are beaten from beyond it."""
    y, x = np.indices(SIZE[::-1] if turned else SIZE)
    for slope in (x, y, x + y, x - y, -x - y, 3 * x + y):
        assert_peaks_of_reference((slope / 2000).astype(np.float32), threshold=-1.0)
        assert_peaks_of_reference((slope // 40 / 50).astype(np.float32), side=21)


def test_a_group_lists_one_of_every_two_by_two_pixels_at_most() -> None:
    scores = level()
    scores[::2, ::2] = 0.5
    _, listed = listed_of(scores, 0.25)
    assert listed.tolist() == [2048, 2048, 64, 2048, 2048, 64, 128, 128, 4]
    for side in (1, 3, 9, 90, 300):
        assert_peaks_of_reference(scores, side=side, threshold=0.25)


def test_a_group_without_a_score_at_the_threshold_lists_nothing() -> None:
    scores = level()
    scores[70, 130] = 0.5
    _, listed = listed_of(scores, 0.5)
    assert listed.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(("levels", "choosers"), [(2, 32), (2, 64), (3, 1024), (1000, 32)])
def test_peaks_of_random_scores_are_those_of_the_reference(
    monkeypatch: pytest.MonkeyPatch, levels: int, choosers: int
) -> None:
    """With fewer threads than groups, a thread has several; a warp holds few of many candidates."""
    monkeypatch.setattr("wheatstone.gpu.kernels.packed_correlation.CHOOSERS", choosers)
    for seed, (height, width) in enumerate([(700, 500), (65, 129), (64, 1100), (3, 3), (1, 300)]):
        scores = random_levels(seed, levels, height, width)
        for side in (1, 3, 40, 129):
            for threshold in (-1.0, 0.9):
                assert_peaks_of_reference(scores, side, threshold, count=1 + 5 * seed % MOST_PEAKS)


def test_the_default_number_of_peaks_is_less_than_there_can_be() -> None:
    assert NccParams().peaks < MOST_PEAKS
    for count in range(1, MOST_PEAKS + 1):
        assert_peaks_of_reference(random_levels(1, 50, 130, 260), 15, count=count)
