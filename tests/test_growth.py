"""Whether something grows is told from counts: by hand, with noise, with a leak."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.growth import Growth, growths, theil_sen

FRAMES = list(range(0, 40000, 1000))


def judged(name: str, counts: NDArray[Any]) -> Growth:
    (listed,) = growths(FRAMES, [{name: float(count)} for count in counts])
    return listed


def test_the_slope_is_the_median_of_all_pairs_and_no_outlier_moves_it() -> None:
    x = np.array([0.0, 1.0, 2.0, 4.0])
    assert theil_sen(x, np.array([5.0, 6.0, 7.0, 9.0])) == 1.0
    assert theil_sen(x, np.array([0.0, 1.0, 5.0, 4.0])) == pytest.approx(
        1.0
    )  # of -.5 1 1 4/3 2.5 4


def test_warming_up_is_no_growth() -> None:
    counts = np.full(len(FRAMES), 20.0)
    counts[: len(FRAMES) // 2] = np.linspace(3, 20, len(FRAMES) // 2)
    assert judged("threads", counts) == Growth("threads", 20.0, 0.0, 0.0, True)


def test_one_descriptor_lost_in_ten_thousand_frames_is_found() -> None:
    growth = judged("descriptors", np.array(FRAMES) // 10000 + 6.0)
    assert not growth.flat and 0.05 < growth.slope <= 0.1


def test_counts_that_come_and_go_are_flat() -> None:
    noise = np.random.default_rng(4).integers(-2, 3, len(FRAMES))
    assert judged("GL textures", 30.0 + noise).flat


@pytest.mark.parametrize(
    ("a_thousand_frames", "begun", "flat"), [(0.9, 400, True), (1.1, 400, False), (0.9, 10, False)]
)
def test_memory_may_hardly_grow(a_thousand_frames: float, begun: float, flat: bool) -> None:
    counts = begun + np.array(FRAMES) * a_thousand_frames / 1000
    assert judged("resident MiB", counts).flat == flat


def test_what_is_used_for_the_first_time_is_a_step_and_no_growth() -> None:
    counts = 1000.0 + np.random.default_rng(5).random(len(FRAMES))
    counts[30:] += 30
    growth = judged("resident MiB", counts)
    assert growth.flat and growth.slope < 0.5 and 16 < growth.grown < 50
    counts[30:] += 70
    assert not judged("resident MiB", counts).flat


@pytest.mark.parametrize(("a_thousand_frames", "flat"), [(0.0, True), (2.0, False)])
def test_memory_that_is_given_back_later_hides_no_leak_and_is_none(
    a_thousand_frames: float, flat: bool
) -> None:
    counts = 140 + np.array(FRAMES) * a_thousand_frames / 1000
    counts[25:32] += 12
    counts[32:39] += 24
    assert judged("in use MiB", counts).flat == flat


def test_a_little_memory_tells_nothing() -> None:
    listed = growths(range(0, 400, 10), [{"in use MiB": 30 + n / 10} for n in range(40)])
    assert listed[0].flat and listed[0].slope > 9 and listed[0].grown < 12


def test_too_few_counts_are_not_judged() -> None:
    assert growths(FRAMES[:9], [{"threads": 1.0}] * 9) == []
