"""The path scrub: which part of a sum follows which, and which variant shows it."""

import numpy as np
import pytest

from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.params import ARROWS, DIRECTIONS
from wheatstone.viewer.choices.scrub import choose_part, described, parts
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.panels.keys.actions import press
from wheatstone.viewer.run.run import Run

TERMS = SGM.terms
assert TERMS


def summed(state: ViewerState) -> tuple[int, int]:
    assert TERMS
    return TERMS.summed(state.slot.params)


def test_all_then_each_alone_then_more_and_more() -> None:
    assert parts(4) == ((1, 4), (1, 1), (2, 2), (3, 3), (4, 4), (1, 2), (1, 3))
    assert parts(2) == ((1, 2), (1, 1), (2, 2))
    assert parts(1) == ((1, 1),)


@pytest.mark.parametrize("paths", [4, 8])
def test_a_key_walks_through_all_parts_and_comes_back(paths: int) -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams(paths=paths)))
    seen = []
    for _ in parts(paths):
        press(state, "A")
        seen.append(summed(state))
    assert tuple(seen) == (*parts(paths)[1:], (1, paths))
    assert state.slot.params == SgmParams(paths=paths)
    press(state, "Shift+A")
    assert summed(state) == (1, paths - 1)


def test_the_message_names_the_directions() -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams(paths=8)))
    press(state, "A")
    assert state.message == "path 1 of 8 alone: ←"
    choose_part(state, (1, 3))
    assert state.message == "the first 3 of 8 paths: ← → ↑"
    choose_part(state, (1, 8))
    assert state.message == "all 8 paths: ← → ↑ ↓ ↖ ↗ ↙ ↘"
    sweeps = SgmParams(paths="sweeps")
    assert TERMS and described(TERMS, sweeps, (1, 4)) == "all 4 paths: ← → ↖↗ ↙↘"
    assert TERMS and described(TERMS, SgmParams(paths=8), (2, 4)) == "paths 2 to 4 of 8: → ↑ ↓"


def test_the_arrows_point_where_the_paths_walk() -> None:
    pointing = dict(zip("←→↑↓↖↗↙↘", DIRECTIONS, strict=True))
    assert [pointing[arrow] for arrow in ARROWS] == list(DIRECTIONS)


def test_b_follows_while_it_is_linked() -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams()), b=Run(SGM, "fast", SgmParams()))
    state.mix(mode="wipe")
    press(state, "A")
    assert (state.slot.variant, state.slot_b.variant) == ("cpu", "fast")
    assert state.slot_b.params == state.slot.params != SgmParams()


def test_b_keeps_its_own_parameters_when_it_is_not_linked() -> None:
    own = Run(SGM, "fast", SgmParams(p1=3))
    state = ViewerState(Run(SGM, "cpu", SgmParams()), b=own, linked=False)
    state.mix(mode="wipe")
    press(state, "A")
    assert state.slot_b == own


def test_a_pipeline_without_a_sum_says_so() -> None:
    mean = PIPELINES["mean"]
    state = ViewerState(Run(mean, "cpu", mean.params()))
    press(state, "A")
    assert state.message.startswith("mean has no sum")
    with pytest.raises(ValueError, match="mean declares no terms"):
        choose_part(state, (1, 1))


def test_numbers_beyond_the_last_path_mean_the_last() -> None:
    assert SgmParams(paths=4, first_path=6, last_path=7).directions == DIRECTIONS[3:4]
    assert SgmParams(paths=4).directions == SgmParams(paths="sweeps").directions == DIRECTIONS[:4]


@pytest.mark.parametrize("paths", [8, "sweeps"])
@pytest.mark.parametrize("part", [(1, 1), (4, 4), (2, 5), (6, 8), (8, 8), (1, 8)])
def test_the_vectorised_sum_of_a_part_is_the_references(
    part: tuple[int, int], paths: int | str
) -> None:
    random = np.random.default_rng(part)
    views = random.integers(0, 256, (2, 37, 71), np.uint8)
    params = SgmParams(disparities=16, paths=paths, first_path=part[0], last_path=part[1])
    sums = []
    for variant in ("cpu", "reference"):
        execution = prepare(SGM, variant, params, 37, 71)
        execution.upload(left=views[0], right=views[1])
        execution.run()
        sums.append(execution.download("sums"))
    np.testing.assert_array_equal(sums[0], sums[1])
