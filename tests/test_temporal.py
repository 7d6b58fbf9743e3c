"""What changes from frame to frame: the measures of a window, and the views that show them."""

import warnings
from contextlib import ExitStack, closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.analysis.temporal import MEASURES, FrameWindow
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SgmParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.choices.temporal import TemporalChoice
from wheatstone.viewer.display.frames.facts import over_time
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.scene import SceneSource
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

INVALID = -16
SCALE = 1 / 16


def sequence(frames: int) -> tuple[list[NDArray[np.int16]], list[NDArray[np.uint8]]]:
    random = np.random.default_rng(1)
    base = random.integers(0, 1000, (13, 17))
    stored = [(base + random.integers(-40, 41, base.shape)).astype(np.int16) for _ in range(frames)]
    for each in stored:
        each[random.random(each.shape) < 0.2] = INVALID
    grey = [random.integers(0, 8, base.shape).astype(np.uint8) for _ in range(frames)]
    return stored, grey


def filled(window: FrameWindow, frames: int) -> FrameWindow:
    for stored, grey in zip(*sequence(frames), strict=True):
        window.add(stored, grey)
    return window


def expected(name: str, frames: int, last: int, still: int) -> NDArray[np.float64]:
    stored, grey = sequence(frames)
    newest, views = np.array(stored[-last:], np.float64), np.array(grey[-last:], np.int64)
    values = np.where(newest == INVALID, np.nan, newest * SCALE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of pixels without any value
        return np.asarray(_defined(name, values, views, still), np.float64)


def _defined(name: str, values: Any, views: Any, still: int) -> Any:
    if name == "difference":
        return values[-1] - values[-2]
    if name == "mean":
        return np.nanmean(values, 0)
    if name == "noise":
        return np.nanstd(values, 0, ddof=1)
    same = np.abs(np.diff(views, axis=0)) <= still
    known = np.isfinite(values)
    ever = known[1:] | known[:-1]
    jump = (np.abs(np.diff(values, axis=0)) > 1) | (known[1:] != known[:-1])
    return 100 * (jump & same & ever).sum(0) / (same & ever).sum(0)


@pytest.mark.parametrize("name", MEASURES)
def test_measures_are_those_of_the_newest_frames(name: str) -> None:
    window = filled(FrameWindow(5, 3, SCALE, INVALID), 9)
    assert window.count == 5
    measurement = window.measure(name)
    assert measurement.dtype == np.float32
    assert np.allclose(measurement, expected(name, 9, 5, 3), equal_nan=True, rtol=1e-5, atol=1e-6)
    assert np.isfinite(measurement).any()


def test_one_frame_changes_nothing() -> None:
    window = filled(FrameWindow(4, 0, SCALE, INVALID), 1)
    known = np.isfinite(window.measure("mean"))
    assert (window.measure("difference")[known] == 0).all()
    assert np.isnan(window.measure("noise")).all() and np.isnan(window.measure("flicker")).all()
    assert np.isnan(window.flicker_rate)


def test_the_rate_counts_jumps_while_the_input_rests() -> None:
    window = FrameWindow(3, 0, SCALE, INVALID)
    grey = np.zeros((1, 4), np.uint8)
    window.add(np.array([[0, 0, 0, INVALID]], np.int16), grey)
    window.add(np.array([[16, 17, INVALID, INVALID]], np.int16), grey)
    assert window.flicker_rate == pytest.approx(2 / 3)  # 1 px is no jump; what never is, is none
    window.add(np.array([[160, 17, 0, 0]], np.int16), np.array([[9, 0, 0, 0]], np.uint8))
    assert window.flicker_rate == pytest.approx(4 / 6)  # the first pixel's input changed


@pytest.mark.cuda
@pytest.mark.parametrize("name", MEASURES)
def test_measures_are_the_same_on_a_gpu(name: str) -> None:
    assert not why_unavailable("cuda")
    import cupy

    ours, theirs = FrameWindow(5, 3, SCALE, INVALID), filled(FrameWindow(5, 3, SCALE, INVALID), 9)
    for stored, grey in zip(*sequence(9), strict=True):
        ours.add(cupy.asarray(stored), cupy.asarray(grey))
    measurement = ours.measure(name)
    assert isinstance(measurement, cupy.ndarray)
    assert np.array_equal(measurement.get(), theirs.measure(name), equal_nan=True)
    assert ours.flicker_rate == theirs.flicker_rate


@pytest.mark.opengl
@pytest.mark.parametrize("name", MEASURES)
def test_views_show_what_is_measured(name: str, offscreen: OffscreenContext) -> None:
    with ExitStack() as stack:
        params = SgmParams(disparities=16)
        temporal = TemporalChoice(show=name, frames=4)
        state = ViewerState(Run(SGM, "cpu", params), paused=True, temporal=temporal)
        source = stack.enter_context(
            closing(SceneSource(SourceSpec(scene="corridor", seed=0, size=(96, 64))))
        )
        display = stack.enter_context(closing(Display()))
        screen = stack.enter_context(closing(Session(state, source, display)))
        window, before = FrameWindow(4, temporal.still, SCALE, -16), -1
        for index in (0, 1, 2, 2, 3, 4, 5):
            screen.state.frame = index
            screen.compute()
            if index != before:  # a frame counts once
                window.add(screen.values("disparity"), screen.values("left"))
            before = index
        shown = screen.display.values("over time")
        assert np.array_equal(shown, window.measure(name), equal_nan=True)
        assert over_time(screen).startswith("4 frames")
        screen.drawing.draw(400, 300)
        assert screen.display.read().std() > 1
        (bar,) = screen.drawing.picture.bars
        assert bar.unit == ("%" if name == "flicker" else "px")
        choose(screen.state, "temporal.show", "off")
        screen.compute()
        assert over_time(screen) == "" and screen.drawing.picture.panes[0].image == "disparity"


def test_what_has_no_disparity_has_no_changes_to_show() -> None:
    state = ViewerState(Run(CANNY, "cpu", CANNY.params()))
    choose(state, "temporal.show", "noise")
    assert state.temporal.show == "off" and "no disparity" in state.message
