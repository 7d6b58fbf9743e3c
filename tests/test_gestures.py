"""What texts say of mouse and keys where a finger works the window."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.laid_out import watched
from tests.offscreen_app import do, running_app
from tests.test_menus_by_mouse import SCENE
from wheatstone import viewer
from wheatstone.viewer.choices.dialogs import Palette
from wheatstone.viewer.display.screen.gestures import KEY, for_touch
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.lessons.reading import BUILT_IN, read_lesson
from wheatstone.viewer.window.app import App


@pytest.mark.parametrize(
    ("text", "on_touch"),
    [
        ("pinned x 3, y 2; right-click it to explain it", "pinned x 3, y 2; touch and hold it"),
        ("Point at the picture; Shift+I pins it.", "Tap the picture."),
        ("axis of the counts (Shift+G)", "axis of the counts"),
        ("Leave it (Esc)", "Leave it"),
        ("as declared (R)", "as declared"),
        ("U: next convention. KITTI's", "KITTI's"),
        ("in the picture; J goes to the next one", "in the picture"),
        (
            "no stage is shown in slow motion: Shift+F3 lists them",
            "no stage is shown in slow motion",
        ),
        ("sgm was cancelled. F5: compute it again", "sgm was cancelled."),
        ("Click it.\nWhere it was clicked", "Tap it.\nWhere it was tapped"),
        ("A is now sgm/cpu, B sgm/fast (peer)", "A is now sgm/cpu, B sgm/fast (peer)"),
        ("Esc cancels", ""),
        ("frame 0; C shows A and B side by side", "frame 0"),
        ("paused: Space plays", "paused"),
    ],
)
def test_texts_for_touch_name_fingers_and_no_keys(text: str, on_touch: str) -> None:
    assert for_touch(text).startswith(on_touch)
    assert not KEY.search(for_touch(text)) and "click" not in for_touch(text).lower()


def test_tooltips_of_widgets_are_drawn_in_one_place() -> None:
    files = Path(viewer.__file__).parent.rglob("*.py")
    assert [path for path in files if "set_item_tooltip(" in path.read_text(encoding="utf-8")] == []


@pytest.fixture
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*SCENE, size=(390, 800)) as program:
        program.state.bars = True
        do(program)
        yield program


def drawn(app: App) -> str:
    with watched() as seen:
        do(app)
        do(app)
    return "\n".join(map(str, seen.seen))


@pytest.mark.opengl
@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
def test_a_window_worked_by_fingers_shows_no_keys(app: App, touch: bool) -> None:
    app.window.touch = touch  # type: ignore[misc]
    app.state.help = True
    words = drawn(app)
    assert ("Ctrl+" in words, "touch and hold" in words) == (not touch, touch)
    app.state.help, app.state.palette = False, Palette()
    assert ("Shift+" in drawn(app)) is not touch
    app.state.palette = None
    app.state.hint("pinned; right-click it to explain it")
    assert ("right-click" in drawn(app)) is not touch


@pytest.mark.parametrize("name", BUILT_IN)
def test_exercises_of_lessons_on_touch_name_no_key(name: str) -> None:
    for step in read_lesson(name).steps:
        shown = for_touch(step.to_do)
        assert bool(shown) == bool(step.to_do) and not KEY.search(shown), shown
        assert not re.search(r"\b[Pp]ress|mouse|[][]", shown), shown
