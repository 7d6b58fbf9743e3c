"""The palette: what is typed finds what is meant, Enter does it; state in, state out."""

import pytest

from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.dialogs import Palette
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.panels.keys.palette.entries import PaletteEntry
from wheatstone.viewer.panels.keys.palette.finding import feed, likeness, matching, offered

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


def names(query: str, *text: str) -> list[str]:
    return [entry.name for entry in matching([PaletteEntry(name) for name in text], query)]


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
    every = ("view: disparity", "disparities ...", "comparison: difference")
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
        ("increase disparities", "slot.params.disparities", 80),
        ("pause", "paused", True),
    ],
)
def test_what_is_typed_is_done(text: str, name: str, value: object) -> None:
    state = opened()
    enter(state, text, "Enter")
    result: object = state
    for part in name.split("."):
        result = getattr(result, part)
    assert (result, state.palette) == (value, None)


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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("export", "save figure as PDF, SVG and PNG"),
        ("export", "save point cloud as PLY"),
        ("export paper", "save figure as PDF, SVG and PNG"),
        ("why", "explain this pixel"),
        ("metres", "show measurements"),
        ("metres", "set camera baseline ..."),
        ("bad", "show error map or ground truth"),
        ("tour", "show start page"),
        ("tune", "show parameter grid"),
        ("tune", "workspace: Tune"),
        ("swap", "exchange A and B"),
        ("compare onion", "comparison: onion"),
    ],
)
def test_a_command_is_found_by_other_words_for_it(text: str, name: str) -> None:
    state = ViewerState(default_slot("sgm", NO_GPU), NO_GPU)
    state.palette = Palette(text)
    assert name in [entry.name for entry in offered(state)][:12]


def test_a_name_goes_before_another_word_for_it() -> None:
    every = [PaletteEntry("show stages", also="speed"), PaletteEntry("increase speed")]
    assert [entry.name for entry in matching(every, "speed")] == ["increase speed", "show stages"]
