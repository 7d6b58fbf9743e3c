"""The range that the histogram shows and sets, and what it says, without drawing it."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wheatstone.gpu.pipelines.mean import MEAN
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.picture import range_choice
from wheatstone.viewer.display.picture.cell_contents import Seen, seen
from wheatstone.viewer.display.picture.shown import chosen, chosen_b
from wheatstone.viewer.panels.histogram import counting
from wheatstone.viewer.panels.histogram.counts import Counts, count
from wheatstone.viewer.panels.histogram.histogram_view import (
    Plot,
    drag,
    fixed_ends,
    handles,
    plotted,
)
from wheatstone.viewer.panels.histogram.panel import even_columns, percentile_rows
from wheatstone.viewer.panels.keys.actions import press
from wheatstone.viewer.run.run import Run

NO_VALUE = -16


def state_of(mode: str, pipeline: str = "sgm", **params: Any) -> ViewerState:
    """Two slots that differ in a parameter."""
    declared = {"sgm": SGM, "mean": MEAN}[pipeline]
    state = ViewerState(Run(declared, "cpu", declared.params()))
    state.b, state.linked = Run(declared, "cpu", declared.params().changed(**params)), False
    state.mix(mode=mode)
    return state


def cell_of(state: ViewerState) -> Seen:
    places = seen(state, chosen(state), chosen_b(state), 0)
    assert places
    return places


def plot_of(state: ViewerState) -> Plot:
    return plotted(cell_of(state), count(np.arange(12, dtype=np.int16)[None], 1 / 16, None))


def test_the_low_end_of_how_far_a_and_b_are_apart_stays() -> None:
    state = state_of("difference", p2=50)
    plot = plot_of(state)
    assert handles(state, plot) == (0, 4) and fixed_ends(plot) == (True, False)
    for low in (-2.0, 0.5, 3.0):
        drag(state, plot, low, 4.0)
        assert handles(state, plot) == (0, 4) and not state.message


def test_both_ends_of_a_signed_difference_move_together() -> None:
    state = state_of("signed-difference", p2=50)
    plot = plot_of(state)
    drag(state, plot, -8.0, 4.0)
    assert handles(state, plot) == (-8, 8) and fixed_ends(plot) == (False, False)
    drag(state, plot, -8.0, 2.0)
    assert handles(state, plot) == (-2, 2)


@pytest.mark.parametrize(("asked", "got"), [(9.0, 8), (13.0, 16), (16.0, 16), (0.0, 1 / 16)])
def test_a_typed_reach_becomes_a_power_of_two_and_says_so(asked: float, got: float) -> None:
    state = state_of("difference", p2=50)
    drag(state, plot_of(state), 0.0, asked)
    assert handles(state, plot_of(state)) == (0, got)
    assert state.message == f"shown: |A - B| of disparity 0 to {got} px"


@pytest.mark.parametrize("typed", [float("nan"), float("inf")])
def test_what_is_no_number_changes_nothing(typed: float) -> None:
    state = state_of("difference", p2=50)
    before = state.mixing
    drag(state, plot_of(state), 0.0, typed)
    assert state.mixing == before


def test_the_difference_of_grey_images_has_a_range() -> None:
    state = state_of("signed-difference", "mean", radius=7)
    plot = plot_of(state)
    assert handles(state, plot) == (-16, 16)
    state.mix(mode="a")
    assert handles(state, plot_of(state)) is None


@pytest.mark.parametrize(("largest", "reach"), [(9.0, 16), (8.0, 8), (8.0625, 16), (500.0, 64)])
def test_a_fitted_difference_reaches_far_enough_and_says_how_far(
    largest: float, reach: float
) -> None:
    state = state_of("difference", p2=50)
    counting.apply_fits(state, [(cell_of(state), (0.0, largest))])
    assert counting.range_of(state, cell_of(state)) == (0, reach)
    text = counting.range_text(state, cell_of(state))
    assert text == f"|A - B| of disparity 0 to {reach} px"


@pytest.mark.parametrize("high", [63, 80, 255, 1000])
def test_the_largest_reach_covers_the_whole_range(high: float) -> None:
    state = state_of("difference", p2=50)
    state.look = state.look.with_range("sgm.disparity", (0, high))
    for _ in range(20):
        press(state, "Right")
    assert counting.range_of(state, cell_of(state))[1] >= high


def test_keys_go_from_power_to_power() -> None:
    state = state_of("difference", p2=50)
    state.look = state.look.with_range("sgm.disparity", (0, 1024))
    reaches = []
    for _ in range(11):
        reaches.append(counting.range_of(state, cell_of(state))[1])
        press(state, "Left")
    assert reaches == [64, 32, 16, 8, 4, 2, 1, 0.5, 0.25, 0.25, 0.25]


def test_images_seen_twice_are_fitted_into_one_range() -> None:
    state = state_of("side-by-side", p2=50)
    cell = cell_of(state)
    counting.apply_fits(state, [(cell, (3.0, 8.0)), (cell, (2.0, 7.5))])
    assert counting.range_of(state, cell) == (2, 8)
    assert counting.range_text(state, cell) == "disparity 2 to 8 px"


def session_of(state: ViewerState) -> Any:
    lanes = SimpleNamespace(shown=chosen(state)), SimpleNamespace(shown=chosen_b(state))
    return SimpleNamespace(
        state=state,
        a=lanes[0],
        b=lanes[1],
        drawing=SimpleNamespace(picture=chosen(state).picture(state)),
        display=SimpleNamespace(drawn=SimpleNamespace(visible=lambda cell: None)),
    )


@pytest.mark.parametrize(
    ("view", "counts", "text"),
    [
        ("left", None, range_choice.NOTHING),
        ("disparity", None, counting.NOT_COUNTED),
        ("disparity", count(np.full((5, 7), NO_VALUE), 1 / 16, NO_VALUE), counting.NO_VALUE),
        ("disparity", count(np.array([[32, 160]]), 1 / 16, None), "shown: disparity 2 to 10 px"),
    ],
)
def test_a_fit_says_what_it_did_or_why_it_did_nothing(
    view: str, counts: Counts | None, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_of("a", p2=50)
    state.views["sgm"] = view
    monkeypatch.setattr(counting, "counts_of", lambda session, what, region: counts)
    assert counting.fit_ranges(session_of(state)) == text


def test_resetting_brings_the_reach_back() -> None:
    state = state_of("difference", "mean", radius=7)
    state.mix(reach=0.5)
    assert press(state, "R")
    assert state.mixing.reach == 1 / 16
    assert state.message == "shown: differences up to 6.25% of the range"


@pytest.mark.parametrize("value", [1.8125, 1000.0625, -2047.9375, 12.0])
def test_percentiles_tell_sixteenths_exactly(value: float) -> None:
    state = state_of("a")
    stored = np.full((3, 5), round(value * 16), np.int32)
    plot = plotted(cell_of(state), count(stored, 1 / 16, None))
    assert {text for _, text in percentile_rows(plot)} == {f"{value:.4f}".rstrip("0").rstrip(".")}


@pytest.mark.parametrize(
    ("widest", "columns"), [(40.0, 7), (50.0, 4), (70.0, 4), (80.0, 4), (110.0, 2), (900.0, 1)]
)
def test_percentiles_stand_in_lines_where_they_are_too_wide_for_one(
    widest: float, columns: int
) -> None:
    assert even_columns(7, widest, 320.0) == columns


def test_floats_have_as_many_digits_as_asked() -> None:
    image = replace(SGM.image("disparity"), dtype="float32")
    assert counting.value_text(0.123456, image, 3) == "0.123"
