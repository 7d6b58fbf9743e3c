"""A window whose frames take long: it goes on, tells how far they are, and Esc ends them."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.holding import Hold, hold
from tests.laid_out import watched
from tests.offscreen_app import click, raced
from tests.patience import PATIENCE
from tests.toy import TOY, ToyParams, scores
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.script_player import settle
from wheatstone.viewer.display.frames.computing import Computing
from wheatstone.viewer.display.frames.drawing import TEXTURE
from wheatstone.viewer.display.frames.frame_job import FrameProgress
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import StillSource
from wheatstone.viewer.panels.popups import WINDOW, notice
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.window.app import App, open_app
from wheatstone.viewer.window.window_layout import WAITS

pytestmark = pytest.mark.opengl
Make = Callable[..., App]


@pytest.fixture
def program(offscreen: OffscreenContext) -> Iterator[Make]:
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

    with ExitStack() as stack:

        def make(**choice: Any) -> App:
            """Make one that closes its source: the one given, or the scene."""
            source = choice.pop("source", None) or open_source(SourceSpec(size=(96, 64)))
            state = ViewerState(Run(TOY, "cpu", ToyParams()), {"cuda": "not here"}, paused=True)
            for name, value in choice.items():
                setattr(state, name, value)
            window = stack.enter_context(closing(OffscreenWindow(320, 240)))
            return open_app(stack, window, state, source)

        yield make


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hold]:
    held_tasks = hold(monkeypatch)
    held_tasks.release()
    yield held_tasks
    held_tasks.release()


def press(app: App, *keys: str) -> None:
    for key in keys:
        app.window.add([Event("key", key=key)])  # type: ignore[attr-defined]
        app.step()


def wait_for_notice(app: App, held: Hold) -> FrameProgress:
    """Let frames pass until the user is told what he waits for."""
    ends = time.monotonic() + PATIENCE
    while not held.came and time.monotonic() < ends:
        app.step()
    held.wait()
    while not app.waiting.notice:
        app.step()
    return app.waiting.notice


def test_a_notice_says_what_is_computed_and_how_far_it_is() -> None:
    progress = FrameProgress(0.423, "reference: path aggregation 3 of 8", 1.2, is_new=True)
    text, how_far = notice(progress)
    assert text == "reference: path aggregation 3 of 8"
    assert how_far == "42%   Esc cancels"
    assert notice(replace(progress, share=None))[1] == "Esc cancels"


def test_a_file_that_is_written_slowly_is_reported_until_it_is_written(program: Make) -> None:
    app = program()
    settle(app)
    goes_on, ended = threading.Event(), list[bool]()
    app.background.write("writing the figure", lambda: goes_on.wait(PATIENCE), ended.append)
    assert app.waiting.writing is None  # most files are written at once
    ends = time.monotonic() + PATIENCE
    while not (writing := app.waiting.writing) and time.monotonic() < ends:
        app.step()
    assert writing and writing.step == "writing the figure ..."
    assert notice(writing)[1] == "0 s"  # it does not end by Esc
    goes_on.set()
    settle(app)
    assert app.waiting.writing is None and ended == [True]


def test_the_window_goes_on_while_a_frame_takes_long(
    program: Make, held: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = program()
    settle(app)
    held.again()
    with monkeypatch.context() as patient:  # drawing takes long where others use the cores
        patient.setattr("wheatstone.viewer.display.frames.waiting.NOTICE_AFTER", PATIENCE)
        press(app, "-")  # another threshold
        assert app.waiting.notice is None  # not at once: most frames are there by then
    assert wait_for_notice(app, held).step == "cpu: scores"
    shown = app.session.a.shown
    press(app, "M", "H", "Tab")
    app.window.add([Event("scroll", x=100, y=100, dy=1)])  # type: ignore[attr-defined]
    app.step()
    assert app.state.help and not app.state.panels and app.state.zoom > 1
    assert app.session.a.shown is shown and not app.settled
    held.release()
    settle(app)
    assert app.session.a.shown != shown and app.waiting.notice is None


def test_the_notice_is_drawn_below_the_caption(program: Make, held: Hold) -> None:
    app = program(panels=False)
    app.state.mix(mode="side-by-side")
    app.window.resize(900, 600)  # type: ignore[attr-defined]
    settle(app)
    before = app.window.read()  # type: ignore[attr-defined]
    held.again()
    press(app, "-")
    wait_for_notice(app, held)
    app.step()
    changed = np.any(app.window.read() != before, axis=2)  # type: ignore[attr-defined]
    caption = app.session.drawing.caption_height(900, 600)
    rows = np.flatnonzero(changed[caption:].any(axis=1)) + caption
    assert rows[0] > caption > 0 and rows[-1] < 200
    assert changed[rows[0] : rows[-1]].mean() > 4 * changed[:caption].mean()  # a few words there


def test_a_finger_cancels_what_it_waits_for_by_a_button(program: Make, held: Hold) -> None:
    app = program(panels=False)
    app.window.resize(900, 600)  # type: ignore[attr-defined]
    app.window.touch = True  # type: ignore[misc]
    settle(app)
    held.again()
    press(app, "-")
    wait_for_notice(app, held)
    with watched() as drawn:
        app.step()
    assert "Cancel" in drawn.seen
    above = app.session.drawing.caption_height(900, 600)
    for y in range(above, above + 120, 6):
        if app.waiting.notice:
            click(app, 450, y)
    assert app.waiting.notice is None
    assert "cancelled" in app.state.messages.newest.text
    held.release()


def test_escape_held_down_closes_one_thing_and_not_the_program(program: Make) -> None:
    app = program()
    settle(app)
    app.state.open_panels = {"inspector", "histogram"}
    held = [Event("key", key="Esc", repeat=repeat) for repeat in (False, *[True] * 9)]
    app.window.add(held)  # type: ignore[attr-defined]
    app.step()
    assert len(app.state.open_panels) == 1 and not app.state.leaving and not app.state.closing


def test_escape_goes_back_to_what_worked_before_it_quits(program: Make, held: Hold) -> None:
    app = program()
    settle(app)
    slot, view = app.state.slot, app.state.view
    held.again()
    press(app, "-", "2", "V")
    wait_for_notice(app, held)
    press(app, "Esc")
    assert (app.state.slot, app.state.view) == (slot, view)
    assert app.state.message == "cancelled; back to toy/cpu"
    assert app.session.current and app.session.progress is None and not app.state.closing
    press(app, "Esc", "M", "Esc")  # another key, and it asks again
    assert not app.state.closing
    press(app, "Esc")
    assert app.state.closing


def test_escape_pauses_what_plays_too_slowly(program: Make, held: Hold) -> None:
    app = program()
    settle(app)
    held.again()
    press(app, "Space")
    ends = time.monotonic() + PATIENCE
    while not app.state.frame and time.monotonic() < ends:
        app.step()  # a first frame that took long is told of until the next one begins
    wait_for_notice(app, held)
    assert app.state.frame > 0
    press(app, "Esc")
    assert app.state.paused and app.state.frame == 0 and not app.state.closing
    assert app.state.message == "cancelled and paused; Space resumes"
    for _ in range(3):
        app.step()
    assert app.session.progress is None  # nothing begins by itself


def seen(app: App) -> NDArray[np.uint8]:
    return app.session.display.read()


def test_before_the_first_picture_escape_cancels_and_the_left_view_stays(
    program: Make, held: Hold
) -> None:
    held.again()
    app = program()
    app.state.open_panels.add("inspector")
    app.step()
    wait_for_notice(app, held)
    with watched() as drawn:
        app.step()
    assert WAITS in drawn.seen
    app.state.open_panels.clear()
    press(app, "Esc")
    advice = app.waiting.advice
    assert advice == "toy/cpu was cancelled. F5: compute it again; 2 or 3: by another variant"
    assert app.state.message == advice
    held.release()
    before = seen(app)
    for _ in range(5):
        app.step()
    assert not (app.started or app.state.closing or app.session.progress)
    assert np.array_equal(seen(app), before)
    press(app, "F5")
    settle(app)
    assert app.started and not app.waiting.advice


class Late(StillSource):
    """A pair whose frame is not there before it is released."""

    def __init__(self, left: str, right: str) -> None:
        super().__init__(SourceSpec(left, right))
        self.released = threading.Event()

    def ready(self, index: int) -> bool:
        return self.released.is_set()

    def frame(self, index: int) -> Any:
        assert self.released.wait(PATIENCE)
        return super().frame(index)


def test_the_left_view_comes_also_if_the_result_is_given_up_before_it(
    program: Make, tmp_path: Path
) -> None:
    paths = [str(tmp_path / f"{name}.png") for name in ("left", "right")]
    picture = np.random.default_rng(5).integers(0, 255, (64, 96), np.uint8)
    for path in paths:
        cv2.imwrite(path, picture)
    source = Late(*paths)
    app = program(source=source)
    while not app.waiting.notice:
        app.step()
    press(app, "Esc")
    assert app.waiting.gave_up and not app.waiting.notice
    press(app, "Esc")  # gives nothing up that is given up already
    assert app.state.leaving
    source.released.set()
    ends = time.monotonic() + PATIENCE
    while app.session.display.drawn.images != ((TEXTURE,),) and time.monotonic() < ends:
        app.step()
    assert np.array_equal(app.session.display.values(TEXTURE), picture)
    assert not app.started
    press(app, "3")
    settle(app)
    assert app.started


def test_the_status_line_describes_the_picture_until_another_source_has_one(
    program: Make, held: Hold
) -> None:
    app = program(panels=True)
    settle(app)
    app.step()
    before, title = app.layout.status, app.window.title  # type: ignore[attr-defined]
    assert before and before.pictured and "96 x 64" in before.cells
    held.again()
    other = open_source(SourceSpec(size=(80, 60)))
    app.open_source(other)
    app.step()
    wait_for_notice(app, held)
    app.step()
    waits = app.layout.status
    assert waits and waits.cells == before.cells
    assert waits.coming == f"opening {other.name} ..."
    assert app.window.title == title  # type: ignore[attr-defined]
    held.release()
    settle(app)
    app.step()
    now = app.layout.status
    assert now and "80 x 60" in now.cells and not now.coming


def test_until_there_is_a_result_the_left_view_is_shown(program: Make, held: Hold) -> None:
    held.again()
    app = program(panels=False)
    wait_for_notice(app, held)
    assert not app.started
    assert app.session.display.drawn.images == ((TEXTURE,),)
    left = app.session.source.frame(0).left
    assert np.array_equal(app.session.display.values(TEXTURE), left)
    early = seen(app)
    assert len(np.unique(early.reshape(-1, 3), axis=0)) > 100  # a photo, not a black window
    press(app, "PageDown", "M")
    app.window.add([Event("scroll", x=100, y=100, dy=1)])  # type: ignore[attr-defined]
    app.step()
    assert not np.array_equal(seen(app), early)  # it is zoomed into
    held.release()
    settle(app)
    assert TEXTURE not in app.session.display.drawn.images[0]


def test_the_left_view_is_drawn_before_the_display_is_kept_busy(
    program: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, texts = [], [""]
    compute = Computing.compute

    def busy(computing: Computing, *words: Any) -> bool:
        drawn.append((app.session.display.drawn.images, texts[-1]))
        return compute(computing, *words)

    lacking = property(lambda session: "" if session.a.shown else "cuda")
    monkeypatch.setattr(Session, "unprepared", lacking)
    monkeypatch.setattr(Computing, "compute", busy)
    monkeypatch.setattr(
        "wheatstone.viewer.window.window_layout.draw_status",
        lambda layout, *_: texts.append(layout.state.message),
    )
    app = program()
    settle(app)
    assert drawn[0] == (((TEXTURE,),), "preparing cuda ...")
    assert "preparing" not in texts[-1]


def test_a_is_shown_before_b(program: Make, held: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    b = Run(TOY, "narrow", ToyParams(template=(0, 0, 5, 5)))
    app = program(b=b, linked=False, panels=False, mixing=Mixing(mode="side-by-side"))
    session, stage = app.session, scores.scores

    def hold_b(*words: Any) -> None:
        if session.a.shown:
            held.again()
        stage(*words)

    monkeypatch.setattr(scores, "scores", hold_b)
    wait_for_notice(app, held)
    assert app.started
    assert session.drawing.before_b and not app.stands and session.a.shown and not session.b.shown
    caption = session.drawing.picture.caption
    assert (
        caption and caption.labels[1].endswith("not computed yet") and caption.lit == (True, False)
    )
    assert len(session.drawing.picture.cells) == 4  # the left view stands in B's place
    press(app, "I", "G", "K")
    app.window.add([Event("move", x=x, y=100) for x in (40, 300)])  # type: ignore[attr-defined]
    app.step()
    held.release()
    settle(app)
    assert not session.drawing.before_b and session.b.shown
    caption = session.drawing.picture.caption
    assert caption and "still" not in caption.labels[1]


def test_a_quick_frame_is_there_at_once_and_nothing_is_reported(
    program: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = program()
    settle(app)
    monkeypatch.setattr(
        "wheatstone.viewer.display.frames.waiting.NOTICE_AFTER", 3.0
    )  # as others may use the cores
    for key in ("-", "=", "2", "1", "."):
        press(app, key)
        for _ in range(20):
            assert app.waiting.notice is None
            app.step()
        assert app.settled


def test_the_stages_of_a_and_b_are_compared_in_the_background(program: Make) -> None:
    app = program()
    settle(app)
    press(app, "Shift+E")
    settle(app)
    check = app.session.checks.stages
    assert check and check.done
    assert {badge.tone for badge in check.badges.values()} == {"good"}
    assert {"edges", "labels", "scores"} <= set(check.badges)


def test_the_answer_about_stages_has_a_window_of_its_own(program: Make) -> None:
    from imgui_bundle import imgui

    app = program()
    settle(app)
    press(app, "F3")
    press(app, "Shift+E")
    settle(app)
    app.step()
    windows = [imgui.internal.find_window_by_name(name) for name in ("###stages", WINDOW)]
    assert windows[0] and windows[1] and windows[0].id_ != windows[1].id_


def test_a_jump_waits_until_both_are_computed(program: Make, held: Hold) -> None:
    app = program(b=Run(TOY, "narrow", ToyParams(template=(0, 0, 5, 5))), linked=False)
    settle(app)
    held.again()
    press(app, "J")
    wait_for_notice(app, held)
    assert app.state.jump == 1
    held.release()
    settle(app)
    assert app.state.message.startswith("cluster 1 of")


def test_a_source_that_cannot_be_shown_is_left_again(program: Make, tmp_path: Path) -> None:
    app = program(frame=7)
    settle(app)
    first = app.session.source
    cv2.imwrite(str(tmp_path / "photo.png"), np.full((40, 60), 99, np.uint8))
    for _ in range(2):
        app.open_source(
            open_source(SourceSpec(str(tmp_path / "photo.png")))
        )  # the toy's view needs no other
        settle(app)
        assert (app.session.source.name, app.state.frame) == ("photo.png", 0)
    press(app, "Shift+V")  # both views
    assert "needs a stereo pair" in app.state.message
    other = open_source(SourceSpec(size=(5, 4)))  # smaller than the template
    app.open_source(other)
    assert first is not app.session.source
    settle(app)
    assert app.session.source.name == "photo.png"
    assert "the template leaves the image of 5x4" in app.state.message


def test_escape_leaves_a_source_that_takes_long(program: Make, held: Hold) -> None:
    app = program(frame=7)
    settle(app)
    first = app.session.source
    held.again()
    app.open_source(open_source(SourceSpec(size=(80, 60))))
    app.step()
    wait_for_notice(app, held)
    press(app, "Esc")
    assert app.session.source is first and app.state.frame == 7
    held.release()
    settle(app)
    assert app.session.a.shown


@pytest.mark.parametrize(("key", "name"), [("Shift+F4", "race"), ("Ctrl+F4", "sweep")])
def test_escape_stops_a_race_before_it_quits(program: Make, key: str, name: str) -> None:
    app = program(slot=Run(MEAN, "cpu", MeanParams()))
    settle(app)
    press(app, key)
    app.step()
    outcome = raced(app)
    while not (outcome.standings or outcome.curves):
        app.step()
    press(app, "Esc")
    assert (str(app.state.racing), app.state.closing) == ("", False)
    assert app.state.message == f"the {name} was stopped; its results stay"
    app.step()
    assert not app.layout.busy and (outcome.standings or outcome.curves)
    press(app, "Esc")
    assert not (app.state.open_panels or app.state.closing)
    press(app, "Esc", "Esc")
    assert app.state.closing


def broken_sequence(folder: Path, length: int, broken: int) -> Source:
    for index in range(length):
        for side in ("left", "right"):
            cv2.imwrite(str(folder / f"{side}{index}.png"), np.full((40, 60), 99, np.uint8))
    (folder / f"left{broken}.png").write_text("no picture")
    return open_source(SourceSpec(str(folder)))


def test_stepping_goes_on_beyond_a_frame_that_cannot_be_read(program: Make, tmp_path: Path) -> None:
    app = program()
    settle(app)
    app.open_source(broken_sequence(tmp_path, length=3, broken=1))
    settle(app)
    press(app, ".")
    settle(app)
    assert app.state.frame == 0 and "left1.png" in app.state.message
    press(app, ".")
    settle(app)
    assert app.state.message == "frame 2; frame 1 cannot be read"
    assert app.session.a.shown and app.session.a.shown.frame == app.state.frame == 2
    press(app, ",")
    settle(app)
    assert app.session.a.shown.frame == app.state.frame == 0


def test_playing_passes_by_a_frame_that_cannot_be_read(program: Make, tmp_path: Path) -> None:
    app = program()
    settle(app)
    app.open_source(broken_sequence(tmp_path, length=4, broken=1))
    settle(app)
    press(app, "Space")
    shown, unique = set[int](), set[str]()
    ends = time.monotonic() + PATIENCE
    while len(shown) < 3 and time.monotonic() < ends:
        app.step()
        assert app.session.a.shown
        shown.add(app.session.a.shown.frame)
        unique.add(app.state.message)
    assert shown == {0, 2, 3}
    assert any("left1.png" in message for message in unique)


def test_a_still_stays_at_its_frame(program: Make, tmp_path: Path) -> None:
    app = program()
    settle(app)
    cv2.imwrite(str(tmp_path / "photo.png"), np.full((40, 60), 99, np.uint8))
    app.open_source(open_source(SourceSpec(str(tmp_path / "photo.png"))))
    settle(app)
    press(app, ",", ",", ".")
    assert (app.state.frame, app.state.message) == (0, "photo.png has one frame")


def test_before_the_first_frame_comes_the_last(program: Make) -> None:
    app = program()
    settle(app)
    press(app, ",")
    last = app.session.source.length - 1
    assert (app.state.frame, app.state.message) == (last, f"frame {last}")
