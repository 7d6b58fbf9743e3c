"""Ground truth in the picture, compared byte for byte with the same composed in NumPy."""

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.composition import compose
from tests.test_display import drawn, noise
from wheatstone.gpu.analysis.conventions import CONVENTIONS, measures
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.judging import SHOWS, TruthChoice
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import ERROR_STEPS, ERRORS, INVALID, colormap
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.layout import GAP
from wheatstone.viewer.display.picture.panes import NO_RESULT, UNJUDGED, Mix
from wheatstone.viewer.display.picture.truth import (
    HAIR,
    TEXTURE,
    error_legend,
    judged_pane,
    truth_texels,
)
from wheatstone.viewer.display.screen.display import Display, Pane, Picture
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.keys.actions import press
from wheatstone.viewer.run.run import Run

NAN, INF = math.nan, math.inf
HEIGHT, WIDTH = 61, 83
PARAMS = SgmParams(disparities=16, fill_holes=False)
ERRORS_SHOWN = TruthChoice(show="errors")
GREY = np.zeros((1, 4), np.uint8)
Make = Callable[..., Session]


def state() -> ViewerState:
    return ViewerState(default_slot("sgm", {"cuda": "none"}), {"cuda": "none"})


def test_a_convention_brings_the_pixels_that_it_judges_first() -> None:
    assert TruthChoice(show="errors").chosen("convention", "kitti") == TruthChoice(
        "kitti", "known", "errors"
    )
    with pytest.raises(ValueError, match=r"convention must be one of middlebury, .*got 'mine'"):
        TruthChoice().chosen("convention", "mine")
    with pytest.raises(ValueError, match=r"show must be one of off, errors, truth .got 'all'"):
        TruthChoice(show="all")


def test_keys_go_round_what_is_shown_and_how_it_is_judged() -> None:
    chosen = state()
    seen = []
    for _ in SHOWS:
        press(chosen, "Y")
        seen.append(chosen.truth.show)
    assert seen == ["errors", "truth", "off"]
    names = []
    for _ in CONVENTIONS:
        press(chosen, "U")
        names.append(chosen.truth.convention)
        assert chosen.truth.region == CONVENTIONS[names[-1]].region
    assert names == ["eth3d", "kitti", "wheatstone", "middlebury"]
    press(chosen, "Shift+U")
    assert (chosen.truth.region, chosen.message) == ("known", "all pixels are judged")


def test_what_is_no_disparity_has_no_errors() -> None:
    chosen = state()
    chosen.choose_pipeline("canny")
    press(chosen, "Y")
    assert chosen.truth.show == "off" and "canny computes no disparity" in chosen.message


def test_texels_are_truth_in_stored_units_and_say_what_is_not_judged() -> None:
    truth = np.array([[2, 3.5, 1, NAN]], np.float32)
    frame = Frame(GREY, GREY, 0, truth, np.array([[False, False, True, False]]))
    errors = truth_texels(frame, ERRORS_SHOWN, 1 / 16)
    assert np.array_equal(errors, [[32, 56, INF, NAN]], equal_nan=True)
    every = truth_texels(frame, replace(ERRORS_SHOWN, region="known"), 1 / 16)
    assert np.array_equal(every, [[32, 56, 16, NAN]], equal_nan=True)
    plain = truth_texels(frame, TruthChoice(show="truth"), 1 / 16)
    assert np.array_equal(plain, every, equal_nan=True)
    nothing = truth_texels(Frame(GREY, GREY, 0), ERRORS_SHOWN, 1 / 16)
    assert np.isnan(nothing).all() and nothing.shape == (1, 4)


@pytest.mark.opengl
def test_steps_end_where_benchmarks_draw_the_line(display: Display) -> None:
    stored = np.array([[0, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 9000, -16, -16, 3]])
    truth = np.zeros(stored.shape, np.float32)
    truth[0, -2:] = NAN, INF
    pane = judged_pane(Pane("d", 1 / 16, 0, 63, -16, "turbo"), TEXTURE, ERRORS_SHOWN)
    images: dict[str, NDArray[Any]] = {"d": stored.astype(np.int16), TEXTURE: truth}
    seen = drawn(display, images, Picture((pane,)), stored.shape[1], 1)[0]
    colors = [tuple(colormap(ERRORS)[int(16 * limit) - 1]) for limit in ERROR_STEPS]
    colors.append(tuple(colormap(ERRORS)[255]))
    steps = [tuple(color) for color in seen[:14]]
    assert steps == [colors[i] for i in (0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6)]
    assert [tuple(color) for color in seen[14:]] == [NO_RESULT, INVALID[ERRORS], UNJUDGED]


@pytest.mark.opengl
@pytest.mark.parametrize("dtype", ["int16", "uint8", "float32"])
@pytest.mark.parametrize("way", ["alone", "wipe", "onion", "side-by-side"])
@pytest.mark.parametrize("size", [(99, 70), (31, 20)])
def test_errors_as_in_numpy(display: Display, dtype: str, way: str, size: tuple[int, int]) -> None:
    first = noise(dtype) % 90 if dtype == "int16" else noise(dtype)
    second = np.roll(first, 3, axis=1)
    truth = np.abs(noise("float32", first.shape)) * np.float32(40)
    truth[::5, ::3] = NAN
    scale, invalid = (1.0, None) if dtype == "float32" else (1 / 16, float(first[3, 4]))
    images = {"a": first, "b": second, TEXTURE: truth, "B truth": truth[::-1].copy()}
    pane, names = Pane("a", scale, 0, 63, invalid, "turbo"), (("a", TEXTURE), ("b", "B truth"))
    panes = [judged_pane(replace(pane, image=i), t, ERRORS_SHOWN) for i, t in names]
    picture = Picture((panes[0],), zoom=1.3, legend=error_legend(ERRORS_SHOWN))
    if way != "alone":
        mix = Mix(way, 0.4)  # type: ignore[arg-type]  # a way
        picture = replace(picture, second=Picture((panes[1],)), mix=mix)
    seen = drawn(display, images, picture, *size)
    assert np.array_equal(seen, compose(images, picture, *size))
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 6


@pytest.mark.opengl
def test_truth_must_fit_what_it_judges(display: Display) -> None:
    images = {"a": noise("int16"), TEXTURE: noise("int16"), "small": noise("float32", (4, 4))}
    for truth, complaint in (("t", "no image 't'"), (TEXTURE, "int16"), ("small", r"\(4, 4\)")):
        with pytest.raises(ValueError, match=complaint):
            drawn(display, images, Picture((Pane("a", truth=truth),)), 50, 50)


@pytest.fixture
def session(offscreen: OffscreenContext) -> Iterator[Make]:
    with ExitStack() as stack:

        def make(left: str | None = None, right: str | None = None) -> Session:
            source = stack.enter_context(
                closing(open_source(SourceSpec(left, right, size=(WIDTH, HEIGHT))))
            )
            chosen = ViewerState(Run(SGM, "cpu", PARAMS), {"cuda": "none"}, paused=True)
            display = stack.enter_context(closing(Display()))
            return stack.enter_context(closing(Session(chosen, source, display)))

        yield make


def picture(screen: Session) -> NDArray[np.uint8]:
    screen.compute()
    cells = len(screen.drawing.picture.cells)
    screen.drawing.draw(cells * WIDTH + GAP * (cells - 1), HEIGHT)
    return screen.display.read()


@pytest.mark.opengl
@pytest.mark.parametrize("name", CONVENTIONS)
def test_the_map_has_as_many_pixels_of_each_step_as_the_measures_say(
    session: Make, name: str
) -> None:
    screen = session()
    screen.state.truth = ERRORS_SHOWN.chosen("convention", name)
    seen = picture(screen)
    frame, convention = screen.source.frame(0), CONVENTIONS[name]
    assert frame.truth is not None and frame.occluded is not None
    disparity = in_units(screen.values("disparity"), SGM.image("disparity"), PARAMS)
    mask = convention.judged(frame.truth, ~frame.occluded)
    unjudged = np.all(seen == UNJUDGED, axis=2)
    assert np.array_equal(unjudged, ~mask)
    missing = np.all(seen == NO_RESULT, axis=2)
    assert np.array_equal(missing, mask & np.isnan(disparity)) and missing.any()
    error = np.abs(disparity - frame.truth)
    values = measures(CONVENTIONS["wheatstone"], disparity, frame.truth, mask, 15)
    for limit in (0.5, 1, 2, 4):
        steps = [step for step in (*ERROR_STEPS, 15) if step > limit]
        warm = [tuple(colormap(ERRORS)[int(16 * step) - 1]) for step in steps]
        wrong = sum(np.all(seen == color, axis=2).sum() for color in warm) + missing.sum()
        on_the_line = (mask & (error > limit) & (error <= limit + HAIR)).sum()
        assert 100 * (wrong + on_the_line) / mask.sum() == pytest.approx(values[f"bad-{limit:g}"])
        assert on_the_line < 0.01 * mask.sum()


@pytest.mark.opengl
def test_errors_of_a_and_b_are_beside_each_other_and_the_result_comes_back(session: Make) -> None:
    screen = session()
    plain = picture(screen)
    screen.state.truth = ERRORS_SHOWN
    assert not screen.complete
    alone = picture(screen)
    screen.state.b, screen.state.linked = Run(SGM, "reference", PARAMS), False
    screen.state.mix(mode="side-by-side")
    both = picture(screen)
    assert [pane.truth for _, panes in screen.drawing.picture.cells for pane in panes] == [
        TEXTURE,
        f"B {TEXTURE}",
    ]
    assert len(np.unique(both.reshape(-1, 3), axis=0)) > 5
    screen.state.mix(mode="off")
    assert np.array_equal(picture(screen), alone)
    screen.state.truth = TruthChoice()
    assert np.array_equal(picture(screen), plain)


@pytest.mark.opengl
def test_the_truth_itself_is_shown_in_the_range_of_the_result(session: Make) -> None:
    screen = session()
    screen.state.truth = TruthChoice(show="truth")
    screen.state.look = replace(screen.state.look, colorbar=False)
    seen = picture(screen)
    truth = screen.source.frame(0).truth
    assert truth is not None
    pane = Pane("t", 1 / 16, 0, 15, None, "cividis")
    expected = compose({"t": truth * np.float32(16)}, Picture((pane,)), WIDTH, HEIGHT)
    assert np.array_equal(seen, expected)


@pytest.mark.opengl
def test_without_truth_the_result_stays_with_a_message(session: Make, tmp_path: Path) -> None:
    views = [str(tmp_path / f"{side}.png") for side in ("one", "two")]
    for path in views:
        assert cv2.imwrite(path, noise("uint8", (HEIGHT, WIDTH)))
    screen = session(*views)
    screen.state.truth = ERRORS_SHOWN
    screen.compute()
    assert screen.state.truth.show == "off"
    assert screen.state.message == "this source has no ground truth"
    assert screen.a.shown and not screen.a.shown.judged


@pytest.mark.opengl
def test_a_frame_without_truth_among_others_is_unknown(session: Make, tmp_path: Path) -> None:
    for folder in ("image_2", "image_3"):
        (tmp_path / folder).mkdir()
        for frame in ("0.png", "1.png"):
            assert cv2.imwrite(str(tmp_path / folder / frame), noise("uint8", (HEIGHT, WIDTH)))
    (tmp_path / "disp_occ_0").mkdir()
    stored = np.full((HEIGHT, WIDTH), 256, np.uint16)
    assert cv2.imwrite(str(tmp_path / "disp_occ_0" / "0.png"), stored)
    screen = session(str(tmp_path))
    screen.state.truth = replace(ERRORS_SHOWN, region="known")
    assert not np.all(picture(screen) == INVALID[ERRORS])
    screen.state.frame = 1
    assert np.all(picture(screen) == INVALID[ERRORS])
    assert screen.state.truth.show == "errors"


@pytest.mark.opengl
def test_another_pipeline_shows_its_own_view_meanwhile(session: Make) -> None:
    screen = session()
    screen.state.truth = ERRORS_SHOWN
    screen.compute()
    screen.state.slot = Run(PIPELINES["canny"], "cpu", PIPELINES["canny"].params())
    screen.compute()
    assert screen.a.shown and screen.a.shown.view.name == "edges" and not screen.a.shown.judged
