"""A stage in slow motion: what is drawn of it, how it plays, and how it is filmed."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import laid_out
from tests.offscreen_app import keys, running_app, settle
from wheatstone.gpu import Unavailable
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.mean import MEAN
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SgmParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose, step
from wheatstone.viewer.choices.unfolding import OFF, UnfoldingChoice, stages_in, watched
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.frames.last_shown import Selection
from wheatstone.viewer.display.frames.playback import Playback
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.layout import GAP, Arrangement, stacked_cells, stacked_size
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.scene import SceneSource
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.slow_motion import CHOOSE, COMPARED, words
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.screenshot import read_recipe

SIZE = (48, 36)


def state_of(pipeline: Any, stage: str, **choices: Any) -> ViewerState:
    changes = {"disparities": 16} if pipeline is SGM else {}
    unfolding = UnfoldingChoice(stage=stage, **choices)
    slot = Run(pipeline, "cpu", pipeline.params(**changes))
    return ViewerState(slot, {"cuda": "none here"}, unfolding=unfolding)


@pytest.fixture
def open_session(offscreen: OffscreenContext) -> Iterator[Any]:
    with ExitStack() as stack:

        def opened(state: ViewerState) -> Session:
            source = stack.enter_context(
                closing(SceneSource(SourceSpec(scene="corridor", seed=0, size=SIZE)))
            )
            display = stack.enter_context(closing(Display()))
            session = stack.enter_context(closing(Session(state, source, display)))
            session.compute()
            return session

        yield opened


@pytest.mark.opengl
def test_the_picture_shows_what_is_there_at_the_moment(open_session: Any) -> None:
    state = state_of(MEAN, "window", moment=0.5)
    session = open_session(state)
    session.drawing.draw(400, 300)
    mean = session.values("mean").ravel()
    shown = session.display.values("slow motion 1").ravel()
    half = session.slow_motion.moment + 1
    assert half == mean.size // 2 + 1 or half == mean.size // 2
    assert np.array_equal(shown[:half], mean[:half]) and not shown[half:].any()
    assert np.array_equal(session.display.values("slow motion 0"), session.values("left"))
    choose(state, "unfolding.moment", 1.0)
    session.drawing.draw(400, 300)
    assert np.array_equal(session.display.values("slow motion 1").ravel(), mean)


@pytest.mark.opengl
def test_a_slice_is_drawn_under_the_view_with_the_disparities_chosen(open_session: Any) -> None:
    state = state_of(SGM, "cost-slice", moment=1.0)
    choose(state, "look.pin", (20, 11))
    session = open_session(state)
    session.drawing.draw(300, 400)
    picture, drawn = session.drawing.picture, session.display.drawn
    assert picture.caption and picture.caption.title.startswith("row 20, column 47 of 48")
    above, below = drawn.arrangement.cells
    assert above.y + above.height + GAP == below.y and above.width == below.width == 300
    costs = session.display.values("slow motion 1")
    assert np.isfinite(costs).all() and costs.shape == (16, 48)
    line = session.display.values("slow motion 1 marks")
    assert (line.sum(axis=0) == 1).all()
    assert len(drawn.places(20, 11)) == 1  # none in the slice
    (bar,) = picture.bars
    assert bar.invalid_says == "not computed yet" and "row 20" in bar.title


@pytest.mark.opengl
def test_a_moment_computes_nothing_and_a_pixel_no_frame(open_session: Any) -> None:
    state = state_of(SGM, "aggregation")
    session = open_session(state)
    unfolded, shown = session.slow_motion.unfolded, session.a.shown
    choose(state, "unfolding.moment", 0.75)
    assert session.current and session.rests() and session.slow_motion.unfolded is unfolded
    choose(state, "look.pin", (3, 5))
    assert not session.current and session.compute()
    assert session.slow_motion.unfolded is not unfolded and session.a.shown == shown
    session.drawing.draw(200, 200)
    marks = session.display.values("slow motion 0 marks")
    assert marks[3].any() and not np.delete(marks, 3, axis=0).any()
    choose(state, "unfolding.stage", OFF)
    session.advance()
    session.compute()
    session.drawing.draw(100, 100)
    assert session.drawing.picture.panes[0].image == "disparity"
    with pytest.raises(KeyError):  # its textures are given back
        session.display.values("slow motion 0")


@pytest.mark.opengl
def test_compared_results_are_shown_themselves(open_session: Any) -> None:
    state = state_of(MEAN, "window")
    session = open_session(state)
    assert words(state, session.slow_motion).startswith("The window sliding")
    choose(state, "mixing.mode", "side-by-side")
    session.compute()
    assert watched(state) is None and session.drawing.picture.panes[0].image == "mean"
    assert words(state, session.slow_motion) == COMPARED
    choose(state, "unfolding.stage", OFF)
    assert words(state, session.slow_motion) == CHOOSE


@pytest.mark.opengl
def test_labels_still_to_come_are_in_the_legend(open_session: Any) -> None:
    session = open_session(state_of(CANNY, "hysteresis", moment=0.0))
    legend = session.drawing.picture.legend
    assert [name for name, _ in legend][-2:] == ["strong", "undecided"]
    session.drawing.draw(200, 150)
    strength = session.values("strength")
    shown = session.display.values("slow motion 0")
    undecided = np.isin(strength, (1, 2))
    assert np.isnan(shown[undecided]).all() and (shown[~undecided] == strength[~undecided]).all()


def test_only_stages_that_run_are_offered() -> None:
    state = state_of(SGM, OFF)
    assert "speckle-filter" in stages_in(state) and "hysteresis" not in stages_in(state)
    state.slot = Run(SGM, "cpu", SgmParams(speckle_size=0))
    assert "speckle-filter" not in stages_in(state)
    choose(state, "unfolding.stage", "speckle-filter")
    assert state.unfolding.stage == OFF and "switched on" in state.message
    choose(state, "unfolding.stage", "hysteresis")
    assert state.unfolding.stage == OFF and "cost-slice" in state.message


def test_keys_step_through_the_stages_and_back_to_the_result() -> None:
    state = state_of(MEAN, OFF)
    step(state, "unfolding.stage")
    assert state.unfolding.stage == "window" and watched(state)
    step(state, "unfolding.stage")
    assert state.unfolding.stage == OFF
    state = state_of(MEAN, "hysteresis")  # chosen in another pipeline
    assert watched(state) is None
    step(state, "unfolding.stage")
    assert state.unfolding.stage == "window"


def test_what_cannot_be_computed_is_not_chosen() -> None:
    state = state_of(SGM, "cost-slice", path=2)
    selection = Selection.of(state)
    state.unfolding = UnfoldingChoice(stage="winner", moment=0.25)
    selection.restore(state)
    assert (state.unfolding.stage, state.unfolding.path) == ("cost-slice", 2)
    assert state.unfolding.moment == 0.25


def test_it_plays_by_the_clock_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("wheatstone.viewer.display.frames.playback.time.perf_counter", lambda: now)
    state = state_of(MEAN, "window", moment=0.5, seconds=4.0, plays=True)
    choose(state, "playing.loop", False)
    playback = Playback(state)
    playback.unfold()
    assert state.unfolding.moment == 0.5
    now += 1.0
    playback.unfold()
    assert state.unfolding.moment == 0.75 and state.unfolding.plays
    now += 2.0
    playback.unfold()
    assert state.unfolding.moment == 1.0 and not state.unfolding.plays
    playback.unfold()
    choose(state, "unfolding.plays", True)
    playback.unfold()
    assert state.unfolding.moment == 0.0 and state.unfolding.plays  # once more from the beginning
    choose(state, "playing.loop", True)
    now += 5.0
    playback.unfold()
    assert state.unfolding.moment == 0.25 and state.unfolding.plays


def test_the_frame_stays_in_slow_motion() -> None:
    state = state_of(MEAN, "window")
    playback = Playback(state)
    with closing(SceneSource(SourceSpec(scene="corridor", seed=0, size=SIZE))) as source:
        playback.turned -= 10.0
        assert playback.advance(source) == 0 and state.frame == 0


def test_stacked_cells_show_images_of_one_width_at_one_scale() -> None:
    above, below = stacked_cells([300, 100], 640, 408, top=20)
    assert (above.y, above.height, below.y, below.height) == (20, 300, 328, 100)
    arrangement = Arrangement(((300, 640), (100, 640)), (640, 408), stacked=True)
    (x, y), (u, v) = arrangement.place(0, 17, 0), arrangement.place(0, 17, 1)
    assert (x, u) == (17, 17) and (y, v) == (0, 308)
    assert stacked_size(((300, 640), (100, 480))) == (640, 300 + GAP + 100)


@pytest.mark.opengl
def test_keys_play_and_scrub_in_a_window(offscreen: OffscreenContext) -> None:
    words_ = (
        "canny",
        "--variant",
        "cpu",
        "--scene-size",
        "64x48",
        "--slow",
        "hysteresis",
        "--fresh",
    )
    with running_app(*words_, "--moment", "0") as app:
        keys(app, "Shift+F3", "Alt+.", "Alt+.", "Alt+,")
        assert app.state.unfolding.moment == pytest.approx(0.01)
        assert "slow_motion" in app.state.open_panels and app.rests
        keys(app, "Ctrl+F3")
        assert app.state.unfolding.plays and not app.rests
        for _ in range(3):
            app.step()
        assert app.state.unfolding.moment > 0.01
        keys(app, "Ctrl+F3", "Shift+K")
        settle(app)
        assert app.state.unfolding.stage == OFF and app.rests


@pytest.mark.opengl
def test_too_little_memory_is_reported_in_a_line(
    open_session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(state_of(MEAN, OFF))

    def full(asked: Any) -> None:
        """Fail as an allocation does."""
        raise MemoryError

    monkeypatch.setattr("wheatstone.gpu.analysis.unfolding.orders.window", full)
    choose(session.state, "unfolding.stage", "window")
    with pytest.raises(Unavailable, match="too little memory"):
        session.compute()


@pytest.mark.opengl
def test_a_film_goes_from_the_first_moment_to_the_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "slow-%d.png"
    line = ["render", "mean", "--variant", "cpu", "--slow", "window", "--scene-size", "48x36"]
    assert main([*line, "--frames", "3", "--out", str(out)]) == 0
    recipes = [read_recipe(tmp_path / f"slow-{number}.png") for number in range(3)]
    moments = [recipe["chosen"]["unfolding"].get("moment", 0.5) for recipe in recipes if recipe]
    assert moments == [0.0, 0.5, 1.0]
    assert {recipe["view"]["frame"] for recipe in recipes if recipe} == {0}
    assert main([*line, "--frames", "0:3", "--out", str(out)]) == 2
    assert "give how many pictures" in capsys.readouterr().err
    assert main([*line[:2], "--slow", "hysteresis", "--out", str(tmp_path / "a.png")]) == 2
    assert "no slow: mean has no stage hysteresis" in capsys.readouterr().err


@pytest.mark.opengl
def test_the_panel_has_no_slider_until_a_stage_is_watched(offscreen: OffscreenContext) -> None:
    words_ = ("mean", "--scene-size", "48x36", "--variant", "cpu", "--fresh")
    offscreen.make_current()
    with running_app(*words_, size=(700, 400)) as app:
        app.state.show_panel("slow_motion")
        settle(app)
        seen = []
        for stage in ("off", "window"):
            choose(app.state, "unfolding.stage", stage)
            settle(app)
            with laid_out.watched() as drawn:
                app.step()
            seen.append([text for text in drawn.seen if text in ("play###plays", "##moment")])
        assert not seen[0] and seen[1]
