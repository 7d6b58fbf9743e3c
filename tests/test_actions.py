"""Keys: state in, state out."""

import time
from collections import Counter

import pytest

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choice, choose, step
from wheatstone.viewer.choices.tuning import likeness, set_parameter, tunes_b, with_preset
from wheatstone.viewer.choices.zooming import zoom_at
from wheatstone.viewer.cli.documented_tables import key_tables, own_key_table
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.display.picture.mixable import can_mix
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys import slot_keys
from wheatstone.viewer.panels.keys.actions import actions, press
from wheatstone.viewer.panels.keys.help import help_groups
from wheatstone.viewer.panels.keys.menu.items import every, menus
from wheatstone.viewer.panels.keys.palette.entries import entries
from wheatstone.viewer.panels.keys.program_keys import LEAVING

NO_GPU = {"cpu": "", "cuda": "no NVIDIA driver is installed"}
WITH_GPU = {"cpu": "", "cuda": ""}


def state_with(absent: dict[str, str]) -> ViewerState:
    return ViewerState(default_slot("sgm", absent), absent)


def test_without_a_gpu_the_default_is_cpu_and_with_one_it_is_a_cuda_variant() -> None:
    assert state_with(NO_GPU).slot.variant == "cpu"
    assert state_with(WITH_GPU).slot.declaration.on_gpu


@pytest.mark.parametrize("position", range(len(SGM.variants)))
def test_a_digit_chooses_the_variant_in_that_place(position: int) -> None:
    state = state_with(WITH_GPU)
    assert press(state, str(position + 1))
    assert state.slot.variant == SGM.variants[position].name


def test_a_digit_beyond_the_variants_changes_nothing_and_says_so() -> None:
    state = state_with(WITH_GPU)
    before = state.slot
    press(state, "9")
    assert state.slot == before
    assert state.message == f"sgm has {len(SGM.variants)} variants"


def test_a_variant_the_machine_cannot_run_changes_nothing_and_says_why() -> None:
    state = state_with(NO_GPU)
    before = state.slot
    press(state, str([v.device for v in SGM.variants].index("cuda") + 1))
    assert state.slot == before
    assert "needs a CUDA GPU: no NVIDIA driver is installed" in state.message


def test_brackets_move_the_range_and_shifted_brackets_its_start() -> None:
    state = state_with(NO_GPU)
    start = state.slot.params.values()["disparities"]
    press(state, "]")
    assert state.slot.params.values()["disparities"] == start + 16
    press(state, "[")
    press(state, "[")
    assert state.slot.params.values()["disparities"] == start - 16
    press(state, "Shift+[")
    assert state.slot.params.values()["min_disparity"] == -1
    press(state, "Shift+]")
    assert state.slot.params.values()["min_disparity"] == 0


def test_views_and_colormaps_go_round() -> None:
    state = state_with(NO_GPU)
    seen = []
    for _ in SGM.views:
        seen.append(state.view.name)
        press(state, "V")
    assert seen == [view.name for view in SGM.views]
    assert state.view.name == seen[0]
    for expected in (*COLORMAPS[1:], COLORMAPS[0]):
        press(state, "M")
        assert state.colormap == expected


@pytest.mark.parametrize("instead", ["truth.show", "temporal.show", "unfolding.stage"])
@pytest.mark.parametrize("by", ["key", "list"])
def test_a_view_that_is_chosen_is_shown_and_nothing_in_its_place(instead: str, by: str) -> None:
    state = state_with(NO_GPU)
    step(state, instead)
    assert choice(instead).get(state) != "off"
    if by == "key":
        press(state, "V")
    else:
        choose(state, "view", SGM.views[1].name)
    assert state.view == SGM.views[1] and choice(instead).get(state) == "off"
    assert state.message.startswith(f"view {SGM.views[1].name}: ")


def test_one_thing_at_a_time_takes_the_result_s_place() -> None:
    state = state_with(NO_GPU)
    places = ("truth.show", "temporal.show", "unfolding.stage")
    for chosen in (*places, *reversed(places)):
        step(state, chosen)
        assert [p for p in places if choice(p).get(state) != "off"] == [chosen]
    choose(state, "truth.convention", "kitti")
    choose(state, places[0], "off")
    assert state.truth.convention == "kitti" and choice("temporal.show").get(state) == "off"


@pytest.mark.parametrize("key", ["V", "Shift+V"])
@pytest.mark.parametrize("mode", ["wipe", "difference", "side-by-side"])
def test_views_that_cannot_be_mixed_are_passed_over(key: str, mode: str) -> None:
    state = state_with(NO_GPU)
    state.mix(mode=mode)
    seen = []
    for _ in range(2 * len(SGM.views)):
        press(state, key)
        assert can_mix(state)
        seen.append(state.view.name)
    assert "anaglyph" not in seen and "disparity" in seen
    assert ("reasons" in seen) == (mode != "difference")


def test_where_no_view_can_be_mixed_the_next_one_is_asked_for() -> None:
    state = state_with(NO_GPU)
    state.choose_pipeline("mean")
    state.b, state.linked = default_slot("sgm", NO_GPU), False
    state.mix(mode="difference")
    state.views["sgm"] = "anaglyph"
    names = [view.name for view in state.slot.pipeline.views]
    press(state, "V")
    assert state.view.name == names[1 % len(names)]


def test_presets_go_round_and_keep_the_range() -> None:
    state = state_with(NO_GPU)
    press(state, "]")
    searched = state.slot.params.values()["disparities"]
    for name in (*list(SGM.presets)[1:], next(iter(SGM.presets))):
        press(state, "P")
        assert state.slot.params == SGM.preset(name, state.slot.params)
        assert state.message == f"preset {name}"
    assert state.slot.params.values()["disparities"] == searched
    press(state, "Shift+P")
    assert state.message == f"preset {list(SGM.presets)[-1]}"


def test_b_takes_presets_of_its_own_by_as_variant() -> None:
    state = state_with(NO_GPU)
    before = state.slot
    for key in ("Ctrl+P", "Ctrl+P"):
        press(state, key)
    offers = slot_keys.presets_b(state)
    next(offer for offer in offers if offer.name == "fast").run(state)
    assert state.b == with_preset(state, state.slot, "fast") and not state.linked
    assert [offer.name for offer in slot_keys.presets_b(state) if offer.ticked] == ["fast"]
    assert state.message == "B: preset fast" and state.mixing.mode == "side-by-side"
    press(state, "Ctrl+P")
    assert likeness(state, state.slot_b).preset == "libsgm" and state.slot == before
    state.choose_variant_b("reference")
    press(state, "Ctrl+P")
    assert state.slot_b.variant == "reference"


def test_switches_switch() -> None:
    state = state_with(NO_GPU)
    keys = {"Space": "paused", "H": "help", "F1": "help", "F11": "fullscreen", "Tab": "panels"}
    for key, name in keys.items():
        before = getattr(state, name)
        press(state, key)
        assert getattr(state, name) is not before
    press(state, "H")
    press(state, "Esc")
    assert not state.closing
    press(state, "Q")
    assert state.closing


def test_what_the_program_shall_do_is_asked_in_order() -> None:
    state = state_with(NO_GPU)
    for key in ("S", "L", "Ctrl+S", "F5"):
        press(state, key)
    assert state.effects == [("screenshot",), ("copy line",), ("save all",), ("reload",)]


def test_escape_closes_help_and_what_takes_the_pictures_place_before_it_quits() -> None:
    state = state_with(NO_GPU)
    state.help = True
    large = [panel.name for panel in PANELS if panel.place == "beside"]
    state.open_panels = {"parameters", "inspector", "timeline", *large}
    state.focus = "inspector"
    press(state, "Esc")
    assert state.help and not state.focus
    expected = set(state.open_panels)
    for closed in ("help", *reversed(large), "inspector", "parameters"):
        press(state, "Esc")
        expected.discard(closed)
        assert not (state.help or state.closing or state.leaving)
        assert state.open_panels == expected


def test_escape_ends_the_program_when_it_is_pressed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    state, now = state_with(NO_GPU), 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    state.open_panels, state.panels = {"parameters"}, False  # hidden
    press(state, "Esc")
    assert (state.closing, state.leaving) == (False, now + LEAVING)
    now += LEAVING  # too late: it asks again
    press(state, "Esc")
    assert not state.closing
    now += LEAVING / 2
    press(state, "Esc")
    assert state.closing and state.open_panels == {"parameters"}


def test_a_window_in_browsers_offers_no_end_of_the_program() -> None:
    state = state_with(NO_GPU)
    state.served = True
    for _ in range(3):
        press(state, "Esc")
    assert not press(state, "Q")
    assert not (state.closing or state.leaving)
    for served in (False, True):
        state.served = served
        listed = {entry.name for entry in entries(state)}
        lines = {item.name for items in menus(state, {}).values() for item in every(items)}
        helped = {keys for group in help_groups(state) for keys, _ in group.rows}
        assert ("quit program" in listed, "quit program" in lines, "Q" in helped) == (
            (not served,) * 3
        )


def test_the_users_presets_come_after_the_declared_ones() -> None:
    state = state_with(NO_GPU)
    state.presets = {"sgm": {"street": {"disparities": 128}, "broken": {"p1": -1}}}
    state.slot = with_preset(state, state.slot, list(SGM.presets)[-1])
    press(state, "P")
    assert state.slot.params.values()["disparities"] == 128
    press(state, "P")
    assert state.message == f"preset {next(iter(SGM.presets))}"


def test_fit_undoes_zoom_and_zoom_keeps_the_point_under_the_cursor() -> None:
    state = state_with(NO_GPU)
    zoom_at(state, 2.0, (0.25, 0.5))
    # The cursor was at (0.25 - 0.5) of the picture beside its middle; it still is.
    assert (0.25 - state.center[0]) * state.zoom == pytest.approx(-0.25)
    press(state, "F")
    assert (state.zoom, state.center) == (1.0, (0.5, 0.5))


def test_zoom_stops_at_its_bounds() -> None:
    state = state_with(NO_GPU)
    for factor in (1e9, 1e-9):
        zoom_at(state, factor, (0.5, 0.5))
        assert 0.01 < state.zoom < 1000
        assert state.center == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize("name", PIPELINES)
def test_no_key_does_two_things(name: str) -> None:
    keys = Counter(key for action in actions(PIPELINES[name]) for key in action.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def test_an_unknown_key_does_nothing() -> None:
    state = state_with(NO_GPU)
    before = vars(state).copy()
    assert not press(state, "F19")
    assert vars(state) == before


def test_the_key_tables_name_every_action() -> None:
    tables = key_tables() + own_key_table()
    assert all(action.help in tables for action in actions(SGM))


def test_two_settings_of_a_pipeline_are_compared_by_one_key() -> None:
    state = state_with(NO_GPU)
    state.choose_pipeline("canny")
    state.show_panel("start")
    press(state, "Alt+X")
    assert state.open_panels == {"parameters"}
    assert state.mixing.mode == "side-by-side" and "parameters" in state.open_panels
    assert state.slot_b == state.slot and tunes_b(state)
    set_parameter(state, "high", 200)
    assert state.slot_b.params.values()["high"] == 200
    assert state.slot.params.values()["high"] == 100


def test_b_follows_a_to_another_pipeline_unless_it_has_one_of_its_own() -> None:
    state = state_with(NO_GPU)
    press(state, "Alt+X")
    state.choose_pipeline("canny")
    assert state.slot_b.pipeline.name == "canny" and not state.linked
    state.b = default_slot("mean", NO_GPU)
    state.choose_pipeline("sgm")
    assert state.slot_b.pipeline.name == "mean"


def test_the_error_map_is_a_view_like_any_other() -> None:
    state = state_with(NO_GPU)
    choose(state, "view", "error map")
    assert (state.truth.show, choice("view").get(state)) == ("errors", "error map")
    choose(state, "view", "depth")
    assert (state.truth.show, choice("view").get(state)) == ("off", "depth")
    state.mix(mode="difference")
    choose(state, "view", "ground truth")
    assert state.truth.show == "off" and "difference of A and B" in state.message
    state.choose_pipeline("canny")
    assert not {"error map", "ground truth"} & set(choice("view").values(state))
