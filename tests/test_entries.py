"""The palette lists everything there is; state in, entries out."""

from collections import Counter

import pytest

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.mixing import MODES, SHOWN_AS
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys.actions import actions, press
from wheatstone.viewer.panels.keys.palette.entries import PaletteEntry, entries

NO_GPU = {"cpu": "", "cuda": "no NVIDIA driver is installed"}


def state_of(pipeline: str = "sgm") -> ViewerState:
    return ViewerState(default_slot(pipeline, NO_GPU), NO_GPU)


def named(state: ViewerState) -> dict[str, PaletteEntry]:
    return {entry.name: entry for entry in entries(state)}


@pytest.mark.parametrize("name", PIPELINES)
def test_everything_declared_is_listed_once(name: str) -> None:
    pipeline, counts = PIPELINES[name], Counter(entry.name for entry in entries(state_of(name)))
    expected = {f"variant: {variant.name}" for variant in pipeline.variants}
    expected |= {f"pipeline: {other}" for other in PIPELINES}
    expected |= {f"view: {view.name}" for view in pipeline.views}
    expected |= {f"preset: {preset}" for preset in pipeline.presets}
    expected |= {f"colour map: {colormap}" for colormap in COLORMAPS}
    expected |= {f"comparison: {SHOWN_AS.get(mode, mode)}" for mode in MODES}
    expected |= {f"show {panel.spoken}" for panel in PANELS}
    for parameter, control in controls(pipeline.params).items():
        label = parameter.replace("_", " ")
        words = [str(c) if not isinstance(c, bool) else ("off", "on")[c] for c in control.choices]
        expected |= {f"{label}: {word}" for word in words} or {f"{label} ..."}
    assert expected <= set(counts)
    assert [entry for entry, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", PIPELINES)
def test_every_key_of_the_table_is_reported_by_some_entry(name: str) -> None:
    unique = {key for entry in entries(state_of(name)) for key in entry.keys.split(" ")}
    chosen = {key for a in actions(PIPELINES[name]) if a.chooses for key in a.keys}
    assert {key for a in actions(PIPELINES[name]) for key in a.keys} - chosen <= unique


def test_an_entry_does_what_its_key_does() -> None:
    for entry in entries(state_of()):
        if not entry.keys or entry.why_not or entry.name.startswith("variant of B"):
            continue
        by_entry, by_key = state_of(), state_of()
        entry.run(by_entry)
        press(by_key, entry.keys.split(" ")[0])
        by_key.leaving = by_entry.leaving  # when Esc was pressed
        assert by_entry == by_key, entry.name


def test_what_is_set_is_marked_and_what_cannot_be_says_why() -> None:
    by_name = named(state_of())
    assert by_name["variant: cpu"].current and not by_name["variant: reference"].current
    assert by_name["cost: census-ring-symmetric"].current and by_name["view: disparity"].current
    assert by_name["variant: fast"].why_not == "no NVIDIA driver is installed"


def test_a_changed_parameter_can_be_reset() -> None:
    state = state_of()
    assert "reset p1" not in named(state)
    state.step_param("p1", 3)
    entry = named(state)["reset p1"]
    assert entry.help == "to its default, 35"
    entry.run(state)
    assert state.slot == state_of().slot


def test_the_users_presets_are_listed_and_can_be_deleted() -> None:
    state = state_of()
    state.presets = {"sgm": {"street": {"p1": 7}}, "canny": {"other": {}}}
    by_name = named(state)
    assert "preset: other" not in by_name
    by_name["preset: street"].run(state)
    assert state.slot.params.values()["p1"] == 7
    by_name["delete preset: street"].run(state)
    assert state.effects == [("delete preset", "sgm", "street")]


def test_entries_change_b_where_the_panel_does() -> None:
    state = state_of()
    state.link(False)
    state.tuned = "b"
    by_name = named(state)
    by_name["B: p2 adaptation: none"].run(state)
    by_name["B: variant: opencv-sgbm"].run(state)
    assert state.slot == state_of().slot
    assert state.b and state.b.params.values()["p2_adaptation"] == "none"
    assert state.b.variant == "opencv-sgbm"
