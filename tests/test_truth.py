"""Ground truth: where it lies, how files hold it, and the picture of errors to the byte."""

import json
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
from wheatstone.viewer.commands.cli import main
from wheatstone.viewer.files.values import in_units
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.keys.actions import press
from wheatstone.viewer.picture.layout import GAP
from wheatstone.viewer.picture.panes import NO_RESULT, UNJUDGED, Mix
from wheatstone.viewer.picture.truth import HAIR, TEXTURE, error_legend, judged_pane, truth_texels
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.screen.display import Display, Pane, Picture
from wheatstone.viewer.screen.offscreen import OffscreenContext
from wheatstone.viewer.settings.command_line import command_line
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.settings.user_settings import reopened
from wheatstone.viewer.sources.frame import Frame
from wheatstone.viewer.sources.opening import open_source
from wheatstone.viewer.sources.said import Said
from wheatstone.viewer.sources.truth import not_searched, read_truth
from wheatstone.viewer.sources.truth_places import find_truth

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
            source = stack.enter_context(closing(open_source(left, right, size=(WIDTH, HEIGHT))))
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
    found = measures(CONVENTIONS["wheatstone"], disparity, frame.truth, mask, 15)
    for limit in (0.5, 1, 2, 4):
        steps = [step for step in (*ERROR_STEPS, 15) if step > limit]
        warm = [tuple(colormap(ERRORS)[int(16 * step) - 1]) for step in steps]
        wrong = sum(np.all(seen == color, axis=2).sum() for color in warm) + missing.sum()
        on_the_line = (mask & (error > limit) & (error <= limit + HAIR)).sum()
        assert 100 * (wrong + on_the_line) / mask.sum() == pytest.approx(found[f"bad-{limit:g}"])
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
def test_without_truth_the_result_stays_and_the_user_is_told(session: Make, tmp_path: Path) -> None:
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


UNKNOWN = math.nan
GREY_LEVELS = np.arange(40, dtype=np.uint8).reshape(4, 10)
# Disparity 2; 6 in the middle, which covers columns 2 and 3 in the right view; unknown on top.
DISPARITY = np.full((4, 10), 2, np.float32)
DISPARITY[:, 6:8], DISPARITY[0] = 5, UNKNOWN
BY_LEFT = np.isfinite(DISPARITY)
BY_LEFT[:, :2] = BY_LEFT[:, 3:5] = False  # outside; covered by 6 and 7, which arrive at 1 and 2


def write(path: Path, pixels: NDArray[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npy":
        np.save(path, pixels)
    else:
        assert cv2.imwrite(str(path), pixels)
    return path


def stored(scale: float, dtype: Any) -> NDArray[Any]:
    return np.where(np.isnan(DISPARITY), 0, scale * np.nan_to_num(DISPARITY)).astype(dtype)


def pair(folder: Path, left: str, right: str) -> tuple[str, str]:
    return str(write(folder / left, GREY_LEVELS)), str(write(folder / right, GREY_LEVELS))


def frame_of(*names: str, **said: Any) -> Frame:
    source = open_source(*names, said=Said(**said))
    frame = source.frame(0)
    source.close()
    return frame


def assert_true(frame: Frame, seen: NDArray[np.bool_] = BY_LEFT) -> None:
    assert frame.truth is not None and frame.occluded is not None
    assert np.array_equal(frame.truth, DISPARITY, equal_nan=True)
    assert np.array_equal(~frame.occluded, seen)


@pytest.mark.parametrize("name", ["disp0.pfm", "disp0GT.pfm"])
def test_middlebury_and_eth3d_lie_beside_im0(tmp_path: Path, name: str) -> None:
    views = pair(tmp_path, "im0.png", "im1.png")
    write(tmp_path / name, np.where(np.isnan(DISPARITY), np.inf, DISPARITY))
    assert_true(frame_of(*views))
    assert_true(frame_of(str(tmp_path)))
    mask = write(
        tmp_path / "mask0nocc.png", np.where(GREY_LEVELS % 3 == 0, 255, 128).astype(np.uint8)
    )
    assert_true(frame_of(*views), GREY_LEVELS % 3 == 0)
    mask.unlink()
    write(tmp_path / name.replace("0", "1"), DISPARITY)  # agrees nowhere but where both are 2
    right = frame_of(*views).occluded
    assert right is not None and not np.array_equal(~right, BY_LEFT)


def test_kitti_lies_in_folders_of_its_own(tmp_path: Path) -> None:
    views = pair(tmp_path, "image_2/7_10.png", "image_3/7_10.png")
    seen = BY_LEFT & (GREY_LEVELS % 2 == 0)
    write(tmp_path / "disp_noc_0" / "7_10.png", np.where(seen, stored(256, np.uint16), 0))
    noc = frame_of(*views)
    assert noc.truth is not None and np.array_equal(np.isfinite(noc.truth), seen)
    write(tmp_path / "disp_occ_0" / "7_10.png", stored(256, np.uint16))
    assert_true(frame_of(*views), seen)
    assert_true(frame_of(str(tmp_path)), seen)
    assert_true(frame_of(str(tmp_path / "image_2"), str(tmp_path / "image_3")), seen)


def test_old_middlebury_is_taken_only_with_its_scale(tmp_path: Path) -> None:
    views = pair(tmp_path, "im2.pgm", "im6.pgm")
    write(tmp_path / "disp2.pgm", stored(8, np.uint8))
    for names in (views, (str(tmp_path),)):
        source = open_source(*names)
        assert source.frame(0).truth is None
        assert any("disp2.pgm does not say its scale" in note for note in source.notes)
        source.close()
        assert_true(frame_of(*names, truth_scale=8))


def test_a_manifest_says_what_belongs_to_an_image(tmp_path: Path) -> None:
    views = pair(tmp_path / "wall", "left.png", "right.png")
    write(tmp_path / "wall" / "gt.png", stored(4, np.uint8))
    older = {"name": "wall", "left": "left.png", "right": "right.png", "gt": "gt.png"}
    older |= {"gt_scale": 4, "unknown": 0, "disparity_range": 16}  # type: ignore[dict-item]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([older]))
    assert_true(frame_of(*views))
    assert_true(frame_of(str(tmp_path / "wall")))
    path.write_text('{"name": "a web page", "icons": []}')
    assert find_truth(Path(views[0])) is None


def test_a_picture_of_a_disparity_is_not_taken_for_truth(tmp_path: Path) -> None:
    views = pair(tmp_path, "left.png", "right.png")
    write(tmp_path / "disparity.png", stored(8, np.uint8))
    source = open_source(*views)
    assert source.frame(0).truth is None
    assert any("disparity.png is left out" in note for note in source.notes)
    write(tmp_path / "disparity.png", stored(256, np.uint16))
    assert_true(frame_of(*views))


@pytest.mark.parametrize(
    ("name", "values", "scale"),
    [
        ("t.pfm", DISPARITY, None),
        ("t.tiff", DISPARITY, None),
        ("t.npy", DISPARITY, None),
        ("t.npy", 4 * DISPARITY, 4),
        ("t.png", stored(256, np.uint16), None),
        ("t.png", stored(64, np.uint16), 64),
        ("t.pgm", stored(1, np.uint8), None),
        ("t.png", stored(16, np.uint8), 16),
    ],
)
def test_a_truth_given_is_read_by_its_type(
    tmp_path: Path, name: str, values: NDArray[Any], scale: float | None
) -> None:
    views = pair(tmp_path, "a.png", "b.png")
    path = write(tmp_path / name, values)
    assert np.array_equal(read_truth(path, scale), DISPARITY, equal_nan=True)
    source = open_source(*views, said=Said(truth=str(path), truth_scale=scale))
    assert_true(source.frame(0))
    again = reopened(source.recipe)
    assert_true(again.frame(0))


def test_a_truth_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    views = pair(tmp_path, "a.png", "b.png")
    small = str(write(tmp_path / "t.png", np.zeros((3, 3), np.uint16)))
    with pytest.raises(ValueError, match=r"t.png: must have the left image's size 10x4"):
        open_source(*views, said=Said(truth=small))
    with pytest.raises(ValueError, match="goes with two images"):
        open_source(str(tmp_path), said=Said(truth=small))
    with pytest.raises(FileNotFoundError, match="absent"):
        open_source(*views, said=Said(truth="absent.png"))


@pytest.mark.opengl
def test_a_render_shows_errors_against_the_truth_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    views = [
        str(write(tmp_path / name, np.tile(GREY_LEVELS, (8, 4)))) for name in ("a.png", "b.png")
    ]
    truth = str(write(tmp_path / "t.png", np.tile(stored(8, np.uint8), (8, 4))))
    out = tmp_path / "o.png"
    words = ["render", "sgm", *views, "--disparities", "16", "--variant", "cpu", "--out", str(out)]
    assert main([*words, "--error-map", f"--truth={truth}", "--truth-scale=8"]) == 0
    recipe = read_recipe(out)
    assert recipe and recipe["source"]["truth_scale"] == "8"
    assert recipe["chosen"]["truth"]["show"] == "errors"
    absent = {"cuda": "none"}
    line = command_line(ViewerState(default_slot("sgm", absent), absent), recipe["source"])
    assert {f"--truth={truth}", "--truth-scale=8"} <= set(line)
    assert main([*words, "--error-map"]) == 2
    assert "no error map: this source has no ground truth" in capsys.readouterr().err
    assert main(["render", "canny", views[0], "--out", str(out), "--error-map"]) == 2
    assert "no error map: canny computes no disparity" in capsys.readouterr().err


PUBLISHED = {"bull": 1, "cones": 0.968, "tsukuba": 0.793, "motorcycle": 0.927}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_pairs_open_with_their_truth(data: Path, name: str) -> None:
    folder = data / "stereo" / name
    if not folder.is_dir():
        pytest.skip("the published pairs are absent (data beside the project)")
    frame = frame_of(str(folder / "left.png"), str(folder / "right.png"))
    assert frame.truth is not None and frame.occluded is not None
    assert np.isfinite(frame.truth).mean() == pytest.approx(PUBLISHED[name], abs=1e-3)
    assert 0.01 < (frame.occluded & np.isfinite(frame.truth)).mean() < 0.2


@pytest.mark.parametrize(
    ("first", "count", "told"),
    [(0, 6, ""), (2, 4, ""), (0, 5, "20% of"), (3, 16, "80% of"), (-16, 16, "100% of")],
)
def test_truth_that_is_not_searched_for_is_told(first: int, count: int, told: str) -> None:
    said = not_searched(DISPARITY, first, count)
    assert said.startswith(told) and bool(said) == bool(told)
    assert not told or f"2 to 5 px, is not among the disparities searched, {first} to" in said
    assert not_searched(np.full((2, 3), UNKNOWN, np.float32), first, count) == ""


@pytest.mark.opengl
def test_render_says_what_is_not_searched_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["render", "sgm", "--variant", "cpu", "--scene-size", "96x64", "--out"]
    for disparities, told in (("16", False), ("16 --min-disparity 16", True)):
        more = ["--disparities", *disparities.split()]
        assert main([*words, str(tmp_path / "x.png"), *more]) == 0
        assert ("is not among the disparities" in capsys.readouterr().err) == told
