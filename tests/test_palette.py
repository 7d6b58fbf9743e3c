"""The palette: its entries, what is typed and what it finds; state in, state out."""

from collections import Counter

import pytest

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.dialogs import LONGEST, Palette
from wheatstone.viewer.choices.mixing import MODES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.keys.actions import actions, press
from wheatstone.viewer.keys.palette.entries import PaletteEntry, entries
from wheatstone.viewer.keys.palette.finding import feed, likeness, matching, offered
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.screen.events import Event

NO_GPU = {"cpu": "", "cuda": "no NVIDIA driver is installed"}


def opened() -> ViewerState:
    state = ViewerState(default_slot("sgm", NO_GPU), NO_GPU)
    state.palette = Palette()
    return state


def enter(state: ViewerState, text: str, *keys: str) -> None:
    """Type into the open palette as a window tells it: every letter is a key, too."""
    for letter in text:
        feed(state, Event("key", key=letter.upper()))
        feed(state, Event("text", text=letter))
    for key in keys:
        feed(state, Event("key", key=key))


def names(query: str, *found: str) -> list[str]:
    return [entry.name for entry in matching([PaletteEntry(name) for name in found], query)]


def test_what_is_marked_gives_way_to_what_is_typed_next() -> None:
    state = opened()
    assert state.palette
    for key, text, query in (("", "wip", "wip"), ("Ctrl+A", "on", "on"), ("Ctrl+A", "", "on")):
        if key:
            feed(state, Event("key", key=key))
        for letter in text:
            feed(state, Event("text", text=letter))
        assert state.palette.query == query
    feed(state, Event("key", key="Backspace"))
    assert state.palette.query == "" and not state.palette.marked
    feed(state, Event("key", key="Ctrl+A"))
    assert not state.palette.marked  # there is nothing


def test_a_word_fits_best_where_another_begins() -> None:
    assert likeness("wi", "compare wipe") > likeness("ip", "compare wipe")
    assert likeness("ip", "compare wipe") > likeness("wp", "compare wipe") > 0
    assert likeness("pw", "wipe") == 0
    assert likeness("wipe", "a window in the palace") == 0  # too far apart


def test_every_word_must_fit_and_their_order_is_free() -> None:
    every = ("view: disparity", "disparities ...", "compare: difference")
    assert names("", *every) == list(every)
    assert names("dis", *every) == ["disparities ...", "view: disparity"]
    assert names("DISP view", *every) == ["view: disparity"]
    assert names("zebra", *every) == []


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("variant ref", "slot.variant", "reference"),
        ("pipeline canny", "slot.pipeline.name", "canny"),
        ("view pair", "view.name", "pair"),
        ("map viridis", "colormap", "viridis"),
        ("compare onion", "mixing.mode", "onion"),
        ("cost absolute", "slot.params.cost", "absolute"),
        ("subpixel off", "slot.params.subpixel", "off"),
        ("preset driving", "slot.params.cost", "census-symmetric"),
        ("disparities up", "slot.params.disparities", 80),
        ("pause", "paused", True),
    ],
)
def test_what_is_typed_is_done(text: str, name: str, value: object) -> None:
    state = opened()
    enter(state, text, "Enter")
    found: object = state
    for part in name.split("."):
        found = getattr(found, part)
    assert (found, state.palette) == (value, None)


def test_plain_keys_do_nothing_else_while_it_is_open() -> None:
    state = opened()
    enter(state, "q 2hv", "Tab", "F1", "Ctrl+2", "Space")
    assert not (state.closing or state.help or state.paused)
    assert state.palette == Palette("q 2hv")
    assert state.slot.pipeline is SGM


def test_arrows_choose_among_what_fits() -> None:
    state = opened()
    enter(state, "colour map: ", "Down", "Down", "Up", "Enter")
    assert state.colormap == "turbo"
    state.palette = Palette()
    enter(state, "colour map: ", "Up")
    assert state.palette.chosen == len(offered(state)) - 1


def test_escape_leaves_and_backspace_takes_back() -> None:
    state = opened()
    enter(state, "wipe", "Backspace")
    assert state.palette == Palette("wip")
    enter(state, "", "Ctrl+Backspace")
    assert state.palette == Palette()
    enter(state, "wipe", "Esc")
    assert state.palette is None and state.mixing.mode == "off" and not state.closing


def test_a_number_is_asked_for_and_checked() -> None:
    state = opened()
    enter(state, "p1", "Enter")
    assert state.palette == Palette("35", asks="p1 ...")
    enter(state, "", "Ctrl+Backspace")
    enter(state, "33", "Enter")
    assert state.slot.params.values()["p1"] == 33
    assert not state.palette
    for wrong, complaint in (("5000", "p1 must be in [0, 1023]"), ("x", "p1 cannot be 'x'")):
        state.palette = Palette(wrong, asks="p1 ...")
        enter(state, "", "Enter")
        assert complaint in state.message
        assert state.slot.params.values()["p1"] == 33


def test_a_preset_is_saved_under_the_name_typed() -> None:
    state = opened()
    enter(state, "save preset", "Enter")
    enter(state, "street 2", "Enter")
    assert state.effects == [("save preset", "street 2")]
    state.palette = Palette(" ", asks="save preset ...")
    enter(state, "", "Enter")
    assert len(state.effects) == 1 and state.palette is None


def test_what_this_machine_lacks_says_why_and_stays_open() -> None:
    state = opened()
    enter(state, "variant: fast", "Enter")
    assert state.slot.variant == "cpu"
    assert "no NVIDIA driver" in state.message and state.palette


def state_of(pipeline: str = "sgm") -> ViewerState:
    return ViewerState(default_slot(pipeline, NO_GPU), NO_GPU)


def named(state: ViewerState) -> dict[str, PaletteEntry]:
    return {entry.name: entry for entry in entries(state)}


@pytest.mark.parametrize("name", PIPELINES)
def test_everything_declared_is_listed_once(name: str) -> None:
    pipeline, found = PIPELINES[name], Counter(entry.name for entry in entries(state_of(name)))
    expected = {f"variant: {variant.name}" for variant in pipeline.variants}
    expected |= {f"pipeline: {other}" for other in PIPELINES}
    expected |= {f"view: {view.name}" for view in pipeline.views}
    expected |= {f"preset: {preset}" for preset in pipeline.presets}
    expected |= {f"colour map: {colormap}" for colormap in COLORMAPS}
    expected |= {f"compare: {mode}" for mode in MODES}
    expected |= {f"panel: {panel.title}" for panel in PANELS}
    for parameter, control in controls(pipeline.params).items():
        label = parameter.replace("_", " ")
        words = [str(c) if not isinstance(c, bool) else ("off", "on")[c] for c in control.choices]
        expected |= {f"{label}: {word}" for word in words} or {f"{label} ..."}
    assert expected <= set(found)
    assert [entry for entry, count in found.items() if count > 1] == []


@pytest.mark.parametrize("name", PIPELINES)
def test_every_key_of_the_table_is_told_by_some_entry(name: str) -> None:
    told = {key for entry in entries(state_of(name)) for key in entry.keys.split(" ")}
    chosen = {key for a in actions(PIPELINES[name]) if a.chooses for key in a.keys}
    assert {key for a in actions(PIPELINES[name]) for key in a.keys} - chosen <= told


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
    found = named(state_of())
    assert found["variant: cpu"].current and not found["variant: reference"].current
    assert found["cost: census-ring-symmetric"].current and found["view: disparity"].current
    assert found["variant: fast"].why_not == "no NVIDIA driver is installed"


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
    found = named(state)
    assert "preset: other" not in found
    found["preset: street"].run(state)
    assert state.slot.params.values()["p1"] == 7
    found["delete preset: street"].run(state)
    assert state.effects == [("delete preset", "sgm", "street")]


def test_entries_change_b_where_the_panel_does() -> None:
    state = state_of()
    state.link(False)
    state.tuned = "b"
    found = named(state)
    found["B: p2 adaptation: none"].run(state)
    found["B: variant: opencv-sgbm"].run(state)
    assert state.slot == state_of().slot
    assert state.b and state.b.params.values()["p2_adaptation"] == "none"
    assert state.b.variant == "opencv-sgbm"


def test_characters_come_and_go_one_by_one() -> None:
    palette = Palette("p", chosen=3).typed("1").typed("\t\n").typed("ä")
    assert palette == Palette("p1ä")
    assert palette.erased().erased() == Palette("p")
    assert Palette().erased() == Palette()
    assert len(Palette().typed("x" * (LONGEST + 9)).query) == LONGEST


def test_the_choice_goes_round_and_stays_in_an_empty_list() -> None:
    assert Palette(chosen=2).moved(1, 3).chosen == 0
    assert Palette().moved(-1, 3).chosen == 2
    assert Palette().moved(-8, 0).chosen == 0
