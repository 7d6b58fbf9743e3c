"""A window as narrow as a phone: one menu of all menus, and panels as sheets below the picture."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from tests.laid_out import watched
from tests.offscreen_app import click, do, keys, running_app
from tests.test_menus_by_mouse import SCENE, Watched
from wheatstone.viewer.choices.workspaces import WORKSPACES
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.panels import panel
from wheatstone.viewer.panels.findings import LINE_HEIGHT, capitalised
from wheatstone.viewer.panels.keys.menu import drawing
from wheatstone.viewer.panels.keys.menu.toolbar import MORE
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*SCENE, size=(390, 800)) as program:
        program.state.bars = True
        do(program)
        yield program


def test_one_menu_holds_all_menus(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "SETTLES", 0.0)
    drawn = Watched(app)
    with (
        patch.object(imgui, "begin_menu", drawn.noting(imgui.begin_menu)),
        patch.object(imgui, "menu_item_simple", drawn.noting(imgui.menu_item_simple)),
    ):
        for words in ("Menu", "Settings", "Choose theme", "light"):
            drawn.click(words)
    assert app.state.look.theme == "light"
    assert not app.layout.bars.open
    keys(app, "Alt")
    assert app.layout.bars.open
    keys(app, "Esc")
    assert not app.layout.bars.open


def test_a_submenu_replaces_its_menu_below_a_way_back(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "SETTLES", 0.0)
    drawn = Watched(app)
    with patch.object(imgui, "begin_menu", drawn.noting(imgui.begin_menu)):
        with patch.object(imgui, "menu_item_simple", drawn.noting(imgui.menu_item_simple)):
            for words in ("Menu", "Compare", "Choose variant of B"):
                drawn.click(words)
            drawn.places.clear()
            do(app)
            assert "reference" in drawn.places and "Settings" not in drawn.places
            drawn.click(f"{drawing.OUT}  Choose variant of B")
            drawn.click(f"{drawing.OUT}  Compare")
            drawn.places.clear()
            do(app)
            assert "Settings" in drawn.places
    keys(app, "Alt")
    assert not app.layout.bars.open


def test_a_click_that_comes_too_early_chooses_nothing_from_a_submenu(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "SETTLES", 60.0)
    drawn, theme = Watched(app), app.state.look.theme
    with patch.object(imgui, "begin_menu", drawn.noting(imgui.begin_menu)):
        with patch.object(imgui, "menu_item_simple", drawn.noting(imgui.menu_item_simple)):
            app.layout.bars.pictures.since = -100.0
            drawn.click("Menu")
            drawn.click("Settings")
            before = list(app.state.effects), app.state.look
            drawn.click("Enlarge text")
            assert (list(app.state.effects), app.state.look) == before
    assert app.layout.bars.open and app.state.look.theme == theme
    keys(app, "Esc")


def test_tools_that_find_no_room_are_in_a_menu(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "SETTLES", 0.0)
    drawn = Watched(app)
    with (
        patch.object(imgui, "button", drawn.noting(imgui.button)),
        patch.object(imgui, "menu_item_simple", drawn.noting(imgui.menu_item_simple)),
    ):
        for words in (f"{MORE}###more", "Choose view", "left"):
            do(app)  # the popup finds its place
            drawn.places.clear()
            drawn.click(words)
    assert app.state.view.name == "left"
    assert not app.layout.bars.open


def test_the_text_of_a_finding_wraps_above_its_buttons(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = {"share": 0.4, "lowest": 0.5, "highest": 90.0, "first": 0, "last": 63}
    many = Finding("truth range", **long), Finding("no truth")
    monkeypatch.setattr("wheatstone.viewer.panels.findings.source_findings", lambda _: many)
    do(app)
    with watched() as seen:
        do(app)
    assert capitalised(many[0].says) in seen.seen
    lines = app.layout.findings.height(1.0, 390) / LINE_HEIGHT
    assert 2 < lines <= 5 and app.layout.area.y >= 55 + round(lines * LINE_HEIGHT)


def test_the_workspace_is_chosen_from_a_list(app: App) -> None:
    drawn = Watched(app)
    with (
        patch.object(imgui, "begin_menu", drawn.noting(imgui.begin_menu)),
        patch.object(imgui, "menu_item_simple", drawn.noting(imgui.menu_item_simple)),
    ):
        do(app)
        drawn.click(next(words for words in drawn.places if words.endswith("###workspaces")))
        drawn.click("Explain")
    assert app.state.workspaces.name == "Explain"
    app.state.show_workspace("Look")


def sheets(app: App) -> list[str]:
    return [n for n in app.layout.arrange(*app.window.size).panels if panel(n).place != "foot"]


def test_the_first_sheet_is_what_the_workspace_is_about(app: App) -> None:
    for workspace in WORKSPACES:
        app.state.show_workspace(workspace.name)
        app.state.reset_workspace()
        do(app)
        main = workspace.arrangement.panels[0]
        assert sheets(app) == [main]
        app.state.show_panel("histogram")
        do(app)
        assert sheets(app) == ["histogram"]
    app.state.show_workspace("Explain")
    assert sheets(app) == ["inspector"]
    app.state.show_workspace("Look")
    app.state.open_panels.clear()


def test_tabs_over_a_sheet_choose_its_panel(app: App) -> None:
    app.state.open_panels = {"parameters", "inspector"}
    do(app)
    places = app.layout.arrange(*app.window.size)
    assert places.tabs and sheets(app) == ["parameters"]
    click(app, 130, places.tabs.y + 15)
    assert sheets(app) == ["inspector"]
    assert app.layout.area.height >= (800 - places.picture.y) // 2 - 20
    app.state.open_panels.clear()


def test_a_list_over_a_sheet_stands_for_tabs_that_lack_room(app: App) -> None:
    app.state.open_panels = {"parameters", "inspector", "histogram", "truth", "stages"}
    app.state.front = "inspector"
    do(app)
    places = app.layout.arrange(*app.window.size)
    assert places.tabs
    click(app, 100, places.tabs.y + 15)
    click(app, 100, places.tabs.y + 45)  # the first of the list
    assert list(app.layout.arrange(*app.window.size).panels) == ["parameters"]
    app.state.open_panels.clear()


def test_the_key_of_a_panel_behind_a_tab_shows_it_and_closes_it_once_it_is_visible(
    app: App,
) -> None:
    state = app.state
    state.open_panels, state.front = {"parameters", "own_kernel"}, "own_kernel"
    do(app)
    assert state.behind == {"parameters"}
    keys(app, "F2")
    assert state.front == "parameters" and state.behind == {"own_kernel"}
    keys(app, "Ctrl+F6")
    assert state.open_panels == {"parameters", "own_kernel"} and state.behind == {"parameters"}
    keys(app, "Ctrl+F6")
    assert state.open_panels == {"parameters"} and not state.behind
