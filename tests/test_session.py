"""One screen, offscreen: the frame code that window and command line share."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.kernels import kernel, programs
from wheatstone.gpu.pipeline import View
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.canny import CannyParams
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.facts import facts_of, made_with
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.panes import MARK
from wheatstone.viewer.display.screen import pixels
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

pytestmark = pytest.mark.opengl
HEIGHT, WIDTH = 41, 67
PARAMS = SgmParams(disparities=16)
VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else [])
    for v in SGM.variants
    if not v.peer
]
Make = Callable[..., Session]


@pytest.fixture
def session(offscreen: OffscreenContext) -> Iterator[Make]:
    with ExitStack() as stack:

        def make(variant: str = "reference", mode: str = "auto") -> Session:
            source = stack.enter_context(closing(open_source(SourceSpec(size=(WIDTH, HEIGHT)))))
            absent = {"cuda": why_unavailable("cuda")}
            state = ViewerState(Run(SGM, variant, PARAMS), absent, paused=True)
            display = stack.enter_context(closing(Display()))
            return stack.enter_context(closing(Session(state, source, display, mode)))

        yield make


def picture(session: Session) -> NDArray[np.uint8]:
    session.compute()
    session.drawing.draw(2 * WIDTH, 2 * HEIGHT)
    return session.display.read()


@pytest.mark.parametrize("variant", VARIANTS)
def test_switching_the_variant_does_not_change_the_picture_by_a_bit(
    session: Make, variant: str
) -> None:
    screen = session("reference")
    for view in SGM.views:
        screen.state.views["sgm"] = view.name
        screen.state.choose_variant("reference")
        before = picture(screen)
        screen.state.choose_variant(variant)
        assert np.array_equal(picture(screen), before)
        assert before.std() > 10  # it shows something


def show_canny(screen: Session) -> None:
    canny = PIPELINES["canny"]
    for params in (CannyParams(low=20), CannyParams(low=20, sigma=0.0, thresholds="otsu")):
        for view in canny.views:
            screen.state.slot = Run(canny, "reference", params)
            screen.state.views["canny"] = view.name
            before = picture(screen)
            screen.state.slot = Run(canny, "fast", params)
            assert np.array_equal(picture(screen), before), view.name


@pytest.mark.usefixtures("emulation")
def test_emulated_fast_canny_shows_every_view_as_the_reference_does(session: Make) -> None:
    show_canny(session("reference"))


@pytest.mark.cuda
def test_fast_canny_shows_every_view_as_the_reference_does(session: Make) -> None:
    show_canny(session("reference"))


@pytest.mark.cuda
def test_kernels_are_compiled_in_the_background(
    session: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = picture(session("shared"))
    monkeypatch.setattr(programs, "kept_folder", lambda *of: tmp_path)
    monkeypatch.setattr(programs, "_modules", {})
    kernel._function.cache_clear()
    screen, texts = session("shared"), []
    while not screen.compute(0.01):
        assert screen.progress
        texts.append(screen.progress.step)
    assert any(
        re.fullmatch(r"shared: compiling [a-z ]+ for its first use, kernel \d+ of \d+", each)
        for each in texts
    )
    assert np.array_equal(picture(screen), expected)
    assert screen.a.execution and not screen.a.execution.uncompiled


@pytest.mark.cuda
@pytest.mark.parametrize("mode", ["interop", "copy"])
def test_every_display_mode_shows_the_same_picture(session: Make, mode: str) -> None:
    expected = picture(session("reference"))
    screen = session("shared", mode)
    for _ in range(3):
        assert np.array_equal(picture(screen), expected)
    assert facts_of(screen).mode == mode


def test_values_are_what_the_variant_computes(session: Make) -> None:
    screen = session("reference")
    screen.compute()
    frame = screen.source.frame(0)
    assert frame.right is not None
    left, right = (cv2.cvtColor(v, cv2.COLOR_RGB2GRAY) for v in (frame.left, frame.right))
    expected = compute(SGM, "reference", PARAMS, left=left, right=right)
    assert np.array_equal(screen.values("disparity"), expected)


def test_another_frame_of_the_source_is_another_picture(session: Make) -> None:
    screen = session("reference")
    before = picture(screen)
    screen.state.frame = 30
    assert not np.array_equal(picture(screen), before)
    screen.state.frame = 0
    assert np.array_equal(picture(screen), before)


def test_pixel_buffers_are_made_once_per_size(
    session: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    new = pixels._new_buffer

    def counted(shape: tuple[int, int], dtype: Any) -> int:
        made.append(shape)
        return new(shape, dtype)

    monkeypatch.setattr(pixels, "_new_buffer", counted)
    screen = session("reference")
    for disparities in (16, 32, 48, 16):
        screen.state.slot = Run(SGM, "reference", SgmParams(disparities=disparities))
        picture(screen)
    assert len(made) == 1


def test_frames_in_steady_state_make_no_gl_objects(session: Make) -> None:
    from OpenGL import GL

    screen = session("reference")
    picture(screen)
    newest = [int(GL.glGenTextures(1)), int(GL.glGenBuffers(1))]
    for _ in range(5):
        picture(screen)
    # Names are given out in order: the next ones would skip those a frame had taken.
    assert [int(GL.glGenTextures(1)), int(GL.glGenBuffers(1))] == [name + 1 for name in newest]


def test_playing_moves_on_and_pausing_stays(session: Make) -> None:
    screen = session("reference")
    screen.compute()
    screen.advance()
    assert screen.state.frame == 0
    screen.state.paused = False
    screen._playback.turned -= 1.5 / screen.source.rate
    while not screen.source.ready(1):
        pass
    screen.advance()
    assert screen.state.frame == 1


def test_facts_and_recipe_say_what_made_the_picture(session: Make) -> None:
    screen = session("reference")
    picture(screen)  # it may compile, which is no time to tell
    picture(screen)
    facts = facts_of(screen)
    assert facts.mode == "cpu" and facts.milliseconds and facts.milliseconds > 0
    made = made_with(screen)
    assert made["device"] == facts.device
    assert made["compute_ms"] > 0 and made["packages"]["numpy"] == np.__version__


def test_a_view_on_demand_is_prepared_for_and_left_again(session: Make) -> None:
    screen = session("reference")
    picture(screen)
    before = picture(screen)
    usual = facts_of(screen).milliseconds
    screen.state.views["sgm"] = "pair"
    assert usual and screen.prepared  # nothing more to compute
    screen.state.views["sgm"] = "confidence"
    assert not screen.prepared and not screen.current
    assert not np.array_equal(picture(screen), before)
    assert screen.a.execution and screen.a.execution.keeps("confidence")
    screen.state.views["sgm"] = "disparity"
    assert np.array_equal(picture(screen), before)
    assert not screen.a.execution.keeps("confidence")


def test_an_image_on_demand_of_another_pipeline_may_lie_over_a_view(session: Make) -> None:
    marked = View("why", ("edges",), "Rejected pixels.", overlay="sgm.invalid_reason")
    canny = replace(PIPELINES["canny"], views=(marked,))
    screen = session("reference")
    screen.compute()
    reasons = prepare(SGM, "reference", PARAMS, HEIGHT, WIDTH, ["invalid_reason"])
    frame = screen.source.frame(0)
    assert frame.right is not None
    left, right = (cv2.cvtColor(v, cv2.COLOR_RGB2GRAY) for v in (frame.left, frame.right))
    reasons.upload(left=left, right=right)
    reasons.run()
    screen.state.shelf["sgm"] = screen.state.slot
    screen.state.slot = Run(canny, "reference", CannyParams())
    marks = np.all(picture(screen) == MARK, axis=2)[::2, ::2]
    assert np.array_equal(marks, reasons.download("invalid_reason") > 0)
    screen.state.shelf["sgm"] = Run(SGM, "opencv-sgbm", PARAMS)
    with pytest.raises(ValueError, match="sgm/opencv-sgbm does not keep invalid_reason"):
        screen.compute()


def test_edges_of_another_pipeline_lie_over_the_disparity(session: Make) -> None:
    screen = session("reference")
    plain = picture(screen)
    screen.state.views["sgm"] = "edges"
    frame = screen.source.frame(0)
    left = cv2.cvtColor(frame.left, cv2.COLOR_RGB2GRAY)
    canny = PIPELINES["canny"]
    for sigma in (1.0, 2.0):  # as the other pipeline was left
        slot = Run(canny, "reference", CannyParams(sigma=sigma))
        screen.state.shelf["canny"] = slot
        edges = compute(canny, "reference", slot.params, left=left)
        marked = np.repeat(np.repeat(edges > 0, 2, axis=0), 2, axis=1)
        expected = np.where(marked[..., None], MARK, plain)
        assert np.array_equal(picture(screen), expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_frozen_b_keeps_the_edges_of_its_own_frame(session: Make, variant: str) -> None:
    screen = session(variant)
    screen.state.views["sgm"] = "edges"
    listed = []
    for frozen, frame in ((None, 0), (0, 40), (None, 40)):
        screen.state.mix(mode="side-by-side", frozen=frozen)
        screen.state.frame = frame
        listed.append(np.all(picture(screen)[:, WIDTH:] == MARK, axis=2))
    assert listed[0].sum() > 20 and not np.array_equal(listed[0], listed[2])
    assert np.array_equal(listed[0], listed[1])
