"""Events of one pass go to what has the keyboard at that moment; an unseen question has it not."""

from collections.abc import Iterator

import pytest

from tests.offscreen_app import do, keys, running_app
from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.choices.file_choices import OPEN_PATH
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl
WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "cpu", "--fresh")


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    """A program that is shown in a browser or not: events come from the same queue."""
    with running_app(*WORDS) as running:
        yield running


def test_all_that_comes_in_one_pass_after_the_key_is_typed_into_the_prompt(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    colormap = app.state.colormap
    typed = [(Event("key", key=c.upper()), Event("text", text=c)) for c in "/mvq"]
    app.window.add([Event("key", key="Ctrl+O")])  # type: ignore[attr-defined]
    app.window.add([event for pair in typed for event in pair])  # type: ignore[attr-defined]
    app.window.add([Event("key", key="Backspace")])  # type: ignore[attr-defined]
    app.step()
    palette = app.state.palette
    assert palette and (palette.asks, palette.query) == (OPEN_PATH, "/mv")
    assert app.state.colormap == colormap and not app.state.closing
    keys(app, "Esc")


def test_a_key_pressed_before_a_question_is_seen_does_not_answer_it(app: App) -> None:
    app.state.question = Question("open them?", ("a.png",), "", ("open source", ""))
    app.window.add([Event("key", key="Y")])  # type: ignore[attr-defined]
    app.step()
    assert app.state.question
    do(app, Event("key", key="N"))
    assert not app.state.question and "a.png" in app.state.message
