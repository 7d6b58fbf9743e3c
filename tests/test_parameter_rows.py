"""What the parameter panel says and accepts, without drawing it."""

from dataclasses import replace

import pytest

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import reset_parameters
from wheatstone.viewer.panels.parameters.parameter_rows import (
    Typed,
    grouped,
    nearest,
    notches,
    rows,
    snapped,
    take_typed,
)
from wheatstone.viewer.run.run import Run

NO_GPU = {"cpu": "", "cuda": "no GPU"}
SLOT = default_slot("sgm", NO_GPU)
DISPARITIES, P2 = (controls(SGM.params)[name] for name in ("disparities", "p2"))


def idle(slot: Run) -> dict[str, str]:
    return {row.name: row.idle for row in rows(slot) if row.idle}


@pytest.mark.parametrize("name", PIPELINES)
def test_every_parameter_has_a_row(name: str) -> None:
    table = rows(default_slot(name, NO_GPU))
    assert [row.name for row in table] == list(controls(PIPELINES[name].params))
    assert all(row.control.help in row.explanation for row in table)


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
    searched = {"search_sides": "searched blocks does not run"}
    assert idle(SLOT) == searched
    off = replace(SLOT, params=SLOT.params.changed(speckle_size=0))
    assert idle(off) == searched | {"speckle_range": "speckle filter does not run"}


def test_sliders_stop_at_steps_and_fields_at_what_is_allowed() -> None:
    assert [snapped(DISPARITIES, v) for v in (16, 23, 25, 512)] == [16, 16, 32, 512]
    assert [nearest(DISPARITIES, v) for v in (-5, 100, 9999)] == [16, 96, 2048]
    speckle = controls(SGM.params)["speckle_size"]
    assert (snapped(speckle, 104), nearest(speckle, 104)) == (100, 104)
    threshold = controls(PIPELINES["ncc"].params)["threshold"]
    assert type(nearest(threshold, 0.123)) is float
    assert threshold.allows(snapped(threshold, 0.123)) and threshold.allows(nearest(threshold, 7))


def test_huge_ranges_have_many_notches() -> None:
    assert (notches(DISPARITIES), notches(P2)) == (127, 4095)


def typed_into(pipeline: str, name: str, *texts: str) -> ViewerState:
    state = ViewerState(default_slot(pipeline, NO_GPU), NO_GPU)
    row = next(row for row in rows(state.slot) if row.name == name)
    take_typed(state, row, Typed(texts))
    return state


def test_the_numbers_of_a_region_are_accepted_together() -> None:
    state = typed_into("ncc", "template", "4", " 5", "9", "7.0")
    assert state.slot.params.values()["template"] == (4, 5, 9, 7)
    assert state.messages.newest.kind == "hint"


@pytest.mark.parametrize("text", ["", "x", "1,5", "nan", "inf", "1e308", "-1e20"])
def test_what_is_typed_is_a_number_of_bearable_size_or_refused(text: str) -> None:
    for pipeline, name, texts in (
        ("sgm", "p1", (text,)),
        ("ncc", "template", ("1", text, "9", "9")),
    ):
        state = typed_into(pipeline, name, *texts)
        usual = default_slot(pipeline, NO_GPU).params.values()[name]
        assert state.slot.params.values()[name] == usual
        assert state.messages.newest.kind == "error"


def test_a_region_out_of_bounds_is_refused_with_its_bounds() -> None:
    state = typed_into("ncc", "template", "-4", "5", "9", "7")
    newest = state.messages.newest
    assert newest.kind == "error" and "x, y >= 0" in newest.text


@pytest.mark.parametrize("name", PIPELINES)
def test_every_parameter_is_in_one_group(name: str) -> None:
    slot = default_slot(name, NO_GPU)
    listed = [row.name for group in grouped(rows(slot), slot).values() for row in group]
    assert sorted(listed) == sorted(controls(PIPELINES[name].params))


def test_a_group_is_reset_and_the_others_stay() -> None:
    state = ViewerState(SLOT, NO_GPU)
    state.slot = replace(SLOT, params=SLOT.params.changed(p1=3, p2=4, paths=8, uniqueness=9))
    reset_parameters(state, SGM.params.groups["Aggregation"], "Aggregation")
    assert state.slot.params == SLOT.params.changed(uniqueness=9)
    assert state.message == "aggregation: defaults"
