"""The view of depths: its unit is the calibration's, its limits those of what is searched."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from tests.offscreen_app import keys, running_app, settle
from wheatstone.gpu.image import DepthScale
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.images import depth_limits
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.slot import NOTHING_AHEAD
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.picture.range_choice import choose_range, reset_ranges
from wheatstone.viewer.display.picture.ranges import shown_range
from wheatstone.viewer.display.picture.shown import Shown, chosen
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.run.run import Run

METRES = DepthScale(60.0, 0.5, "m")
WORDS = ("--disparities", "16", "--variant", "reference")
CALIB = """cam0=[50 0 31.5; 0 50 23.5; 0 0 1]
cam1=[50 0 33.5; 0 50 23.5; 0 0 1]
doffs=2
baseline=400
width=64
height=48
"""


@pytest.fixture
def shown() -> tuple[ViewerState, Shown]:
    state = ViewerState(Run(SGM, "cpu", SgmParams(disparities=16, min_disparity=-1)))
    state.set_view(SGM, "depth")
    state.fit_slots(NOTHING_AHEAD, METRES)
    return state, chosen(state)


def test_limits_begin_at_the_depth_of_the_largest_disparity_searched() -> None:
    params = SgmParams(disparities=16, min_disparity=-1)
    assert depth_limits(params, METRES) == (60 / 14.5, 480 / 14.5)
    near, far = depth_limits(params, replace(METRES, offset=-20))  # all beyond infinity
    assert 0 < near < far


def test_near_and_far_are_chosen_alone_or_both(shown: tuple[ViewerState, Shown]) -> None:
    state, view = shown
    low = 60 / 14.5
    for near, far, expected in (
        (None, None, (low, 8 * low)),
        (2.0, None, (2, 8 * low)),
        (100.0, None, (100, 800)),
        (None, 9.0, (low, 9)),
        (None, 1.0, (1 / 8, 1)),
        (3.0, 5.0, (3, 5)),
    ):
        state.look = Look(near=near, far=far)
        bounds = shown_range(state, view.slot, view.slot.image("depth"))
        assert bounds == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"near .* far \(got 5 to 2\)"):
        Look(near=5.0, far=2.0)


def test_a_range_chosen_for_depths_is_near_and_far(shown: tuple[ViewerState, Shown]) -> None:
    state, _ = shown
    choose_range(state, (1.0, 7.0))
    assert (state.look.near, state.look.far, dict(state.look.ranges)) == (1.0, 7.0, {})
    reset_ranges(state)
    assert (state.look.near, state.look.far) == (None, None)
    assert state.message == "shown: depth 4.13793 to 33.1034 m"


def test_the_colour_bar_has_the_unit_of_the_calibration(shown: tuple[ViewerState, Shown]) -> None:
    state, view = shown
    (bar,) = view.picture(state).bars
    assert bar.label == "depth, m" and bar.beyond == (False, True) and bar.has_invalid
    state.fit_slots(NOTHING_AHEAD, replace(METRES, unit="relative"))
    (bar,) = chosen(state).picture(state).bars
    assert bar.label == "depth, relative" and chosen(state) == view  # nothing to compute anew


@pytest.mark.opengl
def test_two_variants_show_the_same_depths(offscreen: OffscreenContext) -> None:
    options = ("--scene-size", "64x48", "--view", "depth", "--compare", "difference", "--identity")
    with running_app("sgm", *options, *WORDS, "--b-variant", "cpu") as app:
        caption = app.session.drawing.picture.caption
        assert caption and caption.badge == "identical: 0 of 3,072 differ"
        app.state.link(False)
        assert app.state.b
        app.state.b = replace(app.state.b, params=app.state.b.params.changed(uniqueness=40))
        settle(app)
        caption = app.session.drawing.picture.caption
        assert caption and "differ" in caption.badge and caption.badge.endswith(" units")
        app.state.mix(mode="off")
        keys(app, "N")
        settle(app)
        assert app.state.look.near and app.state.look.far
        assert app.state.message.startswith("shown: depth ")
        assert app.state.message.endswith(" units")


@pytest.fixture
def pair(tmp_path: Path) -> Callable[[str], tuple[str, str]]:
    frame = Scene("orbit", 0, (64, 48)).render(0)
    assert frame.right is not None

    def write(calibration: str) -> tuple[str, str]:
        paths = tmp_path / "left.png", tmp_path / "right.png"
        for path, view in zip(paths, (frame.left, frame.right), strict=True):
            Image.fromarray(view).save(path)  # type: ignore[arg-type]
        if calibration:
            (tmp_path / "calib.txt").write_text(calibration)
        return str(paths[0]), str(paths[1])

    return write


@pytest.mark.opengl
@pytest.mark.parametrize(
    ("text", "scale"),
    [(CALIB, DepthScale(20.0, 2.0, "m")), ("", DepthScale(64.0, 0.0, "relative"))],
    ids=["calibrated", "not"],
)
@pytest.mark.parametrize("view", ["depth", "disparity"])
def test_values_are_depths_by_the_calibration(
    tmp_path: Path,
    pair: Callable[[str], tuple[str, str]],
    capsys: pytest.CaptureFixture[str],
    text: str,
    scale: DepthScale,
    view: str,
) -> None:
    words = ["render", "sgm", *pair(text), *WORDS, "--view", view]
    paths = tmp_path / "depth.tiff", tmp_path / "disparity.npy"
    other = ["--image", "depth"] if view == "disparity" else []
    assert main([*words, "--values", str(paths[0]), *other]) == 0
    assert f"depth.tiff: depth in {scale.unit}" in capsys.readouterr().err
    assert main([*words, "--values", str(paths[1]), "--image", "disparity"]) == 0
    away = np.load(paths[1]) + np.float32(scale.offset)
    depths = np.full(away.shape, np.nan, np.float32)
    depths[away > 0] = np.float32(scale.product) / away[away > 0]
    assert np.isfinite(depths).any()
    assert np.array_equal(tifffile.imread(paths[0]), depths, equal_nan=True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--image", "depth", "--out", "a.png"], "give --values FILE"),
        (["--image", "sums", "--values", "a.npy"], "--image sums is not"),
        (["--image", "nothing", "--values", "a.npy"], "sgm has no image 'nothing'"),
        (["--cloud", "a.obj"], "clouds go to .ply, .pcd"),
    ],
)
def test_what_cannot_be_written_is_reported(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", "sgm", "--scene-size", "64x48", *words]) == 2
    assert message in capsys.readouterr().err
