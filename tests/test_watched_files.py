"""Files of a source that change on disk are read again."""

import os
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.offscreen_app import running_app, settle
from tests.test_display_thread import until
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.file_watch import FileWatch
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.window.app import App

SIDES = ("left", "right")
HOUR = 3600.0


def paint(path: Path, level: int) -> None:
    cv2.imwrite(str(path), np.full((48, 64), level, np.uint8))


def later(path: Path) -> None:
    status = path.stat()
    os.utime(path, (status.st_atime + HOUR, status.st_mtime + HOUR))


def watched(recipe: dict[str, str]) -> FileWatch:
    """A watch that has looked and looks only when it is told to."""
    watch = FileWatch(SourceSpec.from_dict(recipe))
    watch.look()
    watch.look()
    assert watch.changed() == ""
    return watch


def test_a_change_counts_when_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "left.png"
    path.write_bytes(b"1")
    watch = watched({"left": str(path), "scene": "orbit"})
    for content in (b"12", b"123"):  # while it is being written
        path.write_bytes(content)
        watch.look()
        assert watch.changed() == ""
    watch.look()
    assert watch.changed() == "left.png"
    watch.look()
    assert watch.changed() == ""
    later(path)  # of the same size
    watch.look()
    watch.look()
    assert watch.changed() == "left.png"


def test_a_file_that_is_gone_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "left.png"
    path.write_bytes(b"1")
    watch = watched({"left": str(path)})
    path.unlink()
    watch.look()
    watch.look()
    assert watch.changed() == ""
    path.write_bytes(b"another")
    watch.look()
    watch.look()
    assert watch.changed() == "left.png"


def test_of_several_files_one_is_named_and_the_others_are_counted(tmp_path: Path) -> None:
    watch = watched({"left": str(tmp_path)})
    for name in ("a.png", "b.png", "c.png", "wheatstone-001.png"):  # the last is the program's own
        (tmp_path / name).write_bytes(b"1")
    watch.look()
    watch.look()
    assert watch.changed().endswith(" and 2 more")


def test_a_live_source_and_a_scene_are_not_watched() -> None:
    for recipe in ({"left": "lavfi:testsrc"}, {"scene": "orbit", "seed": 1}):
        watch = FileWatch(SourceSpec.from_dict(recipe), every=0.0).start()
        assert watch.changed() == ""
        watch.close()


@pytest.fixture
def shown(tmp_path: Path, offscreen: OffscreenContext) -> tuple[Path, Path]:
    paths = tmp_path / "left.png", tmp_path / "right.png"
    for path in paths:
        paint(path, 99)
    return paths


def mean(app: App) -> float:
    assert app.session.a.frame
    return float(app.session.a.frame.left.mean())


def after(app: App, change: Callable[[], object], text: str) -> None:
    """Change something, and let frames pass until the window says something."""
    app.state.messages = Messages()
    change()
    until(app, lambda: text in app.state.message)
    settle(app)


@pytest.mark.opengl
def test_what_changes_is_read_again_and_shown_as_before(shown: tuple[Path, Path]) -> None:
    words = ("invert", *map(str, shown), "--variant", "cpu", "--zoom", "3")
    with running_app(*words) as app:
        app.state.look = app.state.look.chosen("pin", (5, 6))
        after(app, lambda: paint(shown[0], 50), "left.png changed: reloaded")
        assert mean(app) == 50 and app.state.zoom == 3 and app.state.look.pin == (5, 6)
        source = app.session.source
        after(app, lambda: shown[0].write_bytes(b"half of it"), "left.png")
        assert "reloaded" not in app.state.message
        assert app.session.source is source and mean(app) == 50
        after(app, lambda: paint(shown[0], 20), "left.png changed: reloaded")
        assert mean(app) == 20


@pytest.mark.opengl
def test_files_are_left_alone_where_the_user_says_so(shown: tuple[Path, Path]) -> None:
    with running_app("invert", *map(str, shown), "--variant", "cpu", "--no-watch") as app:
        app._watch.look()
        later(shown[0])
        for _ in range(3):
            app._watch.look()
            app.step()
        assert mean(app) == 99 and not app.state.message.endswith("reloaded")
        assert not app.background.opening
