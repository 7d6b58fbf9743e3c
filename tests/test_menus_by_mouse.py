"""Every line of every menu is reached and chosen by the mouse."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest.mock import patch

import pytest

from tests.offscreen_app import click, do, running_app
from tests.test_panels_laid_out import unpainted
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.keys.action import BAR
from wheatstone.viewer.panels.keys.menu import drawing
from wheatstone.viewer.panels.keys.menu.items import MenuItem
from wheatstone.viewer.window.app import App

SCENE = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")
pytestmark = pytest.mark.opengl


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*SCENE, "--compare", "wipe", size=(1280, 800)) as found:
        found.state.bars = True
        with unpainted(found):
            do(found)
            yield found


class Watched:
    """Where lines were drawn in the last frame, by their words, and which ones were chosen."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.places: dict[str, tuple[float, float]] = {}
        self.chosen: list[MenuItem] = []

    def noting(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        def drawn(words: str, *more: Any) -> Any:
            x, y = imgui.get_cursor_screen_pos()
            self.places[words] = x + 8, y + imgui.get_text_line_height() / 2
            return draw(words, *more)

        return drawn

    def choosing(self, draw: Callable[..., bool]) -> Callable[..., bool]:
        def drawn(item: MenuItem, pictures: drawing.MenuPictures) -> bool:
            if draw(item, pictures):
                self.chosen.append(item)
            return False  # the command itself is tested elsewhere, and some end the program

        return drawn

    def click(self, words: str) -> None:
        self.places.clear()
        do(self._app)
        click(self._app, *self.places[words])


@pytest.fixture
def watched(app: App) -> Iterator[Watched]:
    found = Watched(app)
    with (
        patch.object(imgui, "begin_menu", found.noting(imgui.begin_menu)),
        patch.object(imgui, "menu_item_simple", found.noting(imgui.menu_item_simple)),
        patch.object(drawing, "_draw_line", found.choosing(drawing._draw_line)),
    ):
        yield found


def paths(items: tuple[MenuItem, ...], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """List the ways to all lines that can be chosen, each as the words to click on."""
    for item in items:
        way = (*above, drawing.label(item))
        if item.items and not item.why_not:
            yield from paths(item.items, way)
        elif not item.why_not:
            yield way


@pytest.mark.parametrize("menu", BAR)
def test_every_line_of_a_menu_is_chosen_by_a_click(app: App, watched: Watched, menu: str) -> None:
    lines: Mapping[str, tuple[MenuItem, ...]] = app.layout.bars.menus_of(app.session)
    ways = list(paths(lines[menu], (menu,)))
    assert ways
    for way in ways:
        watched.chosen.clear()
        for words in way:
            watched.click(words)
        assert [drawing.label(item) for item in watched.chosen] == [way[-1]], way
        assert not app.layout.bars.open
        do(app, Event("move", x=640, y=500))


def test_few_lines_cannot_be_chosen_for_this_pair_and_say_why(app: App) -> None:
    lines = app.layout.bars.menus_of(app.session)
    grey = {i.name: i.why_not for items in lines.values() for i in items if i.why_not}
    assert all(grey.values())
    assert set(grey) <= {
        *("open recent", "choose next layout of views", "Adjust points in space"),
        *("use area around this pixel as template", "delete preset", "delete workspace"),
    }
