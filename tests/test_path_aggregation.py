"""Path aggregation: hand-worked paths, then every rule of the recursion."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.sgm.params import DIRECTIONS
from wheatstone.gpu.reference.path_aggregation import path_aggregation


def aggregated(
    grey: Any,
    cost: Any,
    p1: int,
    p2: int,
    adaptation: str,
    direction: tuple[int, int],
    sweep: bool = False,
) -> NDArray[np.uint16]:
    """L of one direction, or of a sweep; ``grey`` is (H, W), ``cost`` (H, W, D)."""
    costs = np.array(cost, np.uint8)
    path_costs = np.full(costs.shape, 9999, np.uint16)
    penalties = p1, p2, adaptation
    path_aggregation(np.array(grey, np.uint8), costs, path_costs, *penalties, *direction, sweep)
    return path_costs


def large_penalty(g: int, p1: int, p2: int, adaptation: str, *, dark_first: bool = True) -> int:
    """P2' where the grey level changes by ``g``, seen in the costs of two pixels.

    The first pixel costs 0 at d = 0 and 255 elsewhere, the second nothing: its d = 2 then takes
    the large step, as long as that is cheaper than 255.
    """
    grey = [[0, g]] if dark_first else [[g, 0]]
    path_costs = aggregated(grey, [[[0, 255, 255], [0, 0, 0]]], p1, p2, adaptation, (1, 0))
    return int(path_costs[0, 1, 2])


def test_a_path_from_left_to_right() -> None:
    # Second pixel, m = 0: 5 + min(0, 5+1, 0+3); 0 + min(5, 0+1, 5+1, 3); 5 + min(5, 5+1, 3).
    # Third pixel, m = 1: 5 + min(5, 1+1, 1+3) - 1; 5 + 1 - 1; 0 + min(8, 1+1, 1+3) - 1.
    cost = [[[0, 5, 5], [5, 0, 5], [5, 5, 0]]]
    path_costs = aggregated([[0, 0, 0]], cost, 1, 3, "none", (1, 0))
    assert path_costs.tolist() == [[[0, 5, 5], [5, 1, 8], [6, 5, 1]]]


def test_the_same_path_upwards() -> None:
    cost = [[[5, 5, 0]], [[5, 0, 5]], [[0, 5, 5]]]
    path_costs = aggregated([[0], [0], [0]], cost, 1, 3, "none", (0, -1))
    assert path_costs.tolist() == [[[6, 5, 1]], [[5, 1, 8]], [[0, 5, 5]]]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_path_begins_where_its_previous_pixel_is_outside(direction: tuple[int, int]) -> None:
    dx, dy = direction
    cost = np.random.default_rng(3).integers(1, 256, (5, 7, 4), np.uint8)
    path_costs = aggregated(np.zeros((5, 7)), cost, 200, 400, "none", direction)
    begins = np.zeros((5, 7), bool)
    if dx:
        begins[:, 0 if dx > 0 else -1] = True
    if dy:
        begins[0 if dy > 0 else -1] = True
    assert np.array_equal(path_costs[begins], cost[begins])
    assert (path_costs[~begins] != cost[~begins]).any(axis=1).all()


def test_disparities_do_not_wrap_round_at_the_ends_of_the_range() -> None:
    # The cheap disparity at one end must not lend the other its small penalty.
    low = aggregated([[0, 0]], [[[0, 90, 90], [0, 0, 0]]], 1, 8, "none", (1, 0))
    high = aggregated([[0, 0]], [[[90, 90, 0], [0, 0, 0]]], 1, 8, "none", (1, 0))
    assert low[0, 1].tolist() == [0, 1, 8]
    assert high[0, 1].tolist() == [8, 1, 0]


@pytest.mark.parametrize(
    ("adaptation", "penalties"),
    [
        ("none", {0: 100, 1: 100, 7: 100, 255: 100}),
        ("divide", {0: 100, 1: 100, 2: 50, 3: 33, 6: 16, 7: 15, 255: 15}),
        ("soft", {0: 100, 1: 94, 2: 88, 16: 50, 54: 22, 57: 22, 255: 22}),
    ],
)
def test_the_large_penalty_shrinks_with_the_grey_step(
    adaptation: str, penalties: dict[int, int]
) -> None:
    assert {g: large_penalty(g, 15, 100, adaptation) for g in penalties} == penalties
    falling = {g: large_penalty(g, 15, 100, adaptation, dark_first=False) for g in penalties}
    assert falling == penalties


def test_soft_never_falls_below_one_and_a_half_small_penalties() -> None:
    assert large_penalty(0, 100, 100, "soft") == 150  # even above p2
    assert large_penalty(255, 7, 100, "soft") == 10  # 21 // 2


def test_the_largest_costs_and_penalties_do_not_overflow() -> None:
    # d = 0 costs nothing; each further disparity adds 255 + 1023, until 255 + 4095 is cheaper.
    cost = np.full((1, 40, 16), 255)
    cost[:, :, 0] = 0
    path_costs = aggregated(np.zeros((1, 40)), cost, 1023, 4095, "none", (1, 0))
    assert path_costs[0, -1].tolist() == [0, 1278, 2556, 3834] + [4350] * 12


def test_a_sweep_averages_the_messages_from_both_sides() -> None:
    # Messages of the first row's pixels, P1 1 and P2 3: 0 1 3, then 1 0 1 with m = 2, then 3 1 0.
    # The left and the right pixel have one pixel before them, the middle one has two, whose
    # messages add up to 3 2 3, and halves are rounded up.
    cost = [[[0, 9, 9], [9, 2, 9], [9, 9, 0]], [[0, 0, 0]] * 3]
    path_costs = aggregated(np.zeros((2, 3)), cost, 1, 3, "none", (0, 1), sweep=True)
    assert path_costs[0].tolist() == cost[0]
    assert path_costs[1].tolist() == [[1, 0, 1], [2, 1, 2], [1, 0, 1]]


def test_the_penalty_of_a_sweep_is_that_of_the_pixel_a_message_comes_from() -> None:
    # Above on the left the same grey level and P2' = 80, on the right 20 levels more and 80 / 20.
    cost = [[[0, 255, 255], [0, 0, 0], [0, 255, 255]], [[0, 0, 0]] * 3]
    path_costs = aggregated([[0, 9, 20], [0, 0, 0]], cost, 2, 80, "divide", (0, 1), sweep=True)
    assert path_costs[1, 1].tolist() == [0, 2, 42]


def test_a_column_of_pixels_has_nothing_for_a_sweep_to_carry() -> None:
    cost = np.random.default_rng(8).integers(0, 256, (7, 1, 4), np.uint8)
    for dy in (-1, 1):
        swept = aggregated(np.zeros((7, 1)), cost, 1, 3, "none", (0, dy), sweep=True)
        assert np.array_equal(swept, cost)


def recursion(
    grey: NDArray[Any],
    cost: NDArray[Any],
    p1: int,
    p2: int,
    adaptation: str,
    direction: tuple[int, int],
    sweep: bool,
) -> NDArray[Any]:
    """L as the formula reads: every disparity looks at every disparity of the previous pixel."""
    dx, dy = direction
    height, width, disparities = cost.shape
    known: dict[tuple[int, int], list[int]] = {}

    def carried(y: int, x: int) -> list[int]:
        if (y, x) not in known:
            known[y, x] = evaluate(y, x)
        return known[y, x]

    def evaluate(y: int, x: int) -> list[int]:
        neighbours = (x - 1, x + 1) if sweep else (x - dx,)
        before = [(y - dy, bx) for bx in neighbours if 0 <= y - dy < height and 0 <= bx < width]
        sent = [message(y, x, *q) for q in before] or [[0] * disparities]
        return [
            int(c) + (sum(m) + len(m) - 1) // len(m)
            for c, m in zip(cost[y, x], zip(*sent, strict=True), strict=True)
        ]

    def message(y: int, x: int, before_y: int, before_x: int) -> list[int]:
        before = carried(before_y, before_x)
        g = abs(int(grey[y, x]) - int(grey[before_y, before_x]))
        large = {
            "none": p2,
            "divide": max(p1, p2 // (g or 1)),
            "soft": max(3 * p1 // 2, 16 * p2 // (16 + g)),
        }[adaptation]
        near = {0: 0, 1: min(p1, large)}
        return [
            min(before[k] + near.get(abs(d - k), large) for k in range(disparities)) - min(before)
            for d in range(disparities)
        ]

    return np.array([[carried(y, x) for x in range(width)] for y in range(height)])


@pytest.mark.parametrize("adaptation", ["none", "divide", "soft"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_direction_equals_the_formula(direction: tuple[int, int], adaptation: str) -> None:
    generator = np.random.default_rng(4)
    grey = generator.integers(0, 20, (5, 7), np.uint8)
    cost = generator.integers(0, 40, (5, 7, 6), np.uint8)
    for sweep in (False, True) if direction[0] == 0 else (False,):
        walked = 4, 30, adaptation, direction, sweep
        assert np.array_equal(aggregated(grey, cost, *walked), recursion(grey, cost, *walked))
