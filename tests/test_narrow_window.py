"""A window as narrow as a phone: one menu of all menus, and panels as sheets below the picture."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from tests.offscreen_app import click, do, keys, running_app
from tests.test_menus_by_mouse import SCENE, Watched
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*SCENE, size=(390, 800)) as found:
        found.state.bars = True
        do(found)
        yield found


def test_one_menu_holds_all_menus(app: App) -> None:
    found = Watched(app)
    with (
        patch.object(imgui, "begin_menu", found.noting(imgui.begin_menu)),
        patch.object(imgui, "menu_item_simple", found.noting(imgui.menu_item_simple)),
    ):
        for words in ("Menu", "Settings", "Choose theme", "light"):
            found.click(words)
    assert app.state.look.theme == "light"
    assert not app.layout.bars.open
    keys(app, "Alt")
    assert app.layout.bars.open
    keys(app, "Esc")
    assert not app.layout.bars.open


def test_the_workspace_is_chosen_from_a_list(app: App) -> None:
    found = Watched(app)
    with (
        patch.object(imgui, "begin_menu", found.noting(imgui.begin_menu)),
        patch.object(imgui, "menu_item_simple", found.noting(imgui.menu_item_simple)),
    ):
        do(app)
        found.click(next(words for words in found.places if words.endswith("###workspaces")))
        found.click("Explain")
    assert app.state.workspaces.name == "Explain"
    app.state.show_workspace("Look")


def test_tabs_over_a_sheet_choose_its_panel(app: App) -> None:
    app.state.open_panels = {"parameters", "inspector"}
    do(app)
    places = app.layout.arrange(*app.window.size)
    assert places.tabs and list(places.panels) == ["inspector"]
    click(app, 30, places.tabs.y + 15)
    assert list(app.layout.arrange(*app.window.size).panels) == ["parameters"]
    assert app.layout.area.height >= (800 - places.picture.y) // 2 - 20
    app.state.open_panels.clear()
