"""Hierarchical search: hand-worked tiles, an independent program, and the prototype's rule."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.quality import read_pairs
from wheatstone.gpu.cpu import search_range as on_cpu
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.params import lower_range
from wheatstone.gpu.reference.search_range import (
    FIRST_LEVEL,
    LOWER_LEVELS,
    SearchRules,
    add_sides,
    ask,
    blocks_shape,
    choose_blocks,
    half_size,
)

HIERARCHICAL = SgmParams(search="hierarchical", speckle_size=0)


def asked(winners: Any, blocks: int, needed: int = 1, reach: int = 0, first: int = 0) -> list[int]:
    """The blocks that one tile searches, of winners of 8 x 8 pixels at half size."""
    winner = np.array(winners, np.int16) * np.ones((8, 8), np.int16)
    searched = np.full((1, 1, blocks), 7, np.uint8)
    ask(winner, searched, first >> 1, first, needed, reach)
    return [int(b) for b in np.flatnonzero(searched[0, 0])]


def test_a_winner_asks_for_six_disparities() -> None:
    # w = 10 asks for 18 to 23, all of block 2; w = 11 for 20 to 25, which reach block 3.
    assert asked(10, 8) == [2]
    assert asked(11, 8) == [2, 3]
    assert asked(0, 8) == [0]
    assert asked(31, 8) == [7]


def test_an_odd_first_disparity_shifts_what_is_asked_for() -> None:
    # The range begins at 7, the one below at 3: w = 10 is 13, which asks for 24 to 29, index 17 on.
    assert asked(10, 8, first=7) == [2]
    assert asked(8, 8, first=7) == [1, 2]  # 22 is index 15: 13 to 18


def test_rare_winners_do_not_count_unless_there_are_no_others() -> None:
    rare = np.full((8, 8), 20)
    rare[0, :5] = 2
    assert asked(rare, 8, needed=6) == [4, 5]
    assert asked(rare, 8, needed=5) == [0, 4, 5]
    assert asked(np.arange(64).reshape(8, 8) % 32, 8, needed=6) == list(range(8))


def test_a_tile_that_asks_beyond_the_range_searches_the_last_block() -> None:
    assert lower_range(0, 48) == (0, 32)
    assert asked(31, 6) == [5]
    assert asked(np.r_[[31] * 7, 3], 6) == [0, 1]  # 3 asks for 4 to 9: there is something to search


def test_a_range_below_holds_every_half() -> None:
    for first in range(-9, 10):
        for count in range(48, 400, 16):
            below, number = lower_range(first, count)
            assert number % 16 == 0 and number < count
            assert all(below <= d >> 1 < below + number for d in range(first, first + count))


def test_opposite_neighbours_add_what_both_search() -> None:
    own = np.zeros((3, 3, 2), np.uint8)
    own[1, 0, 0] = own[1, 2, 0] = own[0, 0, 1] = own[2, 2, 1] = own[0, 1, 0] = 1
    searched = own.copy()
    add_sides(own, searched)
    assert searched[1, 1].tolist() == [1, 1]
    assert searched.sum() == own.sum() + 2


def test_half_size_rounds_means_and_drops_the_odd_row_and_column() -> None:
    image = np.array([[1, 2, 9, 9, 5], [2, 1, 9, 8, 5], [7, 7, 7, 7, 7]], np.uint8)
    assert half_size(image).tolist() == [[2, 9]]  # (6 + 2) / 4, (35 + 2) / 4


# An independent program, written from the docstring of ``searched_blocks``: slow, in plain Python
# and NumPy, of one cost and four paths without adaptation.


def winners_of(
    left: NDArray[Any], right: NDArray[Any], tiles: NDArray[Any], first: int, params: SgmParams
) -> NDArray[Any]:
    (height, width), count = left.shape, tiles.shape[2] * 8
    searches = np.repeat(tiles.repeat(16, 0).repeat(16, 1)[:height, :width], 8, axis=2) > 0
    costs = np.full((height, width, count), 255.0)
    for d in range(count):
        for x in range(width):
            if 0 <= x - first - d < width:
                costs[:, x, d] = np.abs(left[:, x] * 1.0 - right[:, x - first - d])
    costs[~searches] = np.inf
    sums = np.zeros_like(costs)
    for turned, flipped in ((False, False), (False, True), (True, False), (True, True)):
        lines = np.swapaxes(costs, 0, 1) if turned else costs
        lines = lines[:, ::-1] if flipped else lines
        path = np.full_like(lines, np.inf)
        path[:, 0] = lines[:, 0]
        for i in range(1, lines.shape[1]):
            before = path[:, i - 1]
            near = np.pad(before, ((0, 0), (1, 1)), constant_values=np.inf)
            low = before.min(axis=1, keepdims=True)
            steps = np.minimum(near[:, :-2], near[:, 2:]) + params.p1
            path[:, i] = lines[:, i] + np.minimum(np.minimum(before, steps), low + params.p2) - low
        path = path[:, ::-1] if flipped else path
        sums += np.swapaxes(path, 0, 1) if turned else path
    return np.asarray(np.argmin(sums, axis=2))


def tiles_of(
    left: NDArray[Any], right: NDArray[Any], first: int, count: int, params: SgmParams, *, top: bool
) -> NDArray[Any]:
    (height, width) = left.shape
    tiles = np.ones((-(-height // 16), -(-width // 16), count // 8), np.uint8)
    if count <= 32 or min(height, width) < 32:
        return tiles
    halves = []
    for view in (left, right):
        even = view[: height // 2 * 2, : width // 2 * 2].astype(int)
        halves.append(
            (even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2] + 2) // 4
        )
    below = first // 2
    number = (first + count - 1) // 2 - below + 1
    number += -number % 16
    lower = tiles_of(halves[0], halves[1], below, number, params, top=False)
    winner = winners_of(halves[0], halves[1], lower, below, params)
    needed, reach = (6, 2) if top else (1, 4)
    for j, row in enumerate(tiles):
        for i, tile in enumerate(row):
            y, x = min(8 * j, winner.shape[0] - 8), min(8 * i, winner.shape[1] - 8)
            rows = slice(max(y - reach, 0), y + 8 + reach)
            window = winner[rows, max(x - reach, 0) : x + 8 + reach]
            values, votes = np.unique(window, return_counts=True)
            wanted = values[votes >= needed] if votes.max() >= needed else values
            near = {2 * (below + int(w)) + k - first for w in wanted for k in range(-2, 4)}
            blocks = {d // 8 for d in near if 0 <= d < count} or {count // 8 - 1}
            tile[:] = [b in blocks for b in range(count // 8)]
    return tiles


@pytest.mark.parametrize("first", [0, 3, -6])
@pytest.mark.parametrize("disparities", [48, 80, 144])
def test_an_independent_program_searches_the_same(first: int, disparities: int) -> None:
    random = np.random.default_rng(disparities + first)
    texture = random.integers(0, 256, (67, 190), np.uint8)
    left, right = texture[:, :130], np.ascontiguousarray(texture[:, 21:151])
    left = np.ascontiguousarray(left)
    right[:, :40] = random.integers(0, 256, (67, 40))
    params = HIERARCHICAL.changed(
        disparities=disparities, min_disparity=first, cost="absolute", outside=-1, paths=4
    ).changed(p1=15, p2=100, p2_adaptation="none")
    execution = prepare(SGM, "reference", params, 67, 130)
    execution.upload(left=left, right=right)
    execution.run()
    tiles = tiles_of(left, right, first, disparities, params, top=True)
    assert 0 < tiles.mean() < 1
    assert np.array_equal(execution.download("searched"), tiles)
    winner = winners_of(left, right, tiles, first, params)
    assert np.array_equal(execution.download("winner"), winner)


def test_what_is_searched_in_full_gives_the_full_search() -> None:
    random = np.random.default_rng(5)
    for shape, disparities in (((40, 70), 32), ((31, 90), 128), ((90, 31), 128)):
        left, right = random.integers(0, 256, (2, *shape), np.uint8)
        params = HIERARCHICAL.changed(disparities=disparities)
        result = compute(SGM, "cpu", params, left=left, right=right)
        full = compute(SGM, "cpu", params.changed(search="full"), left=left, right=right)
        assert np.array_equal(result, full)


def test_the_number_searched_is_an_image() -> None:
    left = np.random.default_rng(6).integers(0, 256, (50, 90), np.uint8)
    for search in ("full", "hierarchical"):
        params = HIERARCHICAL.changed(disparities=96, search=search)
        execution = prepare(SGM, "cpu", params, 50, 90, ["searched_count"])
        execution.upload(left=left, right=np.roll(left, -9, axis=1))
        execution.run()
        count = execution.download("searched_count")
        if search == "full":
            assert np.all(count == 96)
        else:
            searched = execution.download("searched")
            assert np.all(count[:16, :16] == 8 * searched[0, 0].sum())
            assert np.all(count[48:, 80:] == 8 * searched[3, 5].sum())
            assert count.mean() < 48


# The prototype whose rule this is, on real pairs.


@pytest.mark.parametrize("sides", [False, True])
def test_the_prototype_chooses_the_same_on_the_shared_pairs(sides: bool, data: Path) -> None:
    file = data.parent / "research" / "prototypes" / "hierarchical" / "spec.py"
    if not file.is_file():
        pytest.skip(f"the prototype is absent ({file.name})")
    found = importlib.util.spec_from_file_location("prototype", file)
    assert found and found.loader
    prototype = importlib.util.module_from_spec(found)
    found.loader.exec_module(prototype)
    params = SGM.preset("fast")
    assert isinstance(params, SgmParams)
    compared = (params.cost, 0, params.gradient, params.outside)
    penalties = (params.p1, params.p2, params.p2_adaptation)
    rules = SearchRules(*compared, *penalties, params.directions, params.sweeps, sides)
    for pair in read_pairs(data / "stereo"):
        blocks, winners = [], []

        def matched(left: Any, right: Any, searched: Any, rules: SearchRules) -> Any:
            blocks.append(searched)  # noqa: B023
            winners.append(on_cpu.winners(left, right, searched, rules))  # noqa: B023
            return winners[-1]  # noqa: B023

        tiles = blocks_shape(pair.left.shape[0], pair.left.shape[1], pair.disparities)
        blocks.append(searched := np.empty(tiles, np.uint8))
        choose_blocks(pair.left, pair.right, searched, rules, FIRST_LEVEL, matched)
        blocks.append(blocks.pop(0))
        sizes = [winner.shape for winner in winners[1:]] + [pair.left.shape] * bool(winners)
        for winner, chosen, size in zip(winners, blocks[1:], sizes, strict=True):
            votes = FIRST_LEVEL if chosen is searched else LOWER_LEVELS
            expected = prototype.blocks(winner, *size, 0, 8 * chosen.shape[2], *votes, sides)
            expected[~expected.any(axis=2), -1] = True  # the prototype asks for nothing
            assert np.array_equal(chosen, expected), pair.name
