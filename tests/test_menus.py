"""The menus: every action in one of them, doing what its keys do; and the bars in a window."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from PIL import Image

from tests.laid_out import windows
from tests.offscreen_app import click, do, keys, running_app
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.dialogs import Recent
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import likeness
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys.action import BAR, SEQUENCE, SPACE, TRUTH, MenuItem
from wheatstone.viewer.panels.keys.actions import actions, grouped, press
from wheatstone.viewer.panels.keys.menu.bars import lacking
from wheatstone.viewer.panels.keys.menu.drawing import label
from wheatstone.viewer.panels.keys.menu.items import every, menu_of, menus
from wheatstone.viewer.panels.keys.menu.toolbar import TOOLS, text_of, tools
from wheatstone.viewer.window.app import App

WITH_GPU = {"cpu": "", "cuda": ""}
NO_GPU = {"cpu": "", "cuda": "no NVIDIA driver is installed"}


def state_of(pipeline: str = "sgm", absent: dict[str, str] = WITH_GPU) -> ViewerState:
    return ViewerState(default_slot(pipeline, absent), absent)


def lines(state: ViewerState, lacks: dict[str, str] | None = None) -> list[MenuItem]:
    return [line for items in menus(state, lacks or {}).values() for line in every(items)]


def line(state: ViewerState, key: str, lacks: dict[str, str] | None = None) -> MenuItem:
    return next(each for each in lines(state, lacks) if key in each.keys)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_action_is_in_one_menu(pipeline: str) -> None:
    state = state_of(pipeline)
    listed = Counter(key for each in lines(state) for key in each.keys)
    again = {key for each in actions(state.slot.pipeline) if each.again for key in each.keys}
    assert {key for key, count in listed.items() if count == 2} == again == {"Shift+F4", "Ctrl+F4"}
    assert set(listed.values()) == {1, 2}
    for action in actions(state.slot.pipeline):
        beyond = set()
        if action.chooses:  # of the keys of a list those count that choose something
            assert action.offers
            count = len(action.offers(state))
            beyond = {key for place, key in enumerate(action.keys) if place % 9 >= count}
        assert set(action.keys) - beyond <= listed.keys(), action.help
        assert not beyond & listed.keys()


def test_an_action_is_in_the_menu_that_the_table_says() -> None:
    state = state_of()
    by_menu = menus(state, {})
    assert tuple(by_menu) == BAR
    for heading, group in grouped(state.slot.pipeline).items():
        for action in group:
            menu, within = menu_of(heading, action)
            items = next((i.items for i in by_menu[menu] if i.name == within), by_menu[menu])
            assert any(action.keys[0] in one.keys for one in every(items)), action.help


@pytest.mark.parametrize("pipeline", ["sgm", "canny", "ncc"])
def test_a_line_does_what_its_key_does(pipeline: str) -> None:
    for key in [key for each in lines(state_of(pipeline)) for key in each.keys]:
        by_key, by_menu = state_of(pipeline), state_of(pipeline)
        for state in (by_key, by_menu):
            state.open_panels = {"histogram"}
            state.mix(mode="wipe")
        assert press(by_key, key)
        line(by_menu, key).run(by_menu)
        assert by_menu == by_key, key


def test_ticks_stand_at_what_is_chosen_and_at_what_is_on() -> None:
    state = state_of()
    ticked = {each.name for each in lines(state) if each.ticked}
    assert {"disparity", "cividis", "sgm", "show colour bar"} <= ticked
    assert "viridis" not in ticked and not line(state, "F2").ticked
    for key in ("M", "M", "Shift+R", "F2", "Space", "Z"):
        press(state, key)
    after = {each.name for each in lines(state) if each.ticked}
    assert "viridis" in after and not {"turbo", "show colour bar"} & after
    assert all(line(state, key).ticked for key in ("F2", "Space", "Z"))


def test_what_cannot_be_done_says_why() -> None:
    state = state_of(absent=NO_GPU)
    gpu = [v.name for v in state.slot.pipeline.variants if v.device == "cuda"]
    grey = {each.name: each.why_not for each in lines(state) if each.why_not}
    assert {grey[name] for name in gpu} == {NO_GPU["cuda"]} and "cpu" not in grey
    lacks = {SEQUENCE: "one frame", TRUTH: "no truth", SPACE: ""}
    assert [line(state, key, lacks).why_not for key in (",", "F10", "Y")][:2] == ["one frame"] * 2
    assert not line(state, "Home", lacks).why_not
    every_menu = menus(state, lacks).values()
    within = {item.name: item.why_not for items in every_menu for item in items if item.items}
    assert within["Compare with ground truth"] == "no truth"
    assert within["choose change over time"] == "one frame"
    views = {each.name: each.why_not for each in lines(state, lacks)}
    assert views["error map"] == views["ground truth"] == "no truth" and not views["depth"]
    assert not line(state, "Space", lacks).why_not


def test_sources_opened_before_are_listed() -> None:
    state = state_of()
    state.recent = (
        Recent("street", SourceSpec("a"), Path("a.png")),
        Recent("yard", NO_SOURCE, None),
    )
    within = next(item for item in menus(state, {})["File"] if item.name == "open recent")
    assert [(item.name, item.picture) for item in within.items] == [
        ("street", Path("a.png")),
        ("yard", None),
    ]
    within.items[1].run(state)
    assert state.effects == [("open recent", "1")]
    assert label(within) == "Open recent" and label(within.items[0]) == "street"


def test_built_in_scenes_are_listed() -> None:
    state = state_of()
    within = next(i for i in menus(state, {})["File"] if i.name == "open built-in scene")
    assert tuple(item.name for item in within.items) == SCENES
    within.items[3].run(state)
    assert state.effects == [("open scene", SCENES[3])]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_tool_is_a_line_of_the_menus(pipeline: str) -> None:
    state = state_of(pipeline)
    unique = {placed.tool for group in tools(menus(state, {})) for placed in group}
    missing = {tool for group in TOOLS for tool in group} - unique
    assert {tool.lists for tool in missing} <= {"preset"}
    assert not missing or not state.slot.pipeline.presets


def test_the_toolbar_names_a_changed_preset_as_the_panel_does() -> None:
    state = state_of("sgm")
    for p1 in (state.slot.params.values()["p1"], 999):
        state.slot = replace(state.slot, params=state.slot.params.changed(p1=p1, p2=1000))
        placed = [each for group in tools(menus(state, {})) for each in group]
        (preset,) = (each for each in placed if each.tool.lists == "preset")
        assert text_of(preset, state) == str(likeness(state, state.slot))
    assert text_of(preset, state).endswith("*")
    state.mix(mode="wipe")
    assert text_of(preset, state) == f"A: {likeness(state, state.slot)}"


def test_the_list_of_comparisons_names_a_mode_without_a_button() -> None:
    state, texts = state_of("sgm"), {}
    for mode in ("off", "side-by-side", "difference", "wipe", "b"):
        state.mix(mode=mode)
        placed = [each for group in tools(menus(state, {})) for each in group]
        (comparison,) = (each for each in placed if each.tool.lists == "comparison")
        texts[mode] = text_of(comparison, state)
    more = dict.fromkeys(("off", "side-by-side", "difference"), "More")
    assert texts == {**more, "wipe": "wipe", "b": "B only"}


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    words = ("--scene-size", "96x64", "--disparities", "16", "--variant", "reference", "--fresh")
    with running_app("sgm", *words, size=(900, 420)) as program:
        program.state.bars = True
        do(program)
        yield program


@pytest.mark.opengl
def test_the_bars_stand_above_the_picture_and_tab_hides_them(app: App) -> None:
    below = app.layout.area
    keys(app, "Tab")
    whole = app.layout.area
    assert (whole.y, whole.height) == (0, 420)
    keys(app, "Tab")
    assert app.layout.area == below
    assert 40 < below.y < 70 and below.y + below.height < 420


@pytest.mark.opengl
def test_while_the_palette_is_open_no_tooltip_lies_over_it(app: App) -> None:
    def tooltips() -> list[str]:
        for _ in range(60):
            app.step()
            time.sleep(0.01)  # one comes when the mouse has rested
        return [name for name in windows() if name.startswith("##Tooltip")]

    app.state.panels = True
    do(app, Event("move", x=20, y=38))  # over the first tool
    assert app.state.bars and tooltips()
    keys(app, "Ctrl+Shift+P")
    assert app.state.palette and not tooltips()
    keys(app, "Esc")
    assert tooltips()
    do(app, Event("move", x=300, y=250))


@pytest.mark.opengl
def test_arrow_keys_go_through_the_menus_and_nothing_else_sees_keys(app: App) -> None:
    keys(app, "Alt")
    assert app.layout.bars.menu == "File"
    keys(app, "Q", "V", "Right")
    do(app)
    do(app)
    assert app.layout.bars.menu == "Edit"
    keys(app, "Right")
    do(app)
    do(app)
    assert app.layout.bars.menu == "View"
    keys(app, "Down")
    keys(app, "Right")  # into the colour maps
    do(app)
    keys(app, "Enter")
    do(app)
    assert app.state.colormap == "turbo" and app.state.view.name == "disparity"
    assert not (app.layout.bars.open or app.state.closing)
    keys(app, "Alt")
    keys(app, "Left")
    do(app)
    assert app.layout.bars.menu == "Help"
    keys(app, "Esc")
    assert not (app.layout.bars.open or app.state.closing)
    keys(app, "M")
    assert app.state.colormap == "viridis"


@pytest.mark.opengl
def test_clicks_in_menus_do_what_lines_say_and_never_reach_the_picture(app: App) -> None:
    click(app, 415, 12)
    assert app.layout.bars.menu == "Panels"
    do(app, Event("scroll", x=700, y=250, dy=2.0))
    click(app, 430, 18)
    assert app.state.open_panels == {"parameters"} and not app.layout.bars.open
    do(app, Event("move", x=400, y=10))
    do(app, Event("scroll", x=400, y=10, dy=2.0))
    click(app, 24, 38)  # opens a file
    assert app.state.zoom == 1.0
    assert app.state.palette or app.dialog
    keys(app, "Esc", "F2")


@pytest.mark.opengl
def test_needs_follow_from_the_source_and_from_what_is_shown(app: App) -> None:
    lacks = lacking(app.session)
    assert not lacks[SEQUENCE] and not lacks[TRUTH]
    assert lacks[SPACE] == "view disparity is not a 3D view"


@pytest.mark.opengl
def test_small_pictures_are_drawn_and_damaged_ones_left_out(app: App, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.png", tmp_path / "bad.png"
    Image.fromarray(np.full((48, 64, 3), (250, 10, 240), np.uint8)).save(good)
    bad.write_bytes(good.read_bytes()[:60])
    app.state.recent = (Recent("good", NO_SOURCE, good), Recent("bad", NO_SOURCE, bad))
    keys(app, "Alt")
    keys(app, *["Down"] * 4)
    keys(app, "Right")
    do(app)
    shown = app.window.read()  # type: ignore[attr-defined]
    assert (abs(shown.astype(int) - (250, 10, 240)).sum(axis=2) < 30).sum() > 1000
    keys(app, "Esc")


@pytest.mark.opengl
@pytest.mark.usefixtures("offscreen")
def test_of_small_pictures_those_seen_last_are_kept(tmp_path: Path) -> None:
    from OpenGL import GL

    from wheatstone.viewer.panels.keys.menu.drawing import MOST, MenuPictures

    files = [tmp_path / f"{number}.png" for number in range(MOST + 3)]
    for file in files:
        Image.fromarray(np.zeros((6, 8, 3), np.uint8)).save(file)
    pictures = MenuPictures()
    first = [pictures.of(file) for file in files]
    numbers = [each.number for each in first if each]
    assert len(set(numbers)) >= MOST and all(each and each.aspect == 8 / 6 for each in first)
    there = [bool(GL.glIsTexture(each.number)) for each in first[-MOST:] if each]
    assert all(there) and pictures.of(files[-1]) == first[-1]
    files[0].write_bytes(b"no picture")
    assert pictures.of(files[0]) is None and not GL.glIsTexture(numbers[3])
    pictures.close()
    assert not any(GL.glIsTexture(number) for number in numbers)


def test_the_table_names_every_panel() -> None:
    panels = [each.name for each in menus(state_of(), {})["Panels"]]
    assert panels[: len(PANELS)] == [f"show {panel.spoken}" for panel in PANELS]


@pytest.mark.opengl
def test_no_value_moves_the_tools_beside_it(app: App) -> None:
    places: list[tuple[float, float]] = []

    def noting(words: str, *more: Any) -> bool:
        x, y = imgui.get_cursor_screen_pos()
        places.append((x, y))
        return bool(real(words, *more))

    def laid_out() -> list[tuple[float, float]]:
        places.clear()
        app.step()
        return list(dict.fromkeys(places))  # of one frame or of several

    real = imgui.button
    with patch.object(imgui, "button", noting):
        before = laid_out()
        for key in ("Space", "W", "Shift+V", "P", "2"):
            press(app.state, key)
        assert laid_out() == before and len(before) > 5
    for key in ("Space", "W", "1"):
        press(app.state, key)
    do(app)
