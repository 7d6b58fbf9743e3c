"""Parameters: rows, presets and tuning from plain values; their panel in a window."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.offscreen_app import click, do, keys, running_app, settle, text
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.app import App
from wheatstone.viewer.choices import tuning
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.choices.tuning import Likeness, likeness, presets_of, with_preset
from wheatstone.viewer.panels.parameters.parameter_rows import (
    Typed,
    nearest,
    notches,
    rows,
    snapped,
    take_typed,
)
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.screen.events import Event
from wheatstone.viewer.screen.offscreen import OffscreenContext

WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "cpu")
SLIDER, FIELD, COMBO = 200, 290, 300  # middles of widgets, in pixels from the window's left
FIRST, EACH = 138, 29  # the middle of the first parameter's row, and the distance to the next


@pytest.fixture(scope="module")
def shared(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*WORDS, size=(1140, 620)) as running:
        keys(running, "F2")
        yield running


@pytest.fixture
def app(shared: App) -> App:
    state = shared.state
    params = SGM.preset("balanced").changed(disparities=16)
    state.slot = replace(state.slot, variant="cpu", params=params)
    state.b, state.linked, state.tuned = None, True, "a"
    do(shared, Event("move", x=900, y=300))
    return shared


def row(app: App, name: str) -> int:
    """Where a parameter's row is, in pixels from the window's top."""
    return FIRST + EACH * list(controls(app.state.slot.pipeline.params)).index(name)


def value(app: App, name: str, slot: str = "slot") -> Any:
    return getattr(app.state, slot).params.values()[name]


@pytest.mark.opengl
def test_a_number_typed_counts_when_enter_is_pressed_and_no_key_does_anything(app: App) -> None:
    click(app, FIELD, row(app, "p1"))
    keys(app, "Backspace", "Backspace")
    text(app, "3")
    text(app, "1")
    assert (value(app, "p1"), app.state.slot.variant) == (35, "cpu")
    keys(app, "Enter")
    assert (value(app, "p1"), app.state.slot.variant, app.state.message) == (31, "cpu", "p1 31")
    text(app, "1")  # the field has let go of the keyboard
    assert app.state.slot.variant == "reference"


@pytest.mark.opengl
def test_a_number_out_of_bounds_stops_at_them(app: App) -> None:
    click(app, FIELD, row(app, "uniqueness"))
    for _ in range(3):
        text(app, "7")
    keys(app, "Enter")
    assert value(app, "uniqueness") == 100


@pytest.mark.opengl
def test_a_slider_is_dragged_in_steps(app: App) -> None:
    y = row(app, "speckle_size")
    do(app, Event("move", x=SLIDER, y=y))
    for event in (Event("press", x=SLIDER, y=y), Event("move", x=SLIDER + 20, y=y)):
        do(app, event)
    do(app, Event("release", x=SLIDER + 20, y=y))
    assert 400 < value(app, "speckle_size") < 900
    assert value(app, "speckle_size") % 10 == 0


@pytest.mark.opengl
def test_a_switch_switches_and_a_right_click_offers_the_default(app: App) -> None:
    click(app, 152, row(app, "median"))
    assert value(app, "median") is False
    click(app, 152, row(app, "median"), button=1)
    click(app, 190, row(app, "median") + 16)
    assert value(app, "median") is True


@pytest.mark.opengl
def test_a_choice_is_taken_from_a_list(app: App) -> None:
    click(app, COMBO, row(app, "p2_adaptation"))
    click(app, SLIDER, row(app, "p2_adaptation") + 26)
    assert value(app, "p2_adaptation") == "none"


@pytest.mark.opengl
def test_escape_closes_a_list_and_not_the_program(app: App) -> None:
    click(app, COMBO, row(app, "cost"))
    keys(app, "Esc")
    assert not app.state.closing
    keys(app, "Esc")
    assert not app.state.open_panels and not app.state.closing
    keys(app, "F2")


@pytest.mark.opengl
def test_b_is_changed_once_it_has_parameters_of_its_own(app: App) -> None:
    keys(app, "Shift+X")
    click(app, 60, 45)
    assert app.state.tuned == "b"
    click(app, 152, row(app, "median") + EACH)  # the switch between A and B takes a line
    assert (value(app, "median"), value(app, "median", "slot_b")) == (True, False)


def typed_into(app: App, name: str, typed: str) -> None:
    click(app, FIELD, row(app, name))
    keys(app, "Ctrl+A")
    text(app, typed)


@pytest.mark.opengl
def test_tab_takes_a_number_over_and_goes_to_the_next_field(app: App) -> None:
    typed_into(app, "p1", "31")
    keys(app, "Tab")
    assert (value(app, "p1"), app.state.message) == (31, "p1 31")
    keys(app, "Ctrl+A")
    text(app, "99")
    keys(app, "Enter")
    assert (value(app, "p1"), value(app, "p2")) == (31, 99)


@pytest.mark.opengl
def test_a_click_elsewhere_takes_a_number_over(app: App) -> None:
    typed_into(app, "p1", "29")
    click(app, 900, 300)
    assert (value(app, "p1"), app.state.message) == (29, "p1 29")


@pytest.mark.opengl
def test_escape_brings_the_number_back(app: App) -> None:
    typed_into(app, "p1", "28")
    keys(app, "Esc")
    assert value(app, "p1") == 35 and not app.state.closing and app.state.open_panels


@pytest.mark.opengl
def test_what_is_no_number_is_refused_in_sight(app: App) -> None:
    typed_into(app, "p1", "1-2")
    keys(app, "Tab")
    newest = app.state.messages.newest
    assert value(app, "p1") == 35
    assert (newest.kind, newest.text) == ("error", "p1 stays 35: '1-2' is not a number")
    keys(app, "Esc")


@pytest.mark.opengl
def test_a_number_out_of_bounds_is_changed_in_sight(app: App) -> None:
    typed_into(app, "uniqueness", "777")
    click(app, 900, 300)
    newest = app.state.messages.newest
    assert (value(app, "uniqueness"), newest.kind) == (100, "warning")
    assert newest.text == "uniqueness 100, not 777: in [0, 100] %"


@pytest.mark.opengl
def test_tab_goes_through_the_numbers_of_a_region_and_loses_none(app: App) -> None:
    app.state.choose_pipeline("ncc")
    settle(app)
    x, y, *_ = value(app, "template")
    click(app, 160, row(app, "template"))
    keys(app, "Ctrl+A")
    text(app, str(x + 1))
    keys(app, "Tab", "Ctrl+A")
    text(app, str(y + 2))
    click(app, 900, 300)
    assert value(app, "template")[:2] == (x + 1, y + 2)
    app.state.choose_pipeline("sgm")


NO_GPU = {"cpu": "", "cuda": "no GPU"}
SLOT = default_slot("sgm", NO_GPU)
DISPARITIES, P2 = (controls(SGM.params)[name] for name in ("disparities", "p2"))


def idle(slot: Run) -> dict[str, str]:
    return {row.name: row.idle for row in rows(slot) if row.idle}


@pytest.mark.parametrize("name", PIPELINES)
def test_every_parameter_has_a_row(name: str) -> None:
    found = rows(default_slot(name, NO_GPU))
    assert [row.name for row in found] == list(controls(PIPELINES[name].params))
    assert all(row.control.help in row.explanation for row in found)


def test_a_row_tells_bounds_unit_and_default() -> None:
    slot = replace(SLOT, params=SLOT.params.changed(uniqueness=9))
    row = next(row for row in rows(slot) if row.name == "uniqueness")
    assert row.changed and row.label == "uniqueness"
    assert row.explanation.splitlines()[1] == "in [0, 100] %; default 5 %"
    switch = next(row for row in rows(slot) if row.name == "fill_holes")
    assert switch.is_switch and not switch.changed
    assert switch.explanation.splitlines()[1] == "on or off; default on"


def test_what_a_variant_ignores_has_no_effect() -> None:
    slot = replace(SLOT, variant="opencv-sgbm")
    assert set(idle(slot)) >= set(slot.declaration.ignores)
    assert all("opencv-sgbm does not read it" in idle(slot)[n] for n in slot.declaration.ignores)


def test_what_only_a_switched_off_stage_reads_has_no_effect() -> None:
    assert idle(SLOT) == {}
    off = replace(SLOT, params=SLOT.params.changed(speckle_size=0))
    assert idle(off) == {"speckle_range": "speckle filter does not run"}


def test_sliders_stop_at_steps_and_fields_at_what_is_allowed() -> None:
    assert [snapped(DISPARITIES, v) for v in (16, 23, 25, 512)] == [16, 16, 32, 512]
    assert [nearest(DISPARITIES, v) for v in (-5, 100, 9999)] == [16, 96, 512]
    speckle = controls(SGM.params)["speckle_size"]
    assert (snapped(speckle, 104), nearest(speckle, 104)) == (100, 104)
    threshold = controls(PIPELINES["ncc"].params)["threshold"]
    assert type(nearest(threshold, 0.123)) is float
    assert threshold.allows(snapped(threshold, 0.123)) and threshold.allows(nearest(threshold, 7))


def test_huge_ranges_have_many_notches() -> None:
    assert (notches(DISPARITIES), notches(P2)) == (31, 4095)


def typed(pipeline: str, name: str, *texts: str) -> ViewerState:
    state = ViewerState(default_slot(pipeline, NO_GPU), NO_GPU)
    row = next(row for row in rows(state.slot) if row.name == name)
    take_typed(state, row, Typed(texts))
    return state


def test_the_numbers_of_a_region_are_accepted_together() -> None:
    state = typed("ncc", "template", "4", " 5", "9", "7.0")
    assert state.slot.params.values()["template"] == (4, 5, 9, 7)
    assert state.messages.newest.kind == "hint"


@pytest.mark.parametrize("text", ["", "x", "1,5", "nan", "inf", "1e308", "-1e20"])
def test_what_is_typed_is_a_number_of_bearable_size_or_refused(text: str) -> None:
    for pipeline, name, texts in (
        ("sgm", "p1", (text,)),
        ("ncc", "template", ("1", text, "9", "9")),
    ):
        state = typed(pipeline, name, *texts)
        usual = default_slot(pipeline, NO_GPU).params.values()[name]
        assert state.slot.params.values()[name] == usual
        assert state.messages.newest.kind == "error"


def test_a_region_out_of_bounds_is_refused_with_its_bounds() -> None:
    state = typed("ncc", "template", "-4", "5", "9", "7")
    newest = state.messages.newest
    assert newest.kind == "error" and "x, y >= 0" in newest.text


MINE = {"sgm": {"street": {"disparities": 128, "p1": 7}, "odd": {"speed": 3}, "bad": {"p1": -2}}}


def state_of(pipeline: str = "sgm") -> ViewerState:
    return ViewerState(default_slot(pipeline, NO_GPU), NO_GPU, presets=MINE)


def test_the_users_come_after_the_declared_ones_of_their_pipeline() -> None:
    state = state_of()
    assert list(presets_of(state, SGM)) == [*SGM.presets, "street", "odd", "bad"]
    assert "street" not in presets_of(state, state_of("canny").slot.pipeline)


def test_a_preset_sets_what_it_names() -> None:
    state = state_of()
    slot = with_preset(state, state.slot, "street")
    assert slot == replace(state.slot, params=state.slot.params.changed(disparities=128, p1=7))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("absent", r"sgm has no preset 'absent'.*; it has balanced"),
        ("odd", "preset odd sets what is no parameter: speed"),
        ("bad", r"preset bad: p1 must be in \[0, 1023\] \(got -2\)"),
    ],
)
def test_a_preset_that_does_not_fit_is_refused(name: str, complaint: str) -> None:
    state = state_of()
    with pytest.raises(ValueError, match=complaint):
        with_preset(state, state.slot, name)


def test_parameters_are_called_by_the_preset_they_are_closest_to() -> None:
    state = state_of()
    assert str(likeness(state, state.slot)) == "balanced"
    driving = with_preset(state, state.slot, "driving")
    assert likeness(state, driving) == Likeness("driving", ())
    changed = replace(driving, params=driving.params.changed(paths=8))
    assert likeness(state, changed) == Likeness("driving", ("paths",))
    assert str(likeness(state, changed)) == "driving*"
    assert str(likeness(state, state_of("invert").slot)) == "none"


def tuned_state() -> ViewerState:
    return ViewerState(default_slot("sgm", NO_GPU), NO_GPU)


def test_a_value_is_set_and_said_with_its_unit() -> None:
    state = tuned_state()
    tuning.set_parameter(state, "min_disparity", -4)
    assert state.message == "min disparity -4 px"
    tuning.set_parameter(state, "fill_holes", False)
    assert state.message == "fill holes off"
    tuning.reset_parameter(state, "min_disparity")
    assert state.slot.params == SGM.params().changed(fill_holes=False)


def test_a_value_out_of_bounds_changes_nothing_and_says_why() -> None:
    state = tuned_state()
    tuning.set_parameter(state, "disparities", 65)
    assert "a multiple of 16 (got 65)" in state.message
    assert state.slot == tuned_state().slot


def test_an_ordered_parameter_moves_along() -> None:
    state = tuned_state()
    tuning.set_parameter(state, "p1", 500)
    assert state.slot.params.values()["p2"] == 500


def test_only_a_b_with_parameters_of_its_own_is_changed_in_place_of_a() -> None:
    state = tuned_state()
    state.tuned = "b"
    tuning.set_parameter(state, "p1", 30)  # there is no B yet
    assert state.slot.params.values()["p1"] == state.slot_b.params.values()["p1"] == 30
    state.link(False)
    tuning.set_parameter(state, "p1", 40)
    tuning.set_preset(state, "driving")
    assert state.slot.params.values()["p1"] == 30
    assert state.slot_b.params.values()["cost"] == "census-symmetric"
    tuning.set_pipeline(state, "canny")
    choose(state, "view", state.slot_b.pipeline.views[-1].name)
    assert (state.slot.pipeline.name, state.slot_b.pipeline.name) == ("sgm", "canny")
    assert state.view_of(state.slot_b) == state.slot_b.pipeline.views[-1]


def test_a_variant_that_cannot_run_says_why() -> None:
    state = tuned_state()
    tuning.set_variant(state, "fast")
    assert state.message == "fast needs a CUDA GPU: no GPU"
    assert state.slot.variant == "cpu"
