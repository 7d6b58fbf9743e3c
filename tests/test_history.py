"""Undo and redo: every choice declared, any sequence of keys, what the program does by itself."""

import dataclasses
import random
from dataclasses import replace
from typing import Any

import pytest

from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices import undoing
from wheatstone.viewer.choices.history import LONGEST, History
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.choices.tuning import set_parameter, set_preset
from wheatstone.viewer.choices.undoing import undoable, values_of
from wheatstone.viewer.panels.keys.actions import actions, press

ABSENT = {"cpu": "", "cuda": "no GPU"}
ANY = {  # another value of the choices that any value may have
    "frame": 7,
    "mixing.frozen": 3,
    "look.ranges": {"sgm.disparity": (0.0, 5.0)},
    "look.near": 1.0,
    "look.far": 9.0,
    "look.pin": (3, 4),
    "look.pins": ((3, 4), (0, 1)),
    "measuring.other": (5, 6),
    "measuring.rectangle": (1, 2, 3, 4),
    "calibrating.board": "chessboard:9x6",
    "calibrating.square": "25mm",
    "probing.disparity": 12,
}
NOT_CHOICES = {"Ctrl+Z", "Ctrl+Y", "Ctrl+Shift+Z", "Q", "Esc", "Ctrl+Shift+P"}


def begun() -> ViewerState:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    undoing.follow(state)
    return state


def other_value(path: str, state: ViewerState) -> Any:
    result = undoable()[path]
    now, control = result.get(state), result.control
    if control.choices:
        return next(value for value in control.choices if value != now)
    if control.kind in ("numbers", "text"):
        return ANY.get(path, f"{now}x")
    return control.low if now != control.low else control.high


@pytest.mark.parametrize("path", undoable())
def test_every_choice_declared_is_undone_and_redone(path: str) -> None:
    state = begun()
    before, value = values_of(state), other_value(path, state)
    choose(state, path, value)
    undoing.note(state)
    after = values_of(state)
    assert after[path] == value != before[path]
    press(state, "Ctrl+Z")
    assert values_of(state) == before and state.message.startswith("undone: ")
    press(state, "Ctrl+Y")
    assert values_of(state) == after and state.message.startswith("redone: ")


@pytest.mark.parametrize("seed", range(8))
def test_any_sequence_of_keys_is_undone_step_by_step_and_redone(seed: int) -> None:
    dice, state = random.Random(seed), begun()
    keys = sorted({key for action in actions(SGM) for key in action.keys} - NOT_CHOICES)
    seen = [values_of(state)]
    for _ in range(90):
        press(state, dice.choice(keys))
        if len(state.history.steps) == len(seen):
            seen.append(values_of(state))
    assert len(seen) > 15 and state.history.done == len(seen) - 1
    for expected in reversed(seen[:-1]):
        press(state, "Ctrl+Z")
        assert values_of(state) == expected
    press(state, "Ctrl+Z")
    assert state.message == "nothing to undo"
    for expected in seen[1:]:
        press(state, "Ctrl+Shift+Z")
        assert values_of(state) == expected
    press(state, "Ctrl+Y")
    assert state.message == "nothing to redo"


def test_the_message_says_what_was_undone_and_in_which_direction() -> None:
    state = begun()
    press(state, "]")
    press(state, "V")
    press(state, "Ctrl+Z")
    assert state.message == "undone: view confidence -> disparity".replace(
        "confidence", SGM.views[1].name
    )
    press(state, "Ctrl+Z")
    assert state.message == "undone: disparities 80 -> 64"
    press(state, "Ctrl+Y")
    assert state.message == "redone: disparities 64 -> 80"


def test_a_drag_is_one_step_and_ends_with_the_next_press() -> None:
    state = begun()
    for values in ((30, 40, 50), (60, 70)):
        state.history.begin_gesture()
        for value in values:
            set_parameter(state, "p1", value)
            undoing.note(state)
    texts = [undoing.in_short(state, number) for number in range(3)]
    assert texts[1:] == ["p1 35 -> 50", "p1 50 -> 70"]
    state.history.begin_gesture()
    for value in (80, 70):
        set_parameter(state, "p1", value)
        undoing.note(state)
    assert len(state.history.steps) == 2  # dragged back to where it was


def test_a_key_held_is_one_step() -> None:
    state = begun()
    for held in (False, True, True):
        press(state, "]", held=held)
    assert [undoing.in_short(state, 1)] == ["disparities 64 -> 112"]
    assert len(state.history.steps) == 1


def test_a_new_step_forgets_what_was_undone() -> None:
    state = begun()
    for key in ("]", "Ctrl+Z", "M"):
        press(state, key)
    press(state, "Ctrl+Y")
    assert state.message == "nothing to redo" and state.slot.params.values()["disparities"] == 64


def test_a_preset_and_an_exchange_are_named() -> None:
    state = begun()
    set_preset(state, list(SGM.presets)[-1])
    undoing.note(state)
    press(state, "X")
    presets = list(SGM.presets)
    assert undoing.in_short(state, 1) == f"preset balanced -> {presets[-1]}"
    assert undoing.in_short(state, 2) == "A and B exchanged"
    press(state, "Ctrl+Z")
    assert state.message == "undone: A and B exchanged"


def test_frames_that_pass_by_are_no_steps_and_stay_when_something_else_is_undone() -> None:
    state = begun()
    press(state, "M")
    state.frame = 40  # it plays
    press(state, "Ctrl+Z")
    assert (state.frame, len(state.history.steps)) == (40, 1)
    press(state, ".")
    press(state, "Ctrl+Z")
    assert state.frame == 40


def test_where_a_frame_lies_is_what_the_program_makes_of_it() -> None:
    state = begun()
    press(state, "Ctrl+.")
    state.frame = 99  # the last one
    undoing.follow(state)
    assert undoing.in_short(state, 1) == "frame 0 -> 99"


def test_a_state_that_cannot_be_shown_is_left_out() -> None:
    state = begun()
    first = state.slot
    press(state, "]")
    good = state.slot
    press(state, "]")
    press(state, "]")
    last = state.slot
    press(state, "Ctrl+Z")
    state.slot = last  # the program went back: what was undone cannot be computed here
    undoing.follow(state)
    assert undoing.in_short(state, 2) == "disparities 80 -> 112"
    press(state, "Ctrl+Z")
    assert state.slot == good
    state.slot = last
    undoing.follow(state)
    press(state, "Ctrl+Z")
    assert state.slot == first
    press(state, "Ctrl+Y")
    state.slot = first
    undoing.follow(state)
    assert not state.history.steps


def test_a_new_step_that_cannot_be_shown_is_no_step() -> None:
    state = begun()
    before = state.slot
    press(state, "M")
    press(state, "]")
    state.slot = before
    undoing.follow(state)
    press(state, "Ctrl+Z")
    assert "colour map" in state.message


def test_steps_of_another_source_are_forgotten() -> None:
    state = begun()
    press(state, ".")
    press(state, "M")
    undoing.forget_source(state)
    assert len(state.history.steps) == 1
    press(state, "Ctrl+Z")
    assert state.frame == 1 and "colour map" in state.message


def test_only_so_many_steps_are_kept() -> None:
    history = History()
    history.follow({"x": 0})
    for value in range(1, LONGEST + 50):
        history.begin_gesture()
        history.take({"x": value})
    assert (len(history.steps), history.done) == (LONGEST, LONGEST)
    assert history.changes_to(0) == {"x": 49}
    with pytest.raises(ValueError, match="no state 201"):
        history.changes_to(LONGEST + 1)


def test_a_state_of_the_history_becomes_a_or_b() -> None:
    state = begun()
    press(state, "]")
    press(state, "]")
    undoing.put_in_slot(state, 0, "b")
    undoing.note(state)
    assert state.b and state.b.params.values()["disparities"] == 64 and not state.linked
    undoing.put_in_slot(state, 1, "a")
    undoing.note(state)
    both = [slot.params.values()["disparities"] for slot in (state.slot, state.slot_b)]
    assert both == [80, 64]
    undoing.go_to(state, 0)
    assert state.b is None and state.linked


def test_what_follows_from_a_choice_is_not_chosen_again_by_undoing_it() -> None:
    state = begun()
    state.truth = replace(state.truth, convention="kitti", region="seen")
    undoing.follow(state)
    choose(state, "truth.convention", "middlebury")
    undoing.note(state)
    press(state, "Ctrl+Z")
    assert (state.truth.convention, state.truth.region) == ("kitti", "seen")


def test_nothing_that_changes_in_place_is_kept() -> None:
    state = begun()
    before = values_of(state)
    state.views["sgm"] = "sums"
    state.shelf["mean"] = default_slot("mean", ABSENT)
    assert before["views"] == {} and before["shelf"] == {}
    assert dataclasses.is_dataclass(state)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_taken_down_from_frame_to_frame_is_all_there_is(seed: int) -> None:
    state, pick = begun(), random.Random(seed)
    for number in range(60):
        path = pick.choice([*undoable(), "frame", "frame", "frame"])
        if path == "frame":
            state.frame = pick.choice([state.frame, state.frame + 1, 1000 + number])
        else:
            choose(state, path, other_value(path, state))
        pick.choice([undoing.note, undoing.follow])(state)
        assert state.history.present == values_of(state)
