"""What panel and palette change, and in which slot."""

from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices import tuning
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose

NO_GPU = {"cpu": "", "cuda": "no GPU"}


def state_of() -> ViewerState:
    return ViewerState(default_slot("sgm", NO_GPU), NO_GPU)


def test_a_value_is_set_and_reported_with_its_unit() -> None:
    state = state_of()
    tuning.set_parameter(state, "min_disparity", -4)
    assert state.message == "min disparity -4 px"
    tuning.set_parameter(state, "fill_holes", False)
    assert state.message == "fill holes off"
    tuning.reset_parameter(state, "min_disparity")
    assert state.slot.params == SGM.params().changed(fill_holes=False)


def test_a_value_out_of_bounds_changes_nothing_and_says_why() -> None:
    state = state_of()
    tuning.set_parameter(state, "disparities", 65)
    assert "a multiple of 16 (got 65)" in state.message
    assert state.slot == state_of().slot


def test_an_ordered_parameter_moves_along() -> None:
    state = state_of()
    tuning.set_parameter(state, "p1", 500)
    assert state.slot.params.values()["p2"] == 500


def test_only_a_b_with_parameters_of_its_own_is_changed_in_place_of_a() -> None:
    state = state_of()
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
    state = state_of()
    tuning.set_variant(state, "fast")
    assert state.message == "fast needs a CUDA GPU: no GPU"
    assert state.slot.variant == "cpu"
