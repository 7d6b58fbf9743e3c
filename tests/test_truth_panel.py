"""What the ground truth panel says, and that it keeps up with what is shown."""

import math
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.pictures import read
from wheatstone.gpu.analysis.conventions import CONVENTIONS, MEASURES, as_judged, measures
from wheatstone.gpu.analysis.metrics import consistent, warp_error
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.figures import (
    CONSISTENT,
    FILLED,
    INVALID,
    OWN,
    WARPED,
    FigureQuestion,
    Figures,
    figure_words,
    figures,
)
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.truth import (
    HELP,
    JUDGED,
    FigureLine,
    TruthPanel,
    by_truth,
    with_changes,
    without_truth,
)
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.window.window_layout import WindowLayout

NAN = math.nan
PARAMS = SgmParams(disparities=16)
NOTHING = "\N{EN DASH}"

# 4 x 6 pixels at disparity 3; wrong by 1 and by 5, one without a result, one truth unknown.
TRUTH = np.full((4, 6), 3, np.float32)
TRUTH[3, 5] = NAN
STORED = np.full((4, 6), 48, np.int16)
STORED[0, 4], STORED[1, 4], STORED[2, 5] = 64, 128, -16
GREY = np.random.default_rng(2).integers(0, 256, (4, 6), np.uint8)
FRAME = Frame(GREY, np.roll(GREY, -3, axis=1), 7, TRUTH, np.zeros((4, 6), bool))


def ask(frame: Frame = FRAME, convention: str = "middlebury") -> Figures:
    choice = TruthChoice().chosen("convention", convention)
    return figures(FigureQuestion(STORED, SGM.image("disparity"), PARAMS, frame, choice))


def test_figures_are_those_that_the_convention_measures_to_the_last_digit() -> None:
    disparity = in_units(STORED, SGM.image("disparity"), PARAMS)
    known = np.isfinite(TRUTH)
    for name, convention in CONVENTIONS.items():
        mask = convention.judged(TRUTH, np.ones((4, 6), bool))
        result, expected = ask(convention=name), measures(convention, disparity, TRUTH, mask, 15)
        assert result.judged == as_judged(convention, disparity, mask, 15)[1].sum()
        shared = {measure: result.values[measure] for measure in MEASURES}
        assert repr(shared) == repr(expected)  # NaN for NaN
    result = ask()
    assert result.judged == known.sum() == 23
    assert result.values["bad-0.5"] == pytest.approx(100 * 3 / 23)
    assert result.values["bad-4"] == pytest.approx(100 * 2 / 23)
    assert result.values[INVALID] == pytest.approx(100 / 23)
    assert result.values["average error"] == pytest.approx(6 / 22)


def test_figures_without_truth_are_there_always() -> None:
    disparity = in_units(STORED, SGM.image("disparity"), PARAMS)
    bare = ask(Frame(GREY, FRAME.right, 0))
    assert (bare.judged, set(bare.values)) == (0, set(OWN))
    assert bare.values[FILLED] == pytest.approx(100 * 23 / 24)
    assert bare.values[CONSISTENT] == consistent(disparity)
    assert FRAME.right is not None
    assert bare.values[WARPED] == warp_error(disparity, GREY, FRAME.right) > 0
    assert math.isnan(ask(Frame(GREY, None, 0)).values[WARPED])


def test_the_words_are_the_measures_that_a_convention_puts_first() -> None:
    words = {name: figure_words(ask(convention=name), name) for name in CONVENTIONS}
    assert words["middlebury"] == "bad-2 8.70 %, average error 0.273 px"
    assert words["eth3d"] == "bad-1 0.00 %, average error 0.048 px"
    assert words["kitti"].startswith("D1 4.35 %")
    assert words["wheatstone"] == ""  # nothing is judged so near the edges
    assert figure_words(ask(Frame(GREY, FRAME.right, 0)), "middlebury") == ""


@pytest.mark.opengl
def test_a_picture_of_errors_says_how_good_the_result_is(layout: WindowLayout) -> None:
    session = layout.session
    layout.state.truth = replace(layout.state.truth, show="errors")
    session.compute()
    title = "errors of sgm/cpu (middlebury, non-occluded pixels)"
    caption = session.drawing.picture.caption
    assert caption and caption.title == title
    session.figures.measure()
    caption = session.drawing.picture.caption
    words = figure_words(expected(layout, 0), "middlebury")
    assert caption and caption.title == title.replace("cpu", f"cpu: {words}")
    layout.state.frame = 1
    session.compute()
    caption = session.drawing.picture.caption
    assert caption and caption.title == title  # those of another frame are not told
    session.figures.follow()
    layout.state.truth = replace(layout.state.truth, show="off")
    session.compute()
    assert not session.drawing.picture.caption


def test_the_table_marks_the_better_of_two() -> None:
    good = Figures(1200, {**dict.fromkeys(MEASURES, 1.0), INVALID: 2.0, FILLED: 90.0, WARPED: 3.0})
    other = replace(good, values={**good.values, "bad-1": 0.5, "density": 0.25, "RMS": NAN})
    lines = {line.name: line for line in by_truth((good, other))}
    assert lines["bad-0.5"] == FigureLine("bad-0.5", "%", ("1.00", "1.00"))
    assert lines["bad-1"] == FigureLine("bad-1", "%", ("1.00", "0.50"), better=1)
    assert lines["density"] == FigureLine("density", "%", ("1.00", "0.25"), better=0)
    assert lines["RMS"] == FigureLine("RMS", "px", ("1.000", NOTHING))
    assert lines[JUDGED] == FigureLine(JUDGED, "", ("1,200", "1,200"))
    own = {line.name: line for line in without_truth((good, None))}
    assert own[FILLED] == FigureLine(FILLED, "%", ("90.00", NOTHING))
    assert by_truth((Figures(0, {}),)) == [] and set(lines) | set(own) == set(HELP)


@pytest.fixture
def layout(offscreen: OffscreenContext) -> Iterator[WindowLayout]:
    with ExitStack() as stack:
        source = stack.enter_context(closing(open_source(SourceSpec(size=(96, 72)))))
        absent = {"cuda": "none"}
        state = ViewerState(Run(SGM, "cpu", PARAMS), absent, paused=True)
        display = stack.enter_context(closing(Display()))
        session = stack.enter_context(closing(Session(state, source, display)))
        yield WindowLayout(session)


def settled(panel: TruthPanel, layout: WindowLayout) -> list[Figures | None]:
    layout.session.compute()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        panel.update(layout)
        subjects = [f.subject for f in panel.shown]
        lanes = (layout.session.a, layout.session.b)
        wanted = [(x.shown.slot, x.frame) for x in lanes[: len(subjects)] if x.shown]
        done = [s and (s.slot, s.frame) for s in subjects] == wanted
        same = all(s and s.choice == layout.state.truth.judging for s in subjects)
        if done and same and not any(f.busy for f in panel.shown):
            return [following.figures for following in panel.shown]
        time.sleep(0.01)
    raise AssertionError("the figures do not come")


def expected(layout: WindowLayout, index: int, variant: str = "cpu", **changes: object) -> Figures:
    from wheatstone.gpu.execution import compute

    frame, params = layout.session.source.frame(index), replace(PARAMS, **changes)  # type: ignore[arg-type]
    assert frame.right is not None
    left, right = (cv2.cvtColor(view, cv2.COLOR_RGB2GRAY) for view in (frame.left, frame.right))
    stored = compute(SGM, variant, params, left=left, right=right)
    choice = layout.state.truth.judging
    return figures(FigureQuestion(stored, SGM.image("disparity"), params, frame, choice))


@pytest.mark.opengl
def test_figures_follow_frame_slot_choice_and_view(layout: WindowLayout) -> None:
    panel, state = TruthPanel(), layout.state
    assert settled(panel, layout) == [expected(layout, 0)]
    state.frame = 5
    assert settled(panel, layout) == [expected(layout, 5)]
    state.truth = state.truth.chosen("convention", "kitti")
    assert settled(panel, layout) == [expected(layout, 5)]
    state.slot = Run(SGM, "cpu", replace(PARAMS, median=False))
    assert settled(panel, layout) == [expected(layout, 5, median=False)]
    for name in ("left", "anaglyph"):  # the result is not on screen
        state.views["sgm"], state.frame = name, state.frame + 1
        assert settled(panel, layout) == [expected(layout, state.frame, median=False)]
    panel.close()


@pytest.mark.opengl
def test_b_has_a_column_while_it_is_computed(layout: WindowLayout) -> None:
    panel, state = TruthPanel(), layout.state
    state.b, state.linked = Run(SGM, "reference", replace(PARAMS, paths=8)), False
    state.mix(mode="side-by-side")
    first, second = settled(panel, layout)
    assert (first, second) == (expected(layout, 0), expected(layout, 0, "reference", paths=8))
    assert first != second
    state.mix(mode="off")
    assert settled(panel, layout) == [first, second]  # to be compared while they take turns
    state.frame = 1
    assert settled(panel, layout) == [expected(layout, 1)]


@pytest.mark.opengl
def test_errors_on_screen_do_not_change_the_figures(layout: WindowLayout) -> None:
    panel = TruthPanel()
    before = settled(panel, layout)
    subject = panel.shown[0].subject
    layout.state.truth = replace(layout.state.truth, show="errors")
    layout.session.compute()
    panel.update(layout)
    assert not panel.shown[0].busy and panel.shown[0].subject == subject
    assert settled(panel, layout) == before


@pytest.mark.opengl
def test_nothing_is_computed_for_what_is_no_disparity(layout: WindowLayout) -> None:
    panel = TruthPanel()
    settled(panel, layout)
    layout.state.slot = Run(PIPELINES["canny"], "cpu", PIPELINES["canny"].params())
    layout.session.compute()
    panel.update(layout)
    assert panel.shown[0].figures is None and not panel.shown[0].busy


SCRIPT = """
key F6
settle
wait 3
shot plain.png
key C Y
settle
wait 3
key U Shift+U Shift+Y
settle
wait 3
shot errors.png
key Y
settle
key Ctrl+2
settle
shot other.png
"""


@pytest.mark.opengl
def test_the_panel_is_drawn_in_every_state(layout: WindowLayout, tmp_path: Path) -> None:
    from wheatstone.viewer.cli.script import parse_script
    from wheatstone.viewer.cli.script_player import played_frames
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.display.screen.overlay import Overlay
    from wheatstone.viewer.window.app import App

    pytest.importorskip("imgui_bundle")
    with (
        closing(OffscreenWindow(900, 600)) as window,
        closing(Overlay()) as overlay,
        closing(App(window, layout.session, overlay)) as app,
    ):
        list(played_frames(app, window, parse_script(SCRIPT), tmp_path))
        assert layout.state.truth == TruthChoice("eth3d", "known", "truth")
        assert layout.state.open_panels == {"truth", "parameters"}  # a comparison opens them
    pictures = [read(tmp_path / f"{name}.png") for name in ("plain", "errors", "other")]
    panels = [picture[:, 640:] for picture in pictures]
    assert len({panel.tobytes() for panel in panels}) == 3
    assert all(panel.std() > 5 for panel in panels)


@pytest.mark.opengl
def test_changes_are_since_the_reference_result_and_worse_is_distinguished_from_better(
    layout: WindowLayout,
) -> None:
    panel, state = TruthPanel(), layout.state
    before = settled(panel, layout)[0]
    assert before and panel.reference and panel.reference.values == before.values
    state.slot = Run(SGM, "cpu", replace(PARAMS, paths=8, p1=1, p2=1))
    after = settled(panel, layout)[0]
    assert after and panel.reference.values == before.values
    lines = {x.name: x for x in with_changes(by_truth((after,)), after, panel.reference)}
    assert lines["bad-1"].change == after.values["bad-1"] - before.values["bad-1"] > 0
    assert not lines["bad-1"].improves and lines[JUDGED].change is None
    panel.set_reference()
    assert panel.reference.values == after.values
    state.frame = 3  # figures of another frame are no change
    now = settled(panel, layout)[0]
    assert now and panel.reference.values == now.values
    panel.close()
