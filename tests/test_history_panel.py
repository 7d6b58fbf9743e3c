"""The panel of the history, from plain values and in a window that nobody sees."""

import pytest

from wheatstone.viewer.choices import undoing
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import set_parameter
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.history import rows
from wheatstone.viewer.panels.keys.actions import press

ABSENT = {"cpu": "", "cuda": "no GPU"}


def test_rows_say_the_steps_which_is_current_and_what_a_and_b_compute() -> None:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    undoing.follow(state)
    for key in ("]", "M", "]", "Ctrl+Z"):
        press(state, key)
    undoing.put_in_slot(state, 0, "b")
    table = rows(state)
    assert [row.text for row in table] == [
        "initial state",
        "disparities 64 -> 80",
        f"colour map {undoing.undoable()['colormap'].default} -> {state.colormap}",
        "disparities 80 -> 96",
    ]
    assert [row.current for row in table] == [False, False, True, False]
    assert [row.undone for row in table] == [False, False, False, True]
    assert [row.slots for row in table] == ["b", "a", "a", ""]


@pytest.mark.opengl
@pytest.mark.usefixtures("offscreen")
def test_a_click_goes_back_the_buttons_fill_a_and_b_and_a_drag_is_one_step() -> None:
    from tests.offscreen_app import click, do, keys, running_app
    from wheatstone.viewer.display.screen.events import Event

    words = ("sgm", "--variant", "cpu", "--scene-size", "96x64", "--disparities", "32")
    with running_app(*words, size=(900, 600)) as app:
        state = app.state
        for key in ("Ctrl+H", "]", "V"):
            keys(app, key)
        area = app.layout.arrange(900, 600).panels["history"]
        first, line = area.y + 45, 29  # middle of the first row, from row to row
        click(app, area.x + 40, first)
        assert (state.history.done, state.slot.params.values()["disparities"]) == (0, 32)
        keys(app, "Ctrl+Y", "Ctrl+Y", "Ctrl+Z")
        assert state.slot.params.values()["disparities"] == 48
        assert state.message.startswith("undone: view")
        click(app, area.x + area.width - 35, first)
        assert state.b and state.b.params.values()["disparities"] == 32 and not state.linked
        click(app, area.x + area.width - 63, first)
        assert state.slot == state.b and state.history.done == 3
        keys(app, "Ctrl+H", "F2")
        line = app.layout.arrange(900, 600).panels["parameters"].y + 487 + line  # of p1, below A B
        do(app, Event("move", x=150, y=line))
        do(app, Event("press", x=150, y=line))
        for x in (180, 220):
            do(app, Event("move", x=x, y=line))
        do(app, Event("release", x=220, y=line))
        assert state.history.done == 4 and state.message.startswith("p")
        keys(app, "Ctrl+Z")
        assert state.history.done == 3 and state.slot == state.b


@pytest.mark.opengl
@pytest.mark.usefixtures("offscreen")
def test_what_does_not_fit_another_source_is_reported_and_left_out() -> None:
    from tests.offscreen_app import keys, running_app, settle, text
    from wheatstone.viewer.io.sources.scene import SceneSource

    with running_app("ncc", "--variant", "cpu", "--scene-size", "160x96") as app:
        state = app.state

        def column() -> int:
            return int(state.slot.params.values()["template"][0])

        keys(app, ".")
        for x in (120, 0, 4):
            state.history.begin_gesture()
            set_parameter(state, "template", (x, 8, 24, 24))
            undoing.note(state)
            settle(app)
        assert len(state.history.steps) == 4  # the frame, too
        app.open_source(SceneSource(SourceSpec(scene="orbit", seed=0, size=(96, 64))))
        undoing.forget_source(state)
        settle(app)
        for expected, message in ((0, "undone"), (0, "template"), (16, "undone")):
            keys(app, "Ctrl+Z")
            settle(app)
            assert column() == expected and message in state.message
        keys(app, "Ctrl+Z")
        assert state.message == "nothing to undo"
        keys(app, "Ctrl+Y", "Ctrl+Y", "Ctrl+Shift+P")
        text(app, "history: initial")
        keys(app, "Enter")
        assert (column(), state.message) == (16, "back to: initial state")
