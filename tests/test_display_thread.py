"""Nothing that takes long runs on the thread that draws: a window must answer."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.holding import PATIENCE
from tests.offscreen_app import running_app, settle
from tests.watching import watching
from viewer.app import App
from viewer.keys.actions import actions
from viewer.screen.events import Event
from viewer.screen.offscreen import OffscreenContext
from viewer.sources.opening import open_source
from viewer.sources.still import StillSource

pytestmark = pytest.mark.opengl
WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "cpu")
LONG = 0.05  # seconds on a core
SLOW = 0.1  # seconds that what a test slows down takes

SLOWED = (
    "viewer.settings.user_settings.open_source",
    "viewer.errands.understood",
    "viewer.errands.write_screenshot",
    "viewer.errands.write_values",
    "viewer.errands.whole_file",
    "viewer.sources.folder.read_image",
    "viewer.sources.still.read_image",
    "viewer.sources.scene.Scene.render",
    "viewer.frames.runner.prepare",
    "viewer.frames.checks.clusters",
    "viewer.frames.worst.worst_regions",
)
"""What reads, writes or computes for long: it may run beside the display only."""

ALLOWED = (
    "viewer/screen/",  # drawing: OpenGL's own work, which no other thread may do
    "viewer/panels/",  # Dear ImGui's widgets, and modules imported when a panel is opened first
    "viewer/frames/frame_job.py:start",  # starts the worker's thread, which may import
    "gpu/compiled.py",  # preparing a GPU variant is named by the notice, and done here
)


class Thread:
    """Notes what runs on the display's thread and must not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._here, self.caught, self.beside = threading.get_ident(), set[str](), set[str]()
        for place in SLOWED:
            name = place.rpartition(".")[2]
            self._slow(monkeypatch, place, name)

    def _slow(self, monkeypatch: pytest.MonkeyPatch, place: str, name: str) -> None:
        from pkgutil import resolve_name

        owner, _, attribute = place.rpartition(".")
        real: Callable[..., Any] = getattr(resolve_name(owner), attribute)

        def slow(*words: Any, **named: Any) -> Any:
            """Take long, and note on which thread."""
            here = threading.get_ident() == self._here
            (self.caught if here else self.beside).add(place)
            time.sleep(SLOW)
            return real(*words, **named)

        monkeypatch.setattr(place, slow)


@pytest.fixture
def app(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[App]:
    """The program in an empty folder."""
    monkeypatch.chdir(tmp_path)
    with running_app(*WORDS) as running:
        yield running


def pair(folder: Path, name: str) -> tuple[str, str]:
    """Write a pair of pictures."""
    paths = folder / f"left{name}.png", folder / f"right{name}.png"
    for path in paths:
        cv2.imwrite(str(path), np.full((48, 64), 99, np.uint8))
    return str(paths[0]), str(paths[1])


def happen(app: App, *events: Event) -> None:
    """Let things happen, and wait until all of it is shown, opened and written."""
    app.window.add(events)  # type: ignore[attr-defined]
    app.step()
    settle(app)


def test_no_key_drop_or_file_takes_the_thread_that_draws(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = Thread(monkeypatch)
    keys = [key for action in actions(app.state.slot.pipeline) for key in action.keys]
    happen(app, Event("move", x=200, y=100))
    with watching() as watch:
        for key in [key for key in keys if key not in ("Esc", "Q", "Ctrl+Shift+P", "Space")]:
            watch.now = key
            happen(app, Event("key", key=key))
        for paths in (pair(tmp_path, ""), (str(tmp_path / "wheatstone-001.png"),)):
            watch.now = str(paths)
            happen(app, Event("drop", paths=paths))
    assert not thread.caught
    assert thread.beside >= {*SLOWED} - {"viewer.sources.folder.read_image"}
    assert not watch.busy(LONG, ALLOWED)


def test_frames_that_are_not_ready_are_read_beside(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index in range(6):
        pair(tmp_path, str(index))
    happen(app, Event("drop", paths=(str(tmp_path),)))
    thread = Thread(monkeypatch)
    for key in (",", ",", ".", "F", ",", "."):
        happen(app, Event("key", key=key))
    assert app.session.a.shown and app.session.a.shown.frame % 6 == app.state.frame
    assert not thread.caught and "viewer.sources.folder.read_image" in thread.beside


class Reluctant(StillSource):
    """A source that takes as long as it is told to, to open and to serve a frame."""

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.opens, self.closed = threading.Event(), threading.Event()

    def ready(self, index: int) -> bool:
        """Tell whether the frame is served at once."""
        return self.opens.is_set()

    def frame(self, index: int) -> Any:
        """Serve the frame, once it may be."""
        assert self.opens.wait(PATIENCE)
        return super().frame(index)

    def close(self) -> None:
        """Note that it is closed."""
        self.closed.set()


def until(app: App, what: Callable[[], object]) -> None:
    """Let frames pass until something is so."""
    ends = time.monotonic() + PATIENCE
    while not what() and time.monotonic() < ends:
        app.step()
    assert what()


def test_escape_leaves_a_source_that_does_not_open_and_it_is_closed_later(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, first, opens = pair(tmp_path, ""), app.session.source, threading.Event()
    opened: list[Reluctant] = []

    def reluctantly(*_: Any, **__: Any) -> Reluctant:
        assert opens.wait(PATIENCE)
        opened.append(Reluctant(*paths))
        return opened[-1]

    monkeypatch.setattr("viewer.settings.user_settings.open_source", reluctantly)
    app.window.add([Event("drop", paths=paths)])  # type: ignore[attr-defined]
    until(app, lambda: app.notice)
    assert app.notice and app.notice.said == "opening left.png ..."
    shown = app.session.a.shown
    for key in ("F5", "F5", "M"):  # while one thing is opened F5 does nothing, and others act
        app.window.add([Event("key", key=key)])  # type: ignore[attr-defined]
        app.step()
    assert app.session.a.shown is shown and app.state.colormap == "cividis"
    app.window.add([Event("key", key="Esc")])  # type: ignore[attr-defined]
    app.step()
    assert app.state.message == "cancelled: opening left.png" and not app.state.closing
    opens.set()
    until(app, lambda: opened and opened[0].closed.is_set())
    assert app.session.source is first and len(opened) == 1


def test_escape_leaves_a_source_whose_frame_does_not_come(app: App, tmp_path: Path) -> None:
    first, source = app.session.source, Reluctant(*pair(tmp_path, ""))
    app.open_source(source)
    until(app, lambda: app.notice)
    assert app.notice and app.notice.said == "waiting for frame 0 of left.png | right.png ..."
    app.window.add([Event("key", key="Esc")])  # type: ignore[attr-defined]
    app.step()
    assert app.session.source is first and not app.state.closing
    source.opens.set()
    settle(app)
    assert app.session.a.frame is first.frame(0)


def test_a_screenshot_is_of_what_was_shown_when_it_was_asked_for(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.pictures import read

    before = app.session.display.read()
    Thread(monkeypatch)
    app.window.add([Event("key", key="S")])  # type: ignore[attr-defined]
    app.step()
    happen(app, Event("key", key="M"))
    assert np.array_equal(read(tmp_path / "wheatstone-001.png"), before)
    assert not np.array_equal(app.session.display.read(), before)


def test_what_cannot_be_written_beside_is_said(app: App, tmp_path: Path) -> None:
    app.state.errands.append(("save settings", str(tmp_path / "absent" / "mine")))
    settle(app)
    assert "does not exist" in app.state.message


def broken_folder(folder: Path, broken: range) -> str:
    """A folder of four pairs of which some are no pictures."""
    folder.mkdir()
    for index in range(4):
        pair(folder, str(index))
    for index in broken:
        (folder / f"left{index}.png").write_text("no picture")
    return str(folder)


def test_a_window_opens_on_a_folder_whose_first_frames_are_broken(
    offscreen: OffscreenContext, tmp_path: Path
) -> None:
    folder = broken_folder(tmp_path / "pairs", range(2))
    with running_app("sgm", folder, "--disparities", "16", "--variant", "reference") as app:
        assert app.session.a.shown and app.session.a.shown.frame == app.state.frame == 2
        assert "left1.png" in app.state.message
        assert any("left0.png" in note for note in app.session.source.notes)


def test_a_window_without_a_readable_frame_stays_and_opens_another_source(
    app: App, tmp_path: Path, offscreen: OffscreenContext
) -> None:
    folder = broken_folder(tmp_path / "pairs", range(0))
    source = open_source(folder)
    source.frame(0), source.close()
    broken_folder(tmp_path / "all", range(4))
    first = app.session.source
    happen(app, Event("drop", paths=(str(tmp_path / "all"),)))
    assert "left0.png" in app.state.message and app.session.source is first
