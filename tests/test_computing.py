"""Frames that compute beside the display: what is shown meanwhile, and what ends them."""

import importlib
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import numpy as np
import pytest
from numba import njit

from tests.composition import Pixels
from tests.holding import Hold, hold
from tests.patience import PATIENCE
from tests.toy import TOY, ToyParams, scores
from wheatstone.gpu import Unavailable
from wheatstone.gpu.compilations import loading
from wheatstone.gpu.execution import Execution
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames import runner
from wheatstone.viewer.display.frames.computing import MOST_TEXTURES
from wheatstone.viewer.display.frames.facts import facts_of
from wheatstone.viewer.display.frames.runner import MOST_BUFFERS
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.display.screen.pixels import CopiedPixels
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

pytestmark = pytest.mark.opengl
HEIGHT, WIDTH = 41, 67
ABSENT = {"cuda": "not in this test"}
Make = Callable[..., Session]


@pytest.fixture
def session(offscreen: OffscreenContext) -> Iterator[Make]:
    with ExitStack() as stack:

        def make(mode: str = "off", **params: Any) -> Session:
            source = stack.enter_context(closing(open_source(SourceSpec(size=(WIDTH, HEIGHT)))))
            state = ViewerState(Run(TOY, "cpu", ToyParams()), ABSENT, paused=True)
            state.b, state.linked = Run(TOY, "narrow", ToyParams(**params)), False
            state.mix(mode=mode)
            display = stack.enter_context(closing(Display()))
            return stack.enter_context(closing(Session(state, source, display)))

        yield make


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hold]:
    held_tasks = hold(monkeypatch)
    yield held_tasks
    held_tasks.release()


def seen(screen: Session) -> Pixels:
    screen.drawing.draw(3 * WIDTH, 2 * HEIGHT)
    return screen.display.read()


def begin(screen: Session) -> None:
    screen.frames.frame(screen.state.frame)
    assert not screen.compute(0)


def expected(session: Make, **choice: Any) -> Pixels:
    """The picture of a session that was never held up."""
    screen = session()
    for name, value in choice.items():
        setattr(screen.state, name, value)
    screen.compute()
    return seen(screen)


def test_a_frame_that_takes_long_holds_nobody_up(session: Make, held: Hold) -> None:
    screen = session()
    begin(screen)
    held.wait()
    assert screen.compute(0.01) is False and held.frames == 1
    progress = screen.progress
    assert progress and progress.is_new and progress.step == "cpu: scores"
    assert progress.share == pytest.approx(2 / 4)  # edges and labels are done
    held.release()
    assert screen.compute(PATIENCE) and screen.progress is None
    assert held.threads == {"worker"}
    assert np.array_equal(seen(screen), expected(session))


def test_the_last_picture_stays_until_the_next_is_whole(session: Make, held: Hold) -> None:
    screen = session()
    held.release()
    screen.compute()
    before = seen(screen)
    held.again()
    screen.state.frame = 9
    begin(screen)
    held.wait()
    assert not screen.current and screen.a.shown and screen.a.shown.frame == 0
    assert screen.a.execution is None  # its arrays are written
    assert np.array_equal(seen(screen), before)
    held.release()
    assert screen.compute(PATIENCE) and screen.current and screen.a.execution
    assert np.array_equal(seen(screen), expected(session, frame=9))


def test_another_choice_ends_the_frame_on_its_way(session: Make, held: Hold) -> None:
    screen, other = session(), Run(TOY, "cpu", ToyParams(template=(9, 4, 12, 20)))
    begin(screen)
    held.wait()
    screen.state.slot = other
    begin(screen)
    held.release()
    assert screen.compute(PATIENCE) and held.frames == 2
    assert screen.a.shown and screen.a.shown.slot == other
    assert np.array_equal(seen(screen), expected(session, slot=other))


def test_a_frame_given_up_leaves_the_picture_and_not_the_arrays(session: Make, held: Hold) -> None:
    screen = session()
    held.release()
    screen.compute()
    before = seen(screen)
    held.again()
    screen.state.frame = 9
    begin(screen)
    held.wait()
    screen.cancel()
    screen.state.frame = 0
    assert screen.progress is None and screen.current and screen.rests()
    assert screen.a.execution is None
    assert np.array_equal(seen(screen), before)
    held.release()
    assert np.array_equal(screen.values("scores"), session().values("scores"))


def test_a_slot_given_up_leaves_picture_and_arrays(session: Make, held: Hold) -> None:
    screen = session()
    held.release()
    screen.compute()
    execution, chosen = screen.a.execution, screen.state.slot
    held.again()
    screen.state.slot = Run(TOY, "cpu", ToyParams(threshold=9))
    begin(screen)
    held.wait()
    assert facts_of(screen).milliseconds is None  # of the new slot nothing is known
    screen.state.slot = chosen
    assert screen.rests() and screen.progress is None
    assert screen.a.execution is execution and facts_of(screen).milliseconds


def test_a_and_b_appear_together_and_of_the_same_frame(session: Make, held: Hold) -> None:
    screen = session("side-by-side")
    screen.state.mix(check=True)
    held.release()
    screen.compute()
    held.again()
    screen.state.frame = 5
    begin(screen)
    held.wait()
    assert [runner.shown and runner.shown.frame for runner in (screen.a, screen.b)] == [0, 0]
    held.release()
    assert screen.compute(PATIENCE)
    assert [runner.shown and runner.shown.frame for runner in (screen.a, screen.b)] == [5, 5]
    assert screen.current and screen.checks.of[0].frame == 5


def test_of_a_standing_picture_only_the_slot_that_changed_is_computed(
    session: Make, held: Hold
) -> None:
    screen = session("side-by-side")
    held.release()
    screen.compute()
    assert held.frames == 2
    screen.state.b = Run(TOY, "narrow", ToyParams(template=(0, 0, 5, 5)))
    screen.state.mix(check=True)
    screen.compute()
    assert held.frames == 3  # A's arrays still hold it
    badge = screen.checks.badge(screen.a.shown)
    assert badge and "differ" in badge.text


@pytest.mark.parametrize("quick", [True, False])
def test_a_still_whose_frame_loads_code_is_computed_again_to_be_timed(
    session: Make, held: Hold, monkeypatch: pytest.MonkeyPatch, quick: bool
) -> None:
    stage, calls = scores.scores, 0
    monkeypatch.setattr(runner, "QUICK", math.inf if quick else 0.0)

    def load_first(*words: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            loading()
        stage(*words)

    monkeypatch.setattr(scores, "scores", load_first)
    screen = session()
    held.release()
    screen.compute()
    assert (facts_of(screen).milliseconds is not None) == quick and calls == (2 if quick else 1)


def test_a_time_is_that_of_the_frame_not_of_waiting_for_it(session: Make, held: Hold) -> None:
    screen = session()
    held.release()
    screen.compute()
    took = facts_of(screen).milliseconds
    held.again()
    begin(screen)
    held.wait()
    assert facts_of(screen).milliseconds == took
    held.release()
    assert screen.compute(PATIENCE)
    assert facts_of(screen).milliseconds not in (took, None)


def test_a_time_with_compiling_in_it_is_not_reported(
    session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    importlib.import_module("wheatstone.gpu.compiled")  # which counts compilations
    texts: list[bool] = []
    screen, plain = session(), scores.scores
    monkeypatch.setattr(screen.meters, "computed", lambda *_, timed, stages: texts.append(timed))

    def compiling(*words: Any) -> None:
        if not texts:
            njit(lambda x: x + 1)(1)
        plain(*words)

    monkeypatch.setattr(scores, "scores", compiling)
    screen.compute()
    assert facts_of(screen).milliseconds is None
    screen.compute()
    assert facts_of(screen).milliseconds
    assert texts == [False, True]


def test_the_worker_may_be_busy_with_something_else(session: Make, held: Hold) -> None:
    screen = session()
    held.release()
    held.again()
    screen.worker.submit("race", lambda task: held.stage(*_images()))
    held.wait()
    begin(screen)
    assert screen.progress and screen.progress.step == "cpu: waiting for race"
    held.release()
    assert screen.compute(PATIENCE)


def _images() -> tuple[Any, ...]:
    grey = np.ones((4, 4), np.uint8)
    return grey, grey, np.empty((4, 4), np.float32), (0, 0, 2, 2)


def test_another_source_ends_the_frame_on_its_way(session: Make, held: Hold) -> None:
    screen = session()
    begin(screen)
    held.wait()
    with closing(open_source(SourceSpec(size=(31, 22), seed=4))) as other:
        screen.open_source(other)
        assert screen.progress is None
        screen.drawing.draw(90, 60)  # there is nothing yet, and no harm
        held.release()
        screen.compute()
        assert screen.values("scores").shape == (22, 31)


def test_what_fits_only_when_the_slot_before_is_gone_is_computed(
    session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = session()
    screen.compute()

    def full(execution: Execution) -> None:
        if screen.a.execution:
            raise Unavailable("no memory")

    monkeypatch.setattr(Execution, "_check_memory", full)
    screen.state.slot = Run(TOY, "cpu", ToyParams(threshold=9))
    assert screen.compute(PATIENCE) and screen.a.execution
    monkeypatch.setattr(Execution, "_check_memory", lambda execution: full_always())
    screen.state.slot = Run(TOY, "cpu", ToyParams(threshold=8))
    with pytest.raises(Unavailable, match="no memory at all"):
        screen.compute(PATIENCE)


def full_always() -> None:
    raise Unavailable("no memory at all")


def test_an_image_that_is_not_kept_is_refused_before_it_is_computed(
    session: Make, held: Hold
) -> None:
    screen = session()
    screen.state.slot = Run(TOY, "fused", ToyParams())
    screen.state.views["toy"] = "labels"
    with pytest.raises(ValueError, match="toy/fused does not keep labels, which view labels shows"):
        screen.compute(PATIENCE)
    assert held.frames == 0


def test_buffers_and_textures_of_pictures_long_gone_are_given_back(
    session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    living = set[int]()
    opened, closed = CopiedPixels.__init__, CopiedPixels.close

    def opening(self: CopiedPixels, *words: Any) -> None:
        opened(self, *words)
        living.add(self.buffer)

    def closing_one(self: CopiedPixels) -> None:
        living.discard(self.buffer)
        closed(self)

    monkeypatch.setattr(CopiedPixels, "__init__", opening)
    monkeypatch.setattr(CopiedPixels, "close", closing_one)
    screen = session()
    for pipeline in ("toy", "sgm", "canny", "ncc", "mean", "invert", "toy"):
        slot = Run(TOY, "cpu", ToyParams()) if pipeline == "toy" else default_slot(pipeline, ABSENT)
        screen.state.slot = slot
        for view in slot.pipeline.views:
            screen.state.views[pipeline] = view.name
            screen.compute()
            seen(screen)
    assert len(living) <= MOST_BUFFERS + 1  # and a guest's
    assert len(screen._computing._textures) <= MOST_TEXTURES
    screen.close()
    assert not living
