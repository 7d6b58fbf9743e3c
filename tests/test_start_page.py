"""The start page, the hints of the first start, and the tour."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.offscreen_app import ask, do, keys, running_app, settle, text
from tests.patience import wait_until
from wheatstone.viewer.choices.dialogs import Palette, Recent
from wheatstone.viewer.choices.file_choices import FILE_CHOICES, OPEN_PATH
from wheatstone.viewer.choices.panel_choices import START
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.script_player import finish
from wheatstone.viewer.cli.view import prepare_state
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.footage.cameras import CameraDevice, listed_cameras
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys.palette.entries import entries
from wheatstone.viewer.panels.popups import HINTS
from wheatstone.viewer.panels.start.looking import (
    OPEN,
    StartQueries,
    camera_rows,
    columns_of,
    place_words,
    recent_words,
)
from wheatstone.viewer.panels.tour import PICTURE, STATUS, STEPS
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.recent_sources import recent_file, recent_sources
from wheatstone.viewer.settings.recipe import document
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.effects import PLACES
from wheatstone.viewer.window.effects.starting import ask_for_camera, press_entry, tour

ABSENT = {"cpu": "", "cuda": "no GPU"}
WORDS = ("invert", "--scene-size", "64x48", "--variant", "reference")


@pytest.fixture
def app(offscreen: OffscreenContext) -> Iterator[App]:
    """A window of 700 x 500 on the built-in scene, with the start page open."""
    with running_app(*WORDS, size=(700, 500)) as running:
        running.state.open_panels.add(START)
        finish(running)
        yield running


@pytest.fixture
def pairs(tmp_path: Path) -> list[tuple[str, str]]:
    """Two pairs of pictures."""
    listed = []
    for name in ("hall", "yard"):
        (tmp_path / name).mkdir()
        for side in ("left", "right"):
            Image.fromarray(np.full((48, 64), 90, np.uint8)).save(tmp_path / name / f"{side}.png")
        listed.append((str(tmp_path / name / "left.png"), str(tmp_path / name / "right.png")))
    return listed


def fresh() -> ViewerState:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    state.open_panels = {"inspector"}
    return state


OPENING = {
    "menu": tuple(Event(kind, x=20, y=12) for kind in ("move", "press", "release")),
    "list": tuple(Event(kind, x=180, y=38) for kind in ("move", "press", "release")),
    "Alt": (Event("key", key="Alt"),),
}


@pytest.mark.parametrize("events", OPENING.values(), ids=OPENING)
def test_esc_that_comes_in_one_frame_with_what_opens_a_menu_closes_the_menu_alone(
    app: App, events: tuple[Event, ...]
) -> None:
    app.state.bars = True
    app.step()
    do(app, *events)
    app.step()
    assert app.layout.bars.open
    keys(app, "Esc")
    settle(app)
    assert not app.layout.bars.open and START in app.state.open_panels
    do(app, *events, Event("key", key="Esc"))
    settle(app)
    assert not app.layout.bars.open and START in app.state.open_panels


def test_what_is_pressed_before_the_first_frame_is_of_its_menus(
    offscreen: OffscreenContext,
) -> None:
    with running_app(*WORDS, size=(700, 500), first=False) as app:
        app.state.bars = True
        app.state.open_panels.add(START)
        do(app, *OPENING["menu"], Event("key", key="Esc"))
        settle(app)
        assert not app.layout.bars.open and START in app.state.open_panels


def test_a_source_that_is_opened_is_listed_and_closes_the_start_page(
    app: App, pairs: list[tuple[str, str]]
) -> None:
    for pair in pairs:
        ask(app, "open", *pair)
    assert START not in app.state.open_panels
    assert [place_words(one, "") for one in app.state.recent] == ["yard", "hall"]
    ask(app, "open recent", "1")
    assert app.session.source.spec.left == pairs[0][0] and not app.state.question
    assert [place_words(one, "") for one in app.state.recent] == ["hall", "yard"]
    assert app.window.title.startswith("left.png | right.png  invert/reference")  # type: ignore[attr-defined]


def test_the_start_page_stays_if_what_is_opened_cannot_be_shown(
    offscreen: OffscreenContext, pairs: list[tuple[str, str]]
) -> None:
    with running_app("sgm", "--disparities", "16", *WORDS[1:]) as app:
        app.state.open_panels.add(START)
        finish(app)
        ask(app, "open", pairs[0][1], pairs[0][1])
        assert START not in app.state.open_panels
        app.state.open_panels.add(START)
        Path(pairs[1][1]).unlink()
        ask(app, "open", pairs[1][0])
        assert "needs a stereo pair" in app.state.messages.on_screen.text
        assert app.session.source.spec.left == pairs[0][1]
        assert START in app.state.open_panels


def test_a_list_from_elsewhere_is_asked_about(app: App, pairs: list[tuple[str, str]]) -> None:
    ask(app, "open", *pairs[0])
    listed = recent_file().read_text()
    recent_file().write_text(listed.replace('"seal": "', '"seal": "0'))
    app.state.recent = recent_sources()  # as the next start reads them
    ask(app, "open recent", "0")
    assert app.state.question and pairs[0][0] in app.state.question.about


@pytest.mark.parametrize("form", ["{0}", "{0} {1}", "file://{0} file://{1}"])
def test_a_pasted_path_opens_its_pair(app: App, pairs: list[tuple[str, str]], form: str) -> None:
    do(app, Event("key", key="Ctrl+V", text=form.format(*pairs[0])))
    settle(app)
    spec = app.session.source.spec
    assert (spec.left, spec.right) == pairs[0] and not app.state.palette


def test_a_path_can_be_typed_without_a_click(app: App, pairs: list[tuple[str, str]]) -> None:
    text(app, pairs[0][0])
    assert app.state.palette == Palette(pairs[0][0], asks=OPEN_PATH)
    keys(app, "Enter")
    settle(app)
    assert app.session.source.spec.left == pairs[0][0]
    do(app, Event("key", key="Ctrl+V", text="absent"))
    assert app.state.palette == Palette("absent", asks=OPEN_PATH)


@pytest.mark.parametrize(("room", "columns"), [(460, 6), (459, 3), (226, 3), (225, 2), (147, 1)])
def test_buttons_stand_in_full_rows(room: int, columns: int) -> None:
    assert columns_of(6, 70, 8, room) == columns  # six take 6 x 70 + 5 x 8 = 460


def test_the_start_page_opens_a_scene(app: App) -> None:
    ask(app, "open scene", "garden")
    assert app.session.source.spec.scene == "garden"
    assert START not in app.state.open_panels and not recent_file().exists()
    ask(app, "open scene", "moon")
    assert "moon" in app.state.message


def test_the_start_page_is_closed_by_esc_and_not_kept(app: App) -> None:
    kept = document(app.state)
    assert START not in kept["window"]["panels"]
    keys(app, "Esc")
    assert START not in app.state.open_panels and not app.state.closing
    keys(app, "Shift+F1")
    assert START in app.state.open_panels


def test_the_start_page_does_not_wait_for_the_first_result(offscreen: object) -> None:
    pytest.importorskip("imgui_bundle")
    words = ("sgm", "--variant", "reference", "--scene-size", "320x240")
    with running_app(*words, first=False) as app:
        app.state.open_panels = {START, "inspector"}
        app.step()
        assert not app.started
        assert app.layout.body(START) and not app.layout.body("inspector")


@pytest.mark.parametrize("event", [Event("key", key="F14"), Event("press", x=5, y=495)])
def test_hints_are_seen_until_the_first_use(app: App, event: Event) -> None:
    app.window.resize(900, 500)  # type: ignore[attr-defined]
    settle(app)
    for _ in range(3):
        app.step()
    before = app.window.read()  # type: ignore[attr-defined]
    app.state.hints = True
    for _ in range(3):  # Dear ImGui measures a window before it shows the window
        app.step()
    hinted = app.window.read()  # type: ignore[attr-defined]
    assert (before != hinted).any(axis=2).sum() > 2000
    do(app, event)  # a key that nothing is bound to, or a place without a widget
    app.step()
    assert not app.state.hints
    area, after = app.layout.area, app.window.read()  # type: ignore[attr-defined]
    rows, columns = slice(area.y, area.y + area.height), slice(area.x, area.x + area.width)
    assert np.array_equal(after[rows, columns], before[rows, columns])


def test_a_narrow_window_has_no_hints_of_keys(app: App) -> None:
    app.state.open_panels.clear()
    app.window.resize(390, 700)  # type: ignore[attr-defined]
    settle(app)
    before = app.window.read()  # type: ignore[attr-defined]
    app.state.hints = True
    for _ in range(3):
        app.step()
    assert np.array_equal(app.window.read(), before)  # type: ignore[attr-defined]


def test_the_first_start_has_hints_and_the_second_has_none(app: App) -> None:
    state, source = fresh(), app.session.source
    prepare_state(parse(["view"]), state, source)
    assert state.hints and START in state.open_panels
    user_settings.save(state)
    again = fresh()
    prepare_state(parse(["view", "--scene", "garden"]), again, source)
    assert not again.hints and START not in again.open_panels


def test_the_buttons_ask_for_files_of_a_known_purpose() -> None:
    for way in OPEN:
        name, *words = way.effect
        assert name in PLACES and FILE_CHOICES.keys() >= {*words}


def test_every_step_of_the_tour_does_what_it_says() -> None:
    begun = fresh()
    before = document(begun)
    shown = []
    for step in STEPS:
        state = fresh()
        state.open_panels.clear()
        for name in step.does:
            press_entry(state, name)
            entry = next(e for e in entries(state) if e.name == name)
            assert not entry.why_not and not state.palette
        assert step.points in {PICTURE, STATUS, *state.open_panels}
        shown.append(document(state))
    assert all(one != before for one in shown)
    assert shown[3]["params"] != shown[3]["b"]["params"]  # A and B
    assert 5 <= len(STEPS) <= 6 and len({step.title for step in STEPS}) == len(STEPS)


def test_the_tour_goes_on_and_back_and_leaves_all_as_it_was(app: App) -> None:
    state = app.state
    keys(app, "Esc")
    before = document(state)
    steps = [0]
    tour(app, "begin")
    for word in ("next", "next", "back", "next", "next", "next", "next"):
        tour(app, word)
        assert state.tour
        steps.append(state.tour.step)
    assert steps == [0, 1, 2, 1, 2, 3, 4, 5]
    assert state.view.name == "cloud" and document(state) != before
    tour(app, "next")
    assert not state.tour and document(state) == before


def test_the_tour_does_not_begin_with_a_single_picture(
    app: App, pairs: list[tuple[str, str]]
) -> None:
    alone = Path(pairs[0][0]).with_name("photo.png")
    shutil.copy(pairs[0][0], alone)
    ask(app, "open", str(alone))
    ask(app, "tour", "begin")
    assert not app.state.tour and "needs a pair" in app.state.message


def test_keys_lead_through_the_tour(app: App) -> None:
    keys(app, "Esc")
    tour(app, "begin")
    for key, step in (("Enter", 1), ("Backspace", 0), ("Backspace", 0)):
        keys(app, key)
        assert app.state.tour and app.state.tour.step == step
    keys(app, "Esc")
    assert not app.state.tour and not app.state.closing


def test_what_is_reported_about_cameras_and_recent_sources() -> None:
    assert [way.title for way in camera_rows(None)] == ["looking for cameras ..."]
    assert [way.title for way in camera_rows(StartQueries())] == ["no camera is connected"]
    cameras = (
        CameraDevice("/dev/video0", "See3D"),
        CameraDevice("/dev/video2", "", why_not="in use"),
    )
    first, second = camera_rows(StartQueries(cameras))
    assert (first.title, first.effect) == ("See3D (/dev/video0)", ("open", "/dev/video0"))
    assert (second.title, second.why_not) == ("camera (/dev/video2)", "in use")
    recent = Recent("l.png | r.png", SourceSpec("/a/b/l.png", "/a/b/r.png"), None)
    assert recent_words(recent, "") == "/a/b/l.png\n/a/b/r.png"
    assert recent_words(recent, "/a/b/r.png") == "/a/b/r.png is gone"
    assert (place_words(recent, ""), place_words(recent, "x")) == ("b", "gone")
    options = {"calibration": "/c/rig.toml", "calibration_scale": "any"}
    rectified = Recent("l.png | r.png", recent.spec.changed(**options), None)
    assert place_words(rectified, "") == "b, calibration rig.toml, calibration scale any"


def test_the_cameras_that_are_there_are_listed_and_one_is_opened(app: App) -> None:
    state, address = app.state, "lavfi:testsrc2=size=64x48:rate=5"
    keys(app, "Alt+O")
    wait_until(lambda: not app.background.busy, app.step)
    if not listed_cameras():
        assert "no camera is connected" in state.message and not state.question
    busy = CameraDevice("/dev/video9", "See3D", why_not="in use")
    with pytest.raises(ValueError, match=r"See3D .*: in use"):
        ask_for_camera(state, (busy,))
    ask_for_camera(state, (busy, CameraDevice(address, "Test"), CameraDevice("/dev/video7", "")))
    question = state.question
    assert question and question.about[0] == "See3D (/dev/video9): in use"
    assert question.effect == ("open", address)
    assert [other.effect for other in question.others] == [
        ("open", "/dev/video7"),
        ("open", address, "/dev/video7"),
    ]
    do(app)
    keys(app, "Enter")
    wait_until(lambda: app.session.source.spec.left == address, app.step)
    settle(app)
    assert app.session.source.live and app.session.frame_shown


def test_the_help_says_the_first_steps() -> None:
    from wheatstone.viewer.panels.keys.help import help_groups

    assert help_groups(fresh())[0].rows == HINTS
    assert next(p for p in PANELS if p.name == START).passing
