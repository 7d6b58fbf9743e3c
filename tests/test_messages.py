"""Messages have a kind, are read for long enough, and are kept in a log that a panel lists."""

import ast
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.offscreen_app import click, do, keys, running_app
from tests.theme_grounds import READ
from wheatstone.viewer.choices.messages import MOST_LOGGED, NOTHING, Kind, Message, Messages
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.findings import Button
from wheatstone.viewer.panels import panel
from wheatstone.viewer.panels.widgets import ICONS, INKS
from wheatstone.viewer.theme import THEMES, color, contrast
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.effects import EFFECTS

ROOT = Path(__file__).resolve().parent.parent
KINDS: tuple[Kind, ...] = get_args(Kind)
WORDS = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")


def test_every_kind_has_an_icon_and_a_colour_of_its_own() -> None:
    assert set(ICONS) == set(INKS) == set(KINDS)
    assert len(set(ICONS.values())) == len({ink.name for ink in INKS.values()}) == len(KINDS)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_read_with_enough_contrast(kind: Kind, theme: str) -> None:
    name = INKS[kind].name
    assert "ground" in READ[name] and "row" in READ[name]
    for ground in READ[name]:
        assert contrast(color(name, theme), color(ground, theme)) >= 4.5


def test_a_message_stays_as_long_as_it_takes_to_read() -> None:
    short, long = Message("hint", "frame 3"), Message("success", "x" * 100)
    assert (short.seconds, long.seconds) == (4.0 + 0.06 * 7, 10.0)
    shown = Messages().with_newest(long, 50.0)
    assert shown.visible(59.9) == long and shown.visible(60.1) == NOTHING
    assert shown.newest == long


def test_a_message_with_buttons_stays_until_they_can_be_used() -> None:
    message = Message("success", "saved", (Button("Open", ("show file", "x")),))
    shown = Messages().with_newest(message, 50.0)
    assert shown.visible(79.9) == message and shown.visible(80.1) == NOTHING


def test_an_error_stays_until_the_user_goes_on_and_could_read_it() -> None:
    error = Message("error", "no such file")
    shown = Messages().with_newest(error, 50.0)
    assert shown.visible(1e6) == error
    early = shown.after_action(51.0)
    assert early.visible(50.0 + error.seconds - 0.1) == error
    assert early.visible(50.0 + error.seconds + 0.1) == NOTHING
    assert shown.after_action(90.0).visible(90.1) == NOTHING
    assert shown.dismissed().visible(50.1) == NOTHING


def test_what_happens_by_itself_does_not_take_an_error_away() -> None:
    error, later = Message("error", "no such file"), Message("success", "saved a.png")
    shown = Messages().with_newest(error, 50.0).with_newest(later, 51.0)
    assert shown.visible(51.0) == error and shown.newest == later
    assert [logged.message for logged in shown.log] == [error, later]
    answered = shown.after_action(52.0).with_newest(later, 52.0)
    assert answered.visible(52.0) == later
    assert shown.with_newest(NOTHING, 52.0).visible(52.0) == error
    worse = Message("error", "worse")
    assert shown.with_newest(worse, 52.0).visible(52.0) == worse


def test_the_log_keeps_the_newest() -> None:
    messages = Messages()
    for number in range(MOST_LOGGED + 5):
        messages = messages.with_newest(Message("hint", str(number)), 0.0)
    assert len(messages.log) == MOST_LOGGED and messages.log[0].message.text == "5"
    assert str(messages.log[0]).split() == [messages.log[0].clock, "hint", "5"]
    assert messages.cleared().log == () and messages.cleared().newest == messages.newest


def test_a_copy_of_the_state_has_a_log_of_its_own() -> None:
    from copy import copy

    state = ViewerState(default_slot("sgm", {"cpu": ""}))
    tried = copy(state)
    tried.report_error("does not fit")
    assert state.messages.log == () and len(tried.messages.log) == 1


def _sets_message(node: ast.AST) -> bool:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [e for t in node.targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    texts = [t for t in targets if isinstance(t, ast.Attribute) and t.attr == "message"]
    names = [t.value for t in texts if not isinstance(t.value, ast.Name) or t.value.id != "error"]
    set_by_name = isinstance(node, ast.Constant) and node.value == "message"
    return bool(names) or set_by_name


def test_every_message_is_made_with_its_kind() -> None:
    for file in (ROOT / "viewer").rglob("*.py"):
        if "serving" not in file.parts:  # where a message is one between page and program
            nodes = ast.walk(ast.parse(file.read_text()))
            assert not any(map(_sets_message, nodes)), file


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*WORDS, size=(1280, 800)) as running:
        keys(running, panel("messages").key)
        yield running


@pytest.mark.opengl
def test_a_new_error_is_drawn_at_once_and_goes_with_a_click_on_it(app: App) -> None:
    app.state.report_error("nothing.png: no such file")
    outdated, rested = app.layout.outdated, app.rests
    assert outdated and not rested
    do(app)
    assert app.state.messages.ends == math.inf and app.rests
    row = app.window.read()[-16]  # type: ignore[attr-defined]
    red = INKS["error"]
    seen = [tuple(pixel) for pixel in row.tolist()]
    places = [x for x, (r, g, b) in enumerate(seen) if r > 150 and r > g + 60 and r > b + 60]
    assert red.name == "red" and places
    click(app, places[0], app.window.size[1] - 16)
    assert app.state.messages.visible(time.monotonic()) == NOTHING


@pytest.mark.opengl
def test_a_button_of_a_message_requests_its_effect_and_leaves_the_message(app: App) -> None:
    app.state.messages = Messages()
    app.state.confirm("saved a.png", Button("Twice", ("copy messages",)))
    app.effects = {**app.effects, "copy messages": lambda app: asked.append(app)}
    asked: list[App] = []
    do(app)
    right = 16
    while not asked and right < app.window.size[0]:
        click(app, app.window.size[0] - right, app.window.size[1] - 16)
        right += 16
    assert len(asked) == 1
    assert app.state.messages.visible(time.monotonic()).text == "saved a.png"
    app.effects = EFFECTS


@pytest.mark.opengl
def test_a_key_lets_an_error_go_once_it_was_read(app: App) -> None:
    app.state.report_error("nothing.png: no such file")
    do(app, Event("key", key="Shift+F12"))  # which does nothing
    ends = app.state.messages.ends
    assert ends < math.inf and ends > time.monotonic() + 3


@pytest.mark.opengl
def test_the_log_is_copied_as_text_and_cleared(app: App) -> None:
    window: Any = app.window
    app.state.messages = Messages()
    app.state.warn("the views are not rectified")
    app.state.effects.append(("copy messages",))
    do(app)
    clock, kind, *words = window.clipboard.split()
    assert (kind, " ".join(words)) == ("warning", "the views are not rectified") and clock[2] == ":"
    newest = app.state.messages.newest
    assert newest == Message("success", "1 log message copied as text")


@pytest.mark.opengl
def test_what_is_prepared_for_a_moment_is_not_logged(app: App) -> None:
    before = app.state.messages
    app.presentation.announce("cuda")
    assert app.state.messages is before
