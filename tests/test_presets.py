"""Named parameters: the declared ones and the user's."""

from dataclasses import replace

import pytest

from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import Likeness, likeness, presets_of, with_preset

NO_GPU = {"cpu": "", "cuda": "no GPU"}
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
        ("odd", "preset odd .*: speed$"),
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
