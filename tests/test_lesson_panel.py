"""Lessons in the window: their panel, its keys, and playing them from first to last step."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.laid_out import watched
from tests.offscreen_app import keys, running_app, settle
from tests.test_lesson_files import TWO_STEPS
from tests.test_panels_laid_out import unpainted
from wheatstone.viewer.choices.learning import LESSON
from wheatstone.viewer.cli.lesson.playing import pages, show_page
from wheatstone.viewer.cli.script_player import finish
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.lesson.panel import (
    COMPUTING,
    LessonPanel,
    clock_moment,
    first_lesson,
    offers_assignment,
)
from wheatstone.viewer.panels.lessons.reading import BUILT_IN, read_lesson
from wheatstone.viewer.panels.lessons.wording import PENDING
from wheatstone.viewer.run.kernels.folder import KernelFolder
from wheatstone.viewer.settings.recipe import document
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.effects.ending import end_lesson
from wheatstone.viewer.window.effects.learning import begin_lesson

SCENE = ("--scene-size", "96x64", "--variant", "cpu", "--fresh")
SIZE = (64, 96)


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app("mean", *SCENE, size=(320, 240)) as running:
        yield running


def picture_alone(app: App) -> NDArray[np.uint8]:
    area = app.layout.area
    pixels: NDArray[np.uint8] = app.window.read()  # type: ignore[attr-defined]
    return pixels[area.y : area.y + area.height, area.x : area.x + area.width]


def body(app: App) -> LessonPanel:
    panel = app.layout.body(LESSON)
    assert isinstance(panel, LessonPanel)
    return panel


@pytest.mark.opengl
def test_keys_open_the_list_and_lead_through_a_lesson_which_is_left_and_resumed(app: App) -> None:
    state = app.state
    before = document(state)
    keys(app, "F8")
    assert LESSON in state.open_panels and not state.lesson
    assert first_lesson(state) == "mean"
    where = []
    for key in ("Enter", "Enter", "Enter", "Enter", "Backspace", "Backspace"):
        keys(app, key)
        assert state.lesson
        where.append((state.lesson.step, state.lesson.answered))
    assert where == [(0, False), (0, True), (1, False), (1, True), (1, False), (0, False)]
    keys(app, "Enter", "Enter")
    keys(app, "F8")
    app.step()
    assert not state.lesson and "ended" in state.message
    after = document(state)
    assert after["chosen"].pop("learning") == {"steps": {"mean": 1}}
    assert after == before
    keys(app, "F8")
    keys(app, "Enter")
    assert state.lesson and state.lesson.step == 1
    keys(app, "F8")
    app.step()


@pytest.mark.opengl
def test_what_is_asked_keeps_its_numbers_beside_the_answer(app: App) -> None:
    begin_lesson(app.state, "mean", SIZE, 10)
    settle(app)
    finish(app)
    by_key = dict(body(app)._finder.texts)
    keys(app, "Enter")
    settle(app)
    finish(app)
    assert app.state.slot.params.values()["radius"] == 7
    assert body(app)._texts_before == by_key
    keys(app, "F8")
    app.step()


@pytest.mark.opengl
def test_an_answer_is_chosen_by_a_digit_and_by_a_click_and_judged(app: App) -> None:
    state = app.state
    begin_lesson(state, "mean", SIZE, 2)
    settle(app)
    finish(app)
    keys(app, "4")  # there is no fourth answer: the digit chooses a variant, as always
    assert state.lesson and not state.lesson.answered
    keys(app, "1")
    settle(app)
    with watched() as drawn:
        app.step()
    assert state.lesson.answered and state.lesson.chosen == 1 and "Wrong." in drawn.seen
    keys(app, "Backspace", "3")
    settle(app)
    with watched() as drawn:
        app.step()
    assert state.lesson.chosen == 3 and "Right." in drawn.seen
    keys(app, "Backspace", "Enter")
    assert state.lesson.answered and not state.lesson.chosen
    keys(app, "F8")
    app.step()


@pytest.mark.opengl
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_lesson_gives_the_same_pictures_forth_and_back(app: App, name: str) -> None:
    lesson, state = read_lesson(name), app.state
    begin_lesson(state, name, SIZE, 1)
    shown: dict[int, NDArray[np.uint8]] = {}
    steps = [page for page in pages(lesson) if not page.answered]
    for page in (*steps, *steps[-2::-4]):
        show_page_quickly(app, page.step)
        if page.step in shown:
            assert np.array_equal(picture_alone(app), shown[page.step]), lesson.steps[page.step]
        shown[page.step] = picture_alone(app)
    assert len(shown) == len(lesson.steps)
    assert len({picture.tobytes() for picture in shown.values()}) > len(shown) // 2
    keys(app, "F8")
    app.step()
    assert not state.lesson


def show_page_quickly(app: App, step: int) -> None:
    from wheatstone.viewer.cli.lesson.playing import LessonPage, _turn_to

    _turn_to(app, LessonPage(step, False), 0.5)
    settle(app)
    app.step()
    others = [app.layout.body(name) for name in app.state.open_panels - {LESSON}]
    while any(other and other.busy for other in others):
        app.step()
    app.step()


@pytest.mark.opengl
def test_no_words_of_a_step_are_cut(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    for size, scale in (((1280, 800), 1.0), ((2560, 1600), 2.0)):
        app.window.resize(*size)  # type: ignore[attr-defined]
        monkeypatch.setattr(app.window, "scale", scale)
        begin_lesson(app.state, "sgm", SIZE, 3)
        settle(app)
        with unpainted(app):
            keys(app, "Enter")
            with watched() as drawn:
                app.step()
            keys(app, "F8")
            app.step()
            keys(app, "F8")
            with watched() as listed:
                app.step()
            keys(app, "F8")
        assert not {**drawn.cut, **listed.cut}
    app.window.resize(320, 240)  # type: ignore[attr-defined]


@pytest.mark.opengl
def test_an_answer_is_in_sight_however_low_the_panel_is(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.md"
    path.write_text(TWO_STEPS.replace("> ", f"{'Many words. ' * 60}\n\n> ", 1))
    begin_lesson(app.state, str(path), SIZE)
    show_page(app, pages(read_lesson(str(path)))[0])
    assert words_scrolled(app, monkeypatch)[0] == 0
    show_page(app, pages(read_lesson(str(path)))[1])
    scrolled, most = words_scrolled(app, monkeypatch)
    assert scrolled == most > 0
    keys(app, "F8")
    app.step()


def words_scrolled(app: App, monkeypatch: pytest.MonkeyPatch) -> tuple[float, float]:
    """Draw a frame; find how far the words of a step are scrolled, and how far they can be."""
    listed: list[tuple[float, float]] = []
    end = imgui.end_child

    def telling() -> None:
        listed.append((imgui.get_scroll_y(), imgui.get_scroll_max_y()))
        end()

    with monkeypatch.context() as patched:
        patched.setattr(imgui, "end_child", telling)
        app.step()
    return listed[0]


@pytest.mark.opengl
def test_a_page_waits_for_what_it_tells(app: App, tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text(TWO_STEPS)
    begin_lesson(app.state, str(path), SIZE)
    show_page(app, pages(read_lesson(str(path)))[1])
    assert "64" in body(app)._finder.texts.values()
    keys(app, "F8")
    app.step()


def test_what_moves_moves_rests_and_begins_again() -> None:
    assert [clock_moment(s, 4.0) for s in (0.0, 2.0, 4.0, 4.9)] == [0.0, 0.5, 1.0, 1.0]
    assert clock_moment(5.0, 4.0) == 0.0


@pytest.mark.opengl
def test_the_last_step_offers_the_assignment_whose_folder_a_window_can_show(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    started: list[list[str]] = []
    start = SimpleNamespace(DEVNULL=-3, Popen=lambda words, **_: started.append(words))
    monkeypatch.setattr("wheatstone.viewer.window.effects.learning.subprocess", start)
    begin_lesson(app.state, "canny", SIZE)
    assert app.state.lesson and offers_assignment(app.state, app.state.lesson.lesson)
    for _ in range(2):  # the second time the folder exists
        app.state.request(LESSON, "assignment")
        app.step()
    assert "my-canny" in app.state.message
    assert started[0] == started[1] and started[0][1:4] == ["-m", "wheatstone", "view"]
    assert KernelFolder.read(Path(started[0][-1])).kernels.pipeline == "canny"
    app.state.bounds = replace(app.state.bounds, root=tmp_path)  # as in a browser
    assert not offers_assignment(app.state, app.state.lesson.lesson)
    app.state.request(LESSON, "assignment")
    app.step()
    assert len(started) == 2
    app.state.bounds = replace(app.state.bounds, root=None)
    end_lesson(app.state)


@pytest.mark.opengl
def test_answers_to_choose_from_are_drawn_once_their_numbers_are_known(app: App) -> None:
    state = app.state
    begin_lesson(state, "mean", SIZE, 2)
    settle(app)
    finish(app)
    assert state.lesson
    choices = len(state.lesson.now.choices)
    for known in (True, False):
        finder = body(app)._finder
        with patch.object(finder, "_texts", finder.texts if known else {}), watched() as drawn:
            with patch.object(finder, "ask"):
                app.step()
        numbered = [text for text in drawn.seen if text.strip() in map(str, range(1, choices + 1))]
        assert bool(numbered) is known and (COMPUTING in drawn.seen) is not known
        assert not any(text == PENDING for text in drawn.seen)
    end_lesson(state)
