"""Nothing that takes long runs on the thread that draws: a window must answer."""

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import cv2
import numpy as np
import pytest

from tests.offscreen_app import raced, running_app, settle
from tests.patience import PATIENCE
from tests.watching import Watch, watching
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import StillSource
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys.actions import actions
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl
WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "cpu")
LONG = 0.05  # seconds on a core
SLOW = 0.06  # seconds that what a test slows down takes

PREPARE = "wheatstone.viewer.run.engine.prepare_in_bands"
COMPILE = "numba.core.dispatcher.Dispatcher.compile"  # or load what was compiled before
RACED = "wheatstone.viewer.panels.race.timed_run.first_frame"
IMAGES = "wheatstone.viewer.io.sources.still.read_stored"
SLOWED = (
    "wheatstone.viewer.io.sources.opening.open_source",
    "wheatstone.viewer.window.effects.opening.understood",
    "wheatstone.viewer.window.effects.writing.write_screenshot",
    "wheatstone.viewer.window.effects.writing.write_values",
    "wheatstone.viewer.window.effects.writing.whole_file",
    IMAGES,
    "wheatstone.viewer.io.sources.scene.render_stereo",
    PREPARE,
    "wheatstone.viewer.display.frames.checks.clusters",
    "wheatstone.viewer.display.frames.regions.worst_regions",
)
"""What reads, writes or computes for long: it may run beside the display only."""

ALLOWED = (
    "viewer/display/screen/",  # drawing: OpenGL's own work, which no other thread may do
    "viewer/window/window_layout.py:draw",  # Dear ImGui's widgets, drawn by llvmpipe
    "viewer/panels/panel.py:open",  # imports a panel's modules when it is opened first
    "gpu/kernels/kernel.py",  # a kernel is compiled when it is launched first
    "gpu/cuda.py",  # a GPU variant is prepared where the context is current; a notice says so
)


ENDING = ("Esc", "Q", "Ctrl+Shift+P", "Space", "Shift+F4", "Ctrl+F4")
"""Keys that end or hide what the others do; a race takes the worker, as its own tests see."""


class Thread:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._here, self.caught, self.background = threading.get_ident(), set[str](), set[str]()
        for place in SLOWED:
            self._slow(monkeypatch, place)

    def _slow(self, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
        real: Callable[..., Any] = resolve_name(place)

        def slow(*words: Any, **named: Any) -> Any:
            here = threading.get_ident() == self._here and not _prepares_for_gpu(place, words)
            (self.caught if here else self.background).add(place)
            time.sleep(SLOW)
            return real(*words, **named)

        monkeypatch.setattr(place, slow)


def _prepares_for_gpu(place: str, words: tuple[Any, ...]) -> bool:
    return place == PREPARE and bool(words[0].variant(words[1]).on_gpu)


class Steps:
    def __init__(self, app: App, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name, self._step, self._watch, self._number = "", app.step, watch, 0
        monkeypatch.setattr(app, "step", self._counted)

    def _counted(self) -> None:
        self._number += 1
        self._watch.now = f"{self.name}, step {self._number}"
        self._step()


@pytest.fixture
def app(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)
    with running_app(*WORDS) as running:
        yield running


def pair(folder: Path, name: str) -> tuple[str, str]:
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
    keys = [key for key in keys if key not in ENDING]
    app.window.resize(240, 160)  # type: ignore[attr-defined]
    happen(app, Event("move", x=100, y=70))
    with watching() as watch:
        counted = Steps(app, watch, monkeypatch)
        for number, key in enumerate(["Shift+Y", "J", "F5", "Ctrl+S", *keys]):
            counted.name = key
            app.window.add([Event("key", key=key)])  # type: ignore[attr-defined]
            app.step()
            if number < 6 or number % 24 == 0:
                settle(app)
        for paths in (pair(tmp_path, ""), (str(tmp_path / "wheatstone-001.png"),)):
            counted.name = str(paths)
            happen(app, Event("drop", paths=paths))
    assert not thread.caught
    assert thread.background >= {*SLOWED}
    assert not watch.busy(LONG, ALLOWED)


@pytest.fixture
def forgotten() -> None:
    """Compiled functions are forgotten: each is loaded again when it is called first."""
    from numba.core.dispatcher import Dispatcher

    # By their types: what is asked itself may be a proxy of something that is gone.
    for function in [each for each in gc.get_objects() if issubclass(type(each), Dispatcher)]:
        if function.__module__.startswith("wheatstone."):
            function.overloads.clear()
            function._reset_overloads()


def test_no_panel_that_opens_first_takes_the_thread_that_draws(
    offscreen: OffscreenContext,
    forgotten: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{__name__}.SLOWED", (COMPILE, PREPARE, RACED))
    with running_app(*WORDS) as app:
        thread = Thread(monkeypatch)
        app.window.resize(240, 160)  # type: ignore[attr-defined]
        happen(app, Event("move", x=100, y=70))
        for panel in PANELS:
            app.state.open_panels = {panel.name}
            for _ in range(3):
                app.step()
            until(app, lambda: app.settled and not app.layout.busy)
            assert not thread.caught, panel.name
        app.window.add([Event("key", key="Shift+F4")])  # type: ignore[attr-defined]
        app.step()
        app.step()
        until(app, lambda: any(standing.times for standing in raced(app).standings))
        assert not thread.caught
        assert thread.background >= {COMPILE, RACED}


def test_frames_that_are_not_ready_are_read_in_the_background(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index in range(6):
        pair(tmp_path, str(index))
    happen(app, Event("drop", paths=(str(tmp_path),)))
    thread = Thread(monkeypatch)
    for key in (",", ",", ".", "F", ",", "."):
        happen(app, Event("key", key=key))
    assert app.session.a.shown and app.session.a.shown.frame % 6 == app.state.frame
    assert not thread.caught and IMAGES in thread.background


class Reluctant(StillSource):
    def __init__(self, left: str, right: str) -> None:
        super().__init__(SourceSpec(left, right))
        self.opens, self.closed = threading.Event(), threading.Event()

    def ready(self, index: int) -> bool:
        return self.opens.is_set()

    def frame(self, index: int) -> Any:
        """Serve the frame, once it may be."""
        assert self.opens.wait(PATIENCE)
        return super().frame(index)

    def close(self) -> None:
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

    monkeypatch.setattr("wheatstone.viewer.io.sources.opening.open_source", reluctantly)
    app.window.add([Event("drop", paths=paths)])  # type: ignore[attr-defined]
    until(app, lambda: app.waiting.notice)
    assert app.waiting.notice and app.waiting.notice.step == "opening left.png ..."
    shown = app.session.a.shown
    for key in ("F5", "F5", "M"):  # while one thing is opened F5 does nothing, and others act
        app.window.add([Event("key", key=key)])  # type: ignore[attr-defined]
        app.step()
    assert app.session.a.shown is shown and app.state.colormap == "turbo"
    app.window.add([Event("key", key="Esc")])  # type: ignore[attr-defined]
    app.step()
    assert app.state.message == "cancelled: opening left.png" and not app.state.closing
    opens.set()
    until(app, lambda: opened and opened[0].closed.is_set())
    assert app.session.source is first and len(opened) == 1


def test_escape_leaves_a_source_whose_frame_does_not_come(app: App, tmp_path: Path) -> None:
    first, source = app.session.source, Reluctant(*pair(tmp_path, ""))
    app.open_source(source)
    until(app, lambda: app.waiting.notice)
    notice = app.waiting.notice
    assert notice and notice.step == "waiting for frame 0 of left.png | right.png ..."
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
    assert np.array_equal(read(tmp_path / "wheatstone-001.png")[..., ::-1], before)
    assert not np.array_equal(app.session.display.read(), before)


def test_what_cannot_be_written_in_the_background_is_reported(app: App, tmp_path: Path) -> None:
    app.state.effects.append(("save settings", str(tmp_path / "absent" / "mine")))
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
        assert any("left1.png" in each.message.text for each in app.state.messages.log)
        assert any("left0.png" in note for note in app.session.source.notes)


def test_a_folder_without_a_readable_frame_changes_nothing(app: App, tmp_path: Path) -> None:
    first = app.session.source
    happen(app, Event("drop", paths=(broken_folder(tmp_path / "all", range(4)),)))
    assert "left0.png" in app.state.message and app.session.source is first


def test_a_window_stays_when_no_frame_can_be_read(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(source: StillSource, index: int) -> Any:
        raise ValueError(f"{source.name} broke meanwhile")

    paths = pair(tmp_path, "")
    with monkeypatch.context() as patches, running_app("sgm", *paths, first=False) as app:
        patches.setattr(StillSource, "frame", broken)
        until(app, lambda: app.state.message)
        for _ in range(3):
            app.step()
        assert app.state.message == "left.png | right.png broke meanwhile"
        assert not app.started and not app.session.progress
        patches.undo()
        happen(app, Event("key", key="F5"))
        assert app.started


def test_names_that_are_not_unicode_end_nothing(app: App, tmp_path: Path) -> None:
    broken_folder(tmp_path / "plain", range(0))
    strange = (tmp_path / "plain").rename(tmp_path / os.fsdecode(b"caf\xe9"))
    for event in (
        Event("drop", paths=(str(strange),)),
        Event("drop", paths=(str(strange / "absent.png"),)),
        Event("error", text="two\nlines of \udc80"),
        Event("drop", paths=("a\0b",)),
        Event("drop", paths=tuple(map(str, range(1000)))),
        Event("drop"),
    ):
        app.state.messages = Messages()
        happen(app, event)
        assert app.state.message or not (event.paths or event.text)
    for letter in ("\ud800", "\udc80", "\0"):
        happen(app, Event("text", text=letter))
        happen(app, Event("key", key="Ctrl+Shift+P"), Event("text", text=letter))
        happen(app, Event("key", key="Esc"))


def test_what_breaks_a_frame_is_reported(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any) -> None:
        from imgui_bundle import imgui

        imgui.begin("left open")
        raise ZeroDivisionError

    monkeypatch.setattr(app.layout, "draw", breaks)
    with pytest.raises(ZeroDivisionError):
        app.step()
