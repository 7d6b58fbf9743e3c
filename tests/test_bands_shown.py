"""Images computed in bands of rows on the screen: views, cancelling, and comparison."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.holding import Hold, hold
from tests.offscreen_app import running_app, settle
from tests.turned import TurnedScene
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames import runner
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

pytestmark = pytest.mark.opengl
HEIGHT, WIDTH = 325, 64
Make = Callable[..., Session]


@pytest.fixture
def session(offscreen: OffscreenContext) -> Iterator[Make]:
    with ExitStack() as stack:

        def make(bands: int | None = 2, **more: Any) -> Session:
            source = stack.enter_context(closing(open_source(SourceSpec(size=(WIDTH, HEIGHT)))))
            run = Run(SGM, "cpu", SgmParams(disparities=16), bands=bands)
            state = ViewerState(run, {"cuda": "not in this test"}, paused=True)
            for name, value in more.items():
                setattr(state, name, value)
            display = stack.enter_context(closing(Display()))
            return stack.enter_context(closing(Session(state, source, display)))

        yield make


def picture(session: Session) -> NDArray[np.uint8]:
    session.compute()
    session.drawing.draw(2 * WIDTH, 2 * HEIGHT)
    return session.display.read()


def test_every_view_shows_what_the_api_computes_in_bands(session: Make) -> None:
    screen = session()
    keep = ["confidence", "invalid_reason", "depth", "consistent"]
    result = screen.state.slot.replace(keep=keep)(screen.source)
    for view in SGM.views:
        screen.state.set_view(SGM, view.name)
        assert picture(screen).std() > 10
        assert screen.a.execution and screen.a.execution.bands == 2
    for name in ("disparity", *keep):
        np.testing.assert_array_equal(screen.values(name), result.stored[name])


def test_a_window_computes_in_the_bands_of_its_option(offscreen: OffscreenContext) -> None:
    words = ("--fresh", "--variant", "cpu", "--disparities", "16", "--scene-size", "64x325")
    with running_app(*words, "--bands", "2") as app:
        execution = app.session.a.execution
        assert execution and execution.bands == 2
        app.state.choose_pipeline("canny")
        settle(app)
        execution = app.session.a.execution
        assert execution and execution.pipeline.name == "canny" and execution.bands == 1
    with (
        pytest.raises(ValueError, match="canny is not computed in bands"),
        running_app("canny", *words[:3], "--bands", "2"),
    ):
        pass


def test_a_pair_that_is_rectified_here_is_shown_in_bands(offscreen: OffscreenContext) -> None:
    pictures = dict[tuple[str, int], NDArray[np.uint8]]()
    for bands in (1, 2):
        state = ViewerState(
            Run(SGM, "cpu", SgmParams(disparities=32), bands=bands),
            {"cuda": "not in this test"},
            paused=True,
        )
        with (
            closing(Display()) as display,
            closing(Session(state, TurnedScene(200, 325), display)) as screen,
        ):
            for view in ("disparity", "left", "views"):
                state.set_view(state.slot.pipeline, view)
                pictures[view, bands] = picture(screen)
            assert screen.a.execution and screen.a.execution.bands == bands
    for view in ("left", "views"):
        assert np.array_equal(pictures[view, 1], pictures[view, 2])
    same = np.all(pictures["disparity", 1] == pictures["disparity", 2], axis=-1)
    assert pictures["disparity", 2].std() > 10 and same.mean() > 0.9


def test_another_view_of_a_slow_frame_is_shown_without_computing_it_again(
    session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames, run = list[Execution](), Execution.run

    def counted(self: Execution, *args: Any, **more: Any) -> None:
        frames.append(self)
        run(self, *args, **more)

    monkeypatch.setattr(Execution, "run", counted)
    monkeypatch.setattr(runner, "QUICK", 0.0)
    screen = session(bands=None)
    first = picture(screen)
    computed = len(frames)
    screen.state.set_view(SGM, "left")
    assert not np.array_equal(picture(screen), first)
    screen.state.set_view(SGM, "disparity")
    assert np.array_equal(picture(screen), first) and len(frames) == computed
    screen.state.slot = screen.state.slot.replace(uniqueness=20)
    assert not np.array_equal(picture(screen), first) and len(frames) > computed


def test_a_frame_in_bands_is_cancelled_between_two_steps(
    session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: Hold = hold(monkeypatch)
    screen = session()
    assert not screen.compute(0.0)
    screen.cancel()
    held.release()
    assert not screen.progress and picture(screen).std() > 10


def test_results_in_different_bands_are_compared_where_costs_are_handed_over(
    session: Make,
) -> None:
    screen = session()
    screen.state.b, screen.state.linked = screen.state.slot.replace(bands=1), False
    screen.state.mix(check=True)
    picture(screen)
    badge = screen.checks.badge(screen.a.shown)
    assert badge and badge.text.startswith("identical")


def test_results_in_different_bands_are_not_called_different(session: Make) -> None:
    screen = session()
    screen.state.slot = screen.state.slot.replace(search="hierarchical")
    screen.state.b, screen.state.linked = screen.state.slot.replace(bands=1), False
    screen.state.mix(check=True)
    picture(screen)
    badge = screen.checks.badge(screen.a.shown)
    assert badge
    assert badge.text == "not compared: A in 2 bands of rows, B in 1, which may differ"
