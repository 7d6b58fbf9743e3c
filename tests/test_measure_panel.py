"""Distances, planes and noise: by hand arithmetic, and in a window that nobody sees."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.offscreen_app import do, keys, running_app, settle
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.panel_choices import Measuring
from wheatstone.viewer.choices.regions import pick, pick_other, switch_rectangle
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.latest import Latest
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.io.cameras.calibration import Calibration, assumed, depths, rays
from wheatstone.viewer.panels.measure.distance import (
    depth_step,
    distance,
    length,
    spot,
    with_deviation,
)
from wheatstone.viewer.panels.measure.measured import RectangleFigures
from wheatstone.viewer.panels.measure.panel import (
    MeasureLine,
    MeasurePanel,
    distance_lines,
    noise_line,
    plane_lines,
)
from wheatstone.viewer.panels.measure.plane import (
    FRAMES,
    MOST_PIXELS,
    DisparityHistory,
    fitted,
    plane_figures,
    temporal_noise,
    trimmed,
    watched,
)
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.window.app import App

KNOWN = Calibration(100.0, 0.5, (20.0, 10.0))  # 50 m px: disparity 25 px is 2 m away
WHOLE = (4, 2, 40, 30)
STEP = 1 / 16
NAN = math.nan


def test_two_points_of_one_depth_are_as_far_apart_as_their_pixels() -> None:
    first, second = spot(KNOWN, (10, 20), 25.0, STEP), spot(KNOWN, (40, 60), 25.0, STEP)
    assert first and second
    measured = distance(first, second)
    assert (first.depth, second.depth) == (2.0, 2.0)
    assert measured.along == pytest.approx((0.8, 0.6, 0.0))  # 40 and 30 px of 2 m / 100 px
    assert measured.length == pytest.approx(1.0) and measured.pixels == 50.0
    # The first lies on the axis, whose depth does not count across; of the second's ray
    # (0.4, 0.3, 1) half a unit lies along the line: 0.5 * 2^2 / 50 / 32.
    assert measured.deviation == pytest.approx(0.5 * 4 / 50 / 32)


def test_along_the_axis_both_depths_count_in_quadrature() -> None:
    near, far = spot(KNOWN, (10, 20), 50.0, STEP), spot(KNOWN, (10, 20), 25.0, STEP)
    assert near and far
    measured = distance(near, far)
    assert (measured.length, measured.along) == (1.0, (0.0, 0.0, 1.0))
    assert (near.deviation, far.deviation) == (1 / 50 / 32, 4 / 50 / 32)
    assert measured.deviation == pytest.approx(math.hypot(1, 4) / 50 / 32)
    assert distance(near, near).deviation == pytest.approx(math.hypot(1, 1) / 50 / 32)


def test_half_a_step_of_disparity_moves_the_depth_by_its_deviation() -> None:
    spot_read = spot(KNOWN, (3, 4), 25.0, STEP)
    assert spot_read
    moved = [KNOWN.depth(25.0 + sign * STEP / 2) for sign in (-1, 1)]
    apart = [abs(depth - spot_read.depth) for depth in moved if depth]
    assert apart == pytest.approx([spot_read.deviation] * 2, rel=2e-3)
    assert depth_step(KNOWN, spot_read.depth, STEP) == 2 * spot_read.deviation


def test_what_has_no_disparity_or_lies_at_infinity_is_no_point() -> None:
    assert spot(KNOWN, (0, 0), NAN, STEP) is None
    assert spot(KNOWN, (0, 0), 0.0, STEP) is None
    assert spot(replace(KNOWN, offset=5.0), (0, 0), 0.0, STEP) is not None
    metres = depths(KNOWN, np.array([25.0, NAN, 0.0, -1.0]))
    assert metres[0] == 2.0 and np.isnan(metres[1:]).all()
    row, column, disparity = 7, 33, 12.5
    (ray,) = rays(KNOWN, np.array([float(column)]), np.array([float(row)]))
    assert tuple(ray * 4.0) == KNOWN.point(column, row, disparity)


def plane_disparity(normal: tuple[float, float, float], away: float) -> NDArray[np.float32]:
    """Disparities of the plane at which points times ``normal`` are ``away``."""
    x, y, width, height = WHOLE
    columns, rows = np.meshgrid(x + np.arange(width), y + np.arange(height))
    ray = rays(KNOWN, columns.ravel().astype(float), rows.ravel().astype(float))
    result = KNOWN.focal * KNOWN.baseline * (ray @ np.array(normal)) / away
    return np.asarray(result.reshape(height, width), np.float32)


def test_a_wall_that_the_camera_faces_is_flat_and_not_tilted() -> None:
    figures = plane_figures(KNOWN, np.full((30, 40), 25.0, np.float32), WHOLE)
    assert (figures.pixels, figures.fill_rate, figures.depth) == (1200, 100.0, 2.0)
    assert figures.rms < 1e-12 and figures.disparity_noise < 1e-10
    assert figures.tilt == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("angle", [10.0, 35.0, 60.0])
@pytest.mark.parametrize("turned", ["about the column", "about the row"])
def test_the_tilt_of_a_plane_is_that_of_its_normal(angle: float, turned: str) -> None:
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    normal = (sine, 0.0, cosine) if turned == "about the column" else (0.0, sine, cosine)
    figures = plane_figures(KNOWN, plane_disparity(normal, 2.0), WHOLE)
    assert figures.tilt == pytest.approx(angle, abs=1e-3)
    assert figures.rms < 1e-5 and figures.disparity_noise < 1e-5  # float32 holds 7 digits


def test_the_noise_of_disparities_comes_out_in_pixels_and_metres() -> None:
    random = np.random.default_rng(4)
    flat = np.full((30, 40), 25.0) + random.normal(0, 0.1, (30, 40))
    figures = plane_figures(KNOWN, flat.astype(np.float32), WHOLE)
    assert figures.disparity_noise == pytest.approx(0.1, rel=0.06)
    assert figures.rms == pytest.approx(depth_step(KNOWN, 2.0, 0.1), rel=0.06)
    coarse = plane_figures(KNOWN, np.round(flat).astype(np.float32), WHOLE)
    assert coarse.disparity_noise < 1e-9  # 25 px all over


def test_pixels_without_a_disparity_lower_the_fill_rate_and_nothing_else() -> None:
    disparity = plane_disparity((0.0, 0.6, 0.8), 2.0)
    disparity[:3] = NAN
    disparity[3, :20] = -1.0  # beyond infinity
    figures = plane_figures(KNOWN, disparity, WHOLE)
    assert figures.fill_rate == pytest.approx(100 * (27 * 40 - 20) / 1200)
    assert figures.tilt == pytest.approx(36.87, abs=1e-2) and figures.rms < 1e-5


def test_a_few_outliers_are_left_out_and_many_are_not() -> None:
    disparity = np.full((30, 40), 25.0, np.float32)
    disparity.flat[::240] = 24.0  # 5 of 1200, behind; 6 are ignored on each side
    assert plane_figures(KNOWN, disparity, WHOLE).rms < 1e-9
    disparity.flat[::40] = 24.0
    assert plane_figures(KNOWN, disparity, WHOLE).rms > 1e-3
    values = np.arange(400.0)
    assert values[~trimmed(values)].tolist() == [0, 1, 398, 399]
    assert trimmed(values[:199]).all()


def test_too_few_points_and_points_on_a_line_have_no_plane() -> None:
    disparity = np.full((30, 40), NAN, np.float32)
    figures = plane_figures(KNOWN, disparity, WHOLE)
    assert (figures.fill_rate, figures.fits) == (0.0, False)
    disparity[7, :] = 25.0
    assert not plane_figures(KNOWN, disparity, WHOLE).fits
    assert fitted(np.zeros((5, 3))) is None and fitted(np.eye(3)[:2]) is None
    corners = fitted(np.eye(3))
    assert corners and corners.distance == pytest.approx(1 / math.sqrt(3))


def test_temporal_noise_is_the_median_deviation_over_frames() -> None:
    # 25 and 50 px in turn: 2 m and 1 m, of which the deviation is sqrt(1/2) m; the others rest.
    frames = tuple(np.full((1, 3), 25.0, np.float32) for _ in range(2))
    assert temporal_noise(KNOWN, frames) == 0.0
    frames[1][0, :2] = 50.0
    assert temporal_noise(KNOWN, frames) == pytest.approx(math.sqrt(0.5))
    assert math.isnan(temporal_noise(KNOWN, frames[:1]))


def test_pixels_known_in_fewer_than_half_of_the_frames_do_not_count() -> None:
    frames = tuple(np.full((1, 2), 25.0, np.float32) for _ in range(5))
    for number in (0, 1, 2):
        frames[number][0, 0] = NAN
    frames[4][0, 0] = 50.0
    assert temporal_noise(KNOWN, frames) == 0.0
    frames[2][0, 0] = 25.0
    assert temporal_noise(KNOWN, frames) > 0.1
    empty = tuple(np.full((1, 2), NAN, np.float32) for _ in range(5))
    assert math.isnan(temporal_noise(KNOWN, empty))


def test_the_noise_of_a_sequence_at_rest_is_found() -> None:
    random, history = np.random.default_rng(8), DisparityHistory()
    for index in range(FRAMES):
        noisy = 25.0 + random.normal(0, 0.2, (30, 40))
        history.add(index, noisy.astype(np.float32))
    expected = depth_step(KNOWN, 2.0, 0.2)
    assert temporal_noise(KNOWN, history.frames) == pytest.approx(expected, rel=0.02)


def test_a_history_keeps_each_of_the_newest_frames_once() -> None:
    history = DisparityHistory()
    for index in (0, 1, 2, 1):
        history.add(index, np.full((1, 1), float(index), np.float32))
    assert [frame.item() for frame in history.frames] == [0, 2, 1]
    for index in range(3, 3 + FRAMES):
        history.add(index, np.full((1, 1), float(index), np.float32))
    assert [frame.item() for frame in history.frames] == list(range(3, 3 + FRAMES))


def test_of_a_large_rectangle_pixels_evenly_spread_are_watched() -> None:
    large = np.zeros((1000, 900), np.float32)
    assert watched(large).shape == (334, 300) and 334 * 300 <= 1.01 * MOST_PIXELS
    assert watched(large[:20, :30]).shape == (20, 30)


def test_lengths_have_the_digits_that_they_deserve() -> None:
    assert with_deviation(2.34567, 0.0123, "m") == "2.346 ± 0.012 m"
    assert with_deviation(234.567, 12.3, "units") == "235 ± 12 units"
    assert length(0.01234, "m") == "12.3 mm" and length(1.234, "m") == "1.23 m"
    assert length(0.01234, "relative") == "0.0123 relative" and length(1234.5, "m") == "1234 m"


def test_what_was_measured_is_reported_with_its_unit() -> None:
    first, second = spot(KNOWN, (10, 20), 25.0, STEP), spot(KNOWN, (40, -20), 50.0, STEP)
    assert first and second
    lines = distance_lines(distance(first, second), STEP, "m")
    by_name = {line.name: line.text for line in lines}
    assert by_name["to the left"] == "0.400 m" and by_name["down"] == "0.300 m"
    assert by_name["back"] == "1.00 m" and by_name["in the picture"] == "50.0 px"
    plane = plane_figures(KNOWN, plane_disparity((0.0, 0.6, 0.8), 2.0), WHOLE)
    rectangle_figures = RectangleFigures(WHOLE, KNOWN, STEP, replace(plane, rms=0.0123), 0.002, 12)
    by_name = {line.name: line.text for line in plane_lines(rectangle_figures)}
    assert by_name["fill rate"] == "100.0 %" and by_name["tilt of the plane"] == "36.87°"
    share = 100 * 0.0123 / plane.depth
    assert by_name["plane fit RMS error"] == f"12.3 mm ({share:.3f} %)"
    assert noise_line(rectangle_figures, 40).text == "12 of 40 frames"
    assert noise_line(rectangle_figures, 12).text.startswith("2.00 mm (0.0")
    bare = replace(
        rectangle_figures, plane=plane_figures(KNOWN, np.full((2, 2), NAN, np.float32), WHOLE)
    )
    assert [line.text for line in plane_lines(bare)] == ["0.0 %", "\N{EN DASH}"]
    assert all(isinstance(line, MeasureLine) for line in lines)


def test_the_step_is_a_pixel_where_no_parabola_refines() -> None:
    image = SGM.image("disparity")
    assert image.resolution(SgmParams()) == 1 / 16
    assert image.resolution(SgmParams(subpixel="off")) == 1.0
    assert SGM.image("left_descriptor").resolution(SgmParams()) == 1.0


def test_pixels_are_picked_in_turn_and_rectangles_switched() -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams()))
    pick(state, (1, 2))
    assert (state.look.pin, state.measuring.other) == ((1, 2), None)
    pick(state, (3, 4))
    assert (state.look.pin, state.measuring.other) == ((1, 2), (3, 4))
    assert state.open_panels == {"measure"} and state.message == "measuring to x 4, y 3"
    pick(state, (5, 6))
    assert (state.look.pin, state.measuring.other) == ((5, 6), None)
    pick_other(state, (3, 4))
    pick_other(state, (3, 4))
    assert state.measuring.other is None
    switch_rectangle(state, (41, 20))
    assert state.measuring.rectangle == (10, 5, 20, 10)
    switch_rectangle(state, (41, 20))
    assert state.measuring == Measuring()


@pytest.mark.parametrize(
    "bad", [{"other": (-1, 0)}, {"rectangle": (0, 0, 0, 3)}, {"rectangle": (-1, 0, 2, 3)}]
)
def test_what_cannot_be_measured_is_refused(bad: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match=r"at least|must be in \[0,"):
        Measuring(**bad)  # type: ignore[arg-type]


def panel_of(app: App) -> MeasurePanel:
    panel = app.layout.body("measure")
    assert isinstance(panel, MeasurePanel)
    return panel


def finished(app: App) -> MeasurePanel:
    from wheatstone.viewer.cli.script_player import finish

    settle(app)
    finish(app)
    return panel_of(app)


def ctrl(app: App, *places: tuple[float, float]) -> None:
    (x, y), (to_x, to_y) = places[0], places[-1]
    do(app, Event("press", x=x, y=y, ctrl=True))
    do(app, Event("move", x=to_x, y=to_y), Event("release", x=to_x, y=to_y))


SCENE = ("sgm", "--variant", "cpu", "--disparities", "32", "--scene-size", "160x120")


@pytest.mark.opengl
def test_clicks_and_drags_with_ctrl_measure_what_is_there(offscreen: object) -> None:
    pytest.importorskip("imgui_bundle")
    with running_app(*SCENE, size=(900, 600)) as app:
        before = app.state.center
        keys(app, "Ctrl+F8")
        drawn = app.session.display.drawn
        (first,), (second,) = drawn.places(30.5, 40.5), drawn.places(90.5, 120.5)
        ctrl(app, first)
        ctrl(app, second)
        assert app.state.look.pin == (30, 40) and app.state.measuring.other == (90, 120)
        ctrl(app, first, second)
        assert app.state.measuring.rectangle == (40, 30, 81, 61)
        assert app.state.center == before
        panel = finished(app)
        calibration = app.session.source.frame(0).calibration
        values = app.session.values("disparity")
        a, b = (
            spot(calibration or assumed(160, 120), at, values[at] / 16, STEP)
            for at in ((30, 40), (90, 120))
        )
        assert a and b and panel.distance == distance(a, b)
        figures = panel.meter.figures
        assert figures and calibration
        part = np.where(values == -16, NAN, values / 16)[30:91, 40:121]
        assert figures.plane == plane_figures(
            calibration, part.astype(np.float32), (40, 30, 81, 61)
        )
        shown = app.window.read()  # type: ignore[attr-defined]
        keys(app, "Ctrl+F8")
        settle(app)
        assert (shown[:, 640:] != app.window.read()[:, 640:]).any()  # type: ignore[attr-defined]


@pytest.mark.opengl
def test_frames_are_collected_until_the_rectangle_or_a_parameter_changes(
    offscreen: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("imgui_bundle")
    with running_app(*SCENE, "--set", "measuring.rectangle=[20,20,30,30]") as app:
        app.session.latest = Latest(app.session.display, every=0.0)
        monkeypatch.setattr("wheatstone.viewer.panels.measure.panel.FRAMES", 5)
        keys(app, "Ctrl+F8")
        for index in range(4):
            app.state.frame = index
            finished(app)
        panel = finished(app)
        assert panel.meter.frames == 4
        figures = panel.meter.figures
        assert figures and figures.frames == 4 and figures.noise > 0
        app.state.slot = replace(app.state.slot, params=SgmParams(disparities=32, median=False))
        assert finished(app).meter.frames == 1
        app.state.frame = 9
        assert finished(app).meter.frames == 2
        app.state.measuring = Measuring(rectangle=(100, 100, 900, 900))  # more than there is
        figures = finished(app).meter.figures
        assert figures and (figures.rectangle, figures.frames) == ((100, 100, 60, 20), 1)
        app.state.measuring = Measuring(rectangle=(160, 0, 9, 9))  # beside the image
        assert finished(app).meter.figures is None


@pytest.mark.opengl
def test_keys_measure_as_the_mouse_does(offscreen: object) -> None:
    pytest.importorskip("imgui_bundle")
    with running_app(*SCENE, size=(900, 600)) as app:
        keys(app, "Ctrl+F8")
        for key, place in (("Shift+I", (30.5, 40.5)), ("Ctrl+I", (60.5, 70.5))):
            ((x, y),) = app.session.display.drawn.places(*place)
            do(app, Event("move", x=x, y=y))
            keys(app, key)
        keys(app, "Shift+F8")
        assert (app.state.look.pin, app.state.measuring.other) == ((30, 40), (60, 70))
        assert app.state.measuring.rectangle == (40, 30, 80, 60)


@pytest.mark.opengl
def test_what_a_menu_asks_of_a_pixel_waits_for_a_click(offscreen: object) -> None:
    pytest.importorskip("imgui_bundle")
    with running_app(*SCENE, size=(900, 600)) as app:
        state = app.state
        do(app, Event("move", x=2, y=2))  # over the menu bar
        keys(app, "Ctrl+I")
        assert "measure from" in state.message
        click(app, (30.5, 40.5))
        assert state.look.pin == (30, 40)
        assert "measure to" in state.message
        click(app, (60.5, 70.5))
        assert (state.measuring.other, state.picks) == ((60, 70), "")
        do(app, Event("move", x=2, y=2))
        keys(app, "Ctrl+Shift+I")
        click(app, (20.5, 30.5))
        assert state.look.pins == ((20, 30),)
        do(app, Event("move", x=2, y=2))
        keys(app, "Shift+I")
        assert state.look.pin is None and not state.picks
        keys(app, "Shift+I")
        assert state.picks == "pin"
        keys(app, "Esc")
        assert not (state.picks or state.leaving or state.look.pin)
        keys(app, "Shift+I")
        click(app, (50.5, 60.5))
        assert state.look.pin == (50, 60) and "inspector" in state.open_panels


def click(app: App, place: tuple[float, float]) -> None:
    ((left, top),), area = app.session.display.drawn.places(*place), app.layout.area
    x, y = left + area.x, top + area.y
    do(app, Event("move", x=x, y=y), Event("press", x=x, y=y))
    do(app, Event("release", x=x, y=y))


@pytest.mark.opengl
def test_the_panel_says_what_it_needs(offscreen: object, tmp_path: Path) -> None:
    pytest.importorskip("imgui_bundle")
    import cv2

    left = np.random.default_rng(6).integers(0, 256, (60, 96, 3), np.uint8)
    for name, view in (("left", left), ("right", np.roll(left, -5, axis=1))):
        cv2.imwrite(str(tmp_path / f"{name}.png"), view)
    pair = [str(tmp_path / f"{name}.png") for name in ("left", "right")]
    chosen = ("--set", "look.pin=[30,50]", "--set", "measuring.other=[40,50]")
    with running_app("sgm", *pair, "--disparities", "16", "--variant", "cpu", *chosen) as app:
        keys(app, "Ctrl+F8")
        panel = finished(app)
        assert panel.distance and panel.distance.length == pytest.approx(10 / 5)  # f/w = 1
        keys(app, "Ctrl+2")
        panel = finished(app)
        assert panel.distance is None and not panel.spots
