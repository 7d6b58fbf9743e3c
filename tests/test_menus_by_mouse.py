"""Every line of every menu is clicked with the mouse, and does something."""

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.offscreen_app import do, keys, running_app, settle
from tests.test_panels_laid_out import unpainted
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.panels.keys.action import BAR, MenuItem
from wheatstone.viewer.panels.keys.menu import drawing
from wheatstone.viewer.settings.recipe import document, restore
from wheatstone.viewer.window.app import App

SCENE = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")
pytestmark = pytest.mark.opengl


OUTSIDE = ("open a file", "open a folder", "screenshots folder", "show in browser", "open scene")
"""Effects only seen to be requested: they open dialogs or programs, or paint scenes."""
REFUSED = {
    "Check own kernel by compute-sanitizer": "compute-sanitizer",
    "Open camera ...": "no camera is connected",
    "Rectify by features": "is rectified",
    "anaglyph": "already overlays two images",
}
"""What lines cannot do with this source or on this machine, and a part of the reason they tell."""


@pytest.fixture
def app(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)  # where files are written
    with running_app(*SCENE, "--compare", "wipe", size=(1280, 800)) as program:
        program.state.bars = True
        with unpainted(program):
            do(program)
            yield program


class Watched:
    """Where lines were drawn in the last frame, by their words, and what a click changed.

    Attributes:
        ran: names of the effects that were run since ``begin``.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self.places: dict[str, tuple[float, float]] = {}
        self.ran: list[str] = []
        self._usual = document(app.state)
        self._before: dict[str, Any] = {}

    def noting(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        def drawn(words: str, *more: Any) -> Any:
            x, y = imgui.get_cursor_screen_pos()
            self.places[words] = x + 8, y + imgui.get_text_line_height() / 2
            return draw(words, *more)

        return drawn

    def noting_effect(self, name: str, run: Callable[..., None]) -> Callable[..., None]:
        def noted(*words: Any) -> None:
            self.ran.append(name)
            if name not in OUTSIDE:
                run(*words)

        return noted

    def begin(self) -> None:
        """Go back to the first state; remember it."""
        app, state = self._app, self._app.state
        if app.layout.bars.open:
            keys(app, "Esc")
        if app.session.recordings.words:
            state.request("record")
            settle(app)
        restore(state, self._usual)
        state.palette = state.question = state.tour = state.lesson = None
        state.help = state.closing = state.fullscreen = state.stages = False
        state.racing = state.focus = state.picks = ""
        state.messages = Messages()
        do(app, Event("move", x=640, y=700))
        self.places.clear()
        self.ran.clear()
        self._before = self._now

    @property
    def _now(self) -> dict[str, Any]:
        """Copy the state, without what every frame changes."""
        passing = ("effects", "history", "asks_for_menus")
        return {n: copy(v) for n, v in vars(self._app.state).items() if n not in passing}

    def did(self) -> list[str]:
        """Wait for what the click began; list what has changed, and the effects that were run."""
        if self._app.state.effects or self._app.background.busy:
            settle(self._app)
        now = self._now
        return [name for name in now if now[name] != self._before[name]] + self.ran

    def look(self) -> None:
        """See where lines are in the next frame."""
        self.places.clear()
        self._app.step()

    def click(self, words: str) -> None:
        """Click on a line, and see the lines after it; few frames, which take most of the time."""
        if not self.places:
            self.look()
        assert words in self.places, (words, list(self.places), self._app.layout.bars.open)
        x, y = self.places[words]
        do(self._app, Event("move", x=x, y=y))
        do(self._app, Event("press", x=x, y=y, button=0), Event("release", x=x, y=y, button=0))
        self.look()


@pytest.fixture
def watched(app: App) -> Iterator[Watched]:
    clicks = Watched(app)
    effects = {name: clicks.noting_effect(name, run) for name, run in app.effects.items()}
    with (
        patch.object(imgui, "begin_menu", clicks.noting(imgui.begin_menu)),
        patch.object(imgui, "menu_item_simple", clicks.noting(imgui.menu_item_simple)),
        patch.object(app, "effects", effects),
    ):
        yield clicks
        clicks.begin()


def paths(items: tuple[MenuItem, ...], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """List the ways to all lines that can be chosen, each as the words to click on."""
    for item in items:
        way = (*above, drawing.label(item))
        if item.items and not item.why_not:
            yield from paths(item.items, way)
        elif not item.why_not:
            yield way


@pytest.mark.parametrize("menu", BAR)
def test_a_click_on_every_line_of_a_menu_does_something(
    app: App, watched: Watched, menu: str
) -> None:
    watched.begin()
    lines: Mapping[str, tuple[MenuItem, ...]] = app.layout.bars.menus_of(app.session)
    ways = list(paths(lines[menu], (menu,)))
    assert ways
    for way in ways:
        watched.begin()
        for words in way:
            watched.click(words)
        assert app.layout.bars.open == (way[-1] == "Open menus by keys")
        assert watched.did() or app.layout.bars.open, way
        newest, reason = app.state.messages.newest, REFUSED.get(way[-1], "")
        assert newest.kind != "error" or (reason and reason in newest.text), (way, newest)
        if way[-1] == "Quit":
            assert app.state.closing


def test_a_finding_that_appears_closes_no_menu(
    app: App, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.click("File")
    finding = Finding("rows", median=2.1)
    monkeypatch.setattr("wheatstone.viewer.panels.findings.source_findings", lambda _: (finding,))
    do(app)
    assert app.layout.findings.shown == (finding,)
    do(app)
    assert app.layout.bars.open


def test_few_lines_cannot_be_chosen_for_this_pair_and_say_why(app: App) -> None:
    lines = app.layout.bars.menus_of(app.session)
    grey = {i.name: i.why_not for items in lines.values() for i in items if i.why_not}
    assert all(grey.values())
    assert set(grey) <= {
        *("open recent", "choose next layout of views", "Adjust point cloud"),
        *("choose source", "choose source of B", "close source"),
        *("use area around this pixel as template", "delete preset", "delete workspace"),
    }
