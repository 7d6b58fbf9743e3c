"""Views in space: seen from the left camera they are the image; turned, they obey geometry."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.composition import BACKGROUND
from tests.offscreen_app import do, keys, running_app, settle
from wheatstone.viewer.choices.cloud import ASIDE, FROM_CAMERA, CloudChoice
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.zooming import approach, turn
from wheatstone.viewer.display.picture.guides import GuideLine, ScreenPlaces, guides
from wheatstone.viewer.display.picture.layout import Cell, axes
from wheatstone.viewer.display.picture.panes import Cloud, Pane, Picture
from wheatstone.viewer.display.picture.space import (
    CloudScene,
    depth_shares,
    median_depth,
)
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.cameras.calibration import Calibration, assumed

KNOWN = Calibration(120.0, 0.1, (81.3, 57.9), offset=3.0)
PANE = Pane("disparity", 1 / 16, 0.0, 63.0, -16, "turbo")
HEIGHT, WIDTH = 120, 160


def scene(orbit: tuple[float, float, float] = FROM_CAMERA, pivot: float = 0.5) -> CloudScene:
    return CloudScene(KNOWN, (HEIGHT, WIDTH), orbit, pivot)


def hills() -> NDArray[np.int16]:
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    near = 20 + 30 * np.exp(-((x - 80) ** 2 + (y - 60) ** 2) / 900)
    stored: NDArray[np.int16] = np.rint(near * 16).astype(np.int16)
    stored[::7, ::5] = -16
    return stored


def depths_of(shares: NDArray[np.float64], pivot: float) -> NDArray[np.float64]:
    """Convert depth buffer values back to distances ahead of the eye; 1 is infinity."""
    with np.errstate(divide="ignore"):
        return np.asarray(pivot * shares / (1 - shares))


def depths_drawn(height: int, width: int, pivot: float) -> NDArray[np.float64]:
    """The distances from the eye in the framebuffer bound; infinite where nothing is."""
    from OpenGL import GL

    shares = np.empty((height, width), np.float32)
    GL.glReadPixels(0, 0, width, height, GL.GL_DEPTH_COMPONENT, GL.GL_FLOAT, array=shares)
    return depths_of(shares[::-1].astype(np.float64), pivot)


def drawn_pixels(display: Display, height: int, width: int) -> NDArray[np.int64]:
    """For every pixel the number of the texel under it, along rows; -1 for none."""
    from OpenGL import GL

    display.read()
    result = np.empty((height, width), np.int32)
    GL.glReadBuffer(GL.GL_COLOR_ATTACHMENT1)
    GL.glReadPixels(0, 0, width, height, GL.GL_RED_INTEGER, GL.GL_INT, array=result)
    GL.glReadBuffer(GL.GL_COLOR_ATTACHMENT0)
    return result[::-1].astype(np.int64) - 1


def test_the_eye_at_the_cameras_place_is_the_camera() -> None:
    assert np.array_equal(scene().eye, np.eye(4))


def test_a_quarter_turn_to_the_right_looks_at_the_side() -> None:
    eye = scene((90.0, 0.0, 2.0)).eye
    center = scene().center
    right_of_center = center + np.array((1.0, 0, 0))
    seen = [eye[:3, :3] @ place + eye[:3, 3] for place in (center, right_of_center)]
    assert np.allclose(seen[0], 2 * center)
    assert np.allclose(seen[1] - seen[0], (0, 0, -1))  # what lies to the right is nearer


def test_an_eye_that_rises_looks_down() -> None:
    eye = scene((0.0, 90.0, 1.0)).eye
    moved = eye[:3, :3] @ (0, -1.0, 0)  # up, for the camera
    assert np.allclose(moved, (0, 0, -1))  # towards the eye


def test_depths_survive_the_depth_buffer_of_24_bits() -> None:
    depths = np.geomspace(0.05, 50, 999)
    stored = np.rint(depth_shares(depths, 1.0) * 2**24) / 2**24
    assert np.max(np.abs(depths_of(stored, 1.0) / depths - 1)) < 2e-6


def test_the_median_depth_leaves_out_what_is_invalid() -> None:
    values = np.array([[-16, -16, 160], [320, 320, -16]], np.int16)
    assert median_depth(values, 1 / 16, -16, replace(KNOWN, offset=0.0)) == 0.6
    assert median_depth(values[:, :0], 1 / 16, -16, KNOWN) is None


def test_without_a_calibration_depths_are_relative() -> None:
    known = assumed(200, 100)
    assert known.depth(50.0) == 4.0 and known.unit == "relative"
    assert known.point(99.5, 49.5, 50.0) == (0.0, 0.0, 4.0)


@pytest.mark.parametrize("zoom", [1, 2, 3])
@pytest.mark.parametrize("color", ["left", "disparity"])
def test_from_the_cameras_place_every_pixel_is_that_of_the_image(
    display: Display, color: str, zoom: int
) -> None:
    stored = hills()
    left = np.random.default_rng(3).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
    display.upload_image("disparity", stored)
    display.upload_image("left", left)
    pane = PANE if color == "disparity" else Pane("left")
    size = (zoom * WIDTH, zoom * HEIGHT)
    flat = Picture((pane,))
    display.draw(flat, *size)
    image = display.read()
    cloud = Cloud(pane, calibration=KNOWN, pivot=0.5)
    display.draw(Picture((PANE,), cloud=cloud), *size)
    numbers = drawn_pixels(display, size[1], size[0])
    valid = (stored != -16).repeat(zoom, 0).repeat(zoom, 1)
    texels = np.arange(HEIGHT * WIDTH).reshape(HEIGHT, WIDTH).repeat(zoom, 0).repeat(zoom, 1)
    assert np.array_equal(numbers >= 0, valid)
    assert np.array_equal(numbers[valid], texels[valid])
    seen = display.read()
    assert np.array_equal(seen[valid], image[valid])
    assert np.all(seen[~valid] == BACKGROUND)


def test_the_depth_buffer_holds_the_depth_of_every_pixel(display: Display) -> None:
    stored = hills()
    display.upload_image("disparity", stored)
    cloud = Cloud(PANE, calibration=KNOWN, pivot=0.5)
    display.draw(Picture((PANE,), cloud=cloud), WIDTH, HEIGHT)
    drawn, valid = depths_drawn(HEIGHT, WIDTH, 0.5), stored != -16
    expected = KNOWN.baseline * KNOWN.focal / (stored[valid] / 16 + KNOWN.offset)
    assert np.max(np.abs(drawn[valid] / expected - 1)) < 1e-5
    assert np.all(np.isinf(drawn[~valid]))


def test_a_turned_plane_is_where_geometry_puts_it(display: Display) -> None:
    stored = np.full((HEIGHT, WIDTH), 21 * 16, np.int16)
    display.upload_image("disparity", stored)
    turned = scene((30.0, 10.0, 1.3))
    cloud = Cloud(PANE, orbit=turned.orbit, calibration=KNOWN, pivot=turned.pivot)
    display.draw(Picture((PANE,), cloud=cloud), 2 * WIDTH, 2 * HEIGHT)
    counts = drawn_pixels(display, 2 * HEIGHT, 2 * WIDTH)
    cell = Cell(0, 0, 2 * WIDTH, 2 * HEIGHT)
    screen = ScreenPlaces(turned, *axes(HEIGHT, WIDTH, cell, 1.0, (0.5, 0.5)))
    for row, column in ((20, 30), (60, 80), (100, 140)):
        place = KNOWN.point(column, row, 21.0)
        assert place
        x, y, _ = screen.spots(screen.seen(np.array([place])))[0]
        number = counts[math.floor(y), math.floor(x)]
        assert abs(number // WIDTH - row) <= 1 and abs(number % WIDTH - column) <= 1
    inside = counts[60:180, 80:240]
    assert np.all(inside >= 0)  # no gap between points


def test_a_mesh_breaks_at_jumps(display: Display) -> None:
    stored = np.full((HEIGHT, WIDTH), 16 * 16, np.int16)
    stored[:, 80:] = 18 * 16
    display.upload_image("disparity", stored)
    gaps = []
    for jump in (1.0, 3.0):
        cloud = Cloud(PANE, calibration=KNOWN, pivot=0.5, surface="mesh", jump=jump)
        display.draw(Picture((PANE,), cloud=cloud), 3 * WIDTH, 3 * HEIGHT)
        counts = drawn_pixels(display, 3 * HEIGHT, 3 * WIDTH)
        gaps.append(np.count_nonzero(counts[180, 30:450] < 0))
    assert gaps == [3, 0]  # from the middle of a texel to that of its neighbour


def test_points_beside_the_region_are_dimmed(display: Display) -> None:
    display.upload_image("disparity", np.full((HEIGHT, WIDTH), 320, np.int16))
    display.upload_image("left", np.full((HEIGHT, WIDTH), 200, np.uint8))
    cloud = Cloud(Pane("left"), calibration=KNOWN, pivot=0.5)
    display.draw(Picture((PANE,), cloud=cloud, region=(10, 20, 30, 40)), WIDTH, HEIGHT)
    expected = np.full((HEIGHT, WIDTH), 60)
    expected[20:60, 10:40] = 200
    assert np.array_equal(display.read()[..., 0], expected)


def test_lines_behind_the_eye_are_cut() -> None:
    screen = ScreenPlaces(
        scene(pivot=1.0), *axes(HEIGHT, WIDTH, Cell(0, 0, 160, 120), 1.0, (0.5, 0.5))
    )
    ends = ((0.0, 0.0, -1.0), (0.0, 0.0, 1.0))
    lines = tuple(GuideLine(np.array(a), np.array(b), (1, 1, 1, 1)) for a, b in (ends, ends[::-1]))
    behind = GuideLine(np.array((0, 0, -2.0)), np.array((1, 0, -1.0)), (1, 1, 1, 1))
    table = screen.lines((*lines, behind), 1.0)
    assert np.allclose(table[:, (2, 5)], [(1e-3, 1), (1, 1e-3)])
    assert np.allclose(table[0, 3:5], (KNOWN.principal[0] + 0.5, KNOWN.principal[1] + 0.5))


@pytest.mark.parametrize(("unit", "text"), [("m", "grid 0.2 m"), ("relative", "relative: ")])
def test_the_grid_says_its_unit(unit: str, text: str) -> None:
    drawn = guides(replace(scene(ASIDE), calibration=replace(KNOWN, unit=unit)))
    assert text in drawn.coverage
    assert all(unit in note.text for side in drawn.sides for note in side)


def test_labels_are_seen_where_nothing_hides_their_place(display: Display) -> None:
    cloud = Cloud(Pane("left"), calibration=KNOWN, pivot=0.5, guides=True)
    display.upload_image("left", np.full((HEIGHT, WIDTH), 90, np.uint8))
    white = []
    for disparity in (320, -16):
        display.upload_image("disparity", np.full((HEIGHT, WIDTH), disparity, np.int16))
        display.draw(Picture((PANE,), cloud=cloud), 4 * WIDTH, 4 * HEIGHT)
        seen = display.read()[: 4 * HEIGHT - 40]  # below stands how wide the grid is
        white.append(np.count_nonzero(seen == 255))
    assert white[0] == 0 and white[1] > 200


def test_what_no_cloud_is_made_of_is_refused(display: Display) -> None:
    display.upload_image("disparity", np.zeros((4, 5), np.float32))
    with pytest.raises(ValueError, match="int16"):
        display.draw(Picture((PANE,), cloud=Cloud(PANE)), 8, 8)
    display.upload_image("disparity", np.zeros((4, 5), np.int16))
    display.upload_image("left", np.zeros((4, 6), np.uint8))
    with pytest.raises(ValueError, match=r"of its size \(4, 5\) \(got uint8 \(4, 6\)\)"):
        display.draw(Picture((PANE,), cloud=Cloud(Pane("left"))), 8, 8)


@pytest.mark.parametrize("orbit", [(181.0, 0, 1), (0, 91.0, 1), (0, 0, 0.01), (math.nan, 0, 1)])
def test_an_impossible_place_is_refused(orbit: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="orbit"):
        CloudChoice(orbit=orbit)


SMALL = ("sgm", "--scene", "corridor", "--scene-size", "160x120", "--disparities", "32", "--fresh")
PLAIN = ("--no-colorbar", "--no-hatch-outside")


def test_the_program_shows_a_cloud_that_is_the_image(offscreen: OffscreenContext) -> None:
    small = (*SMALL, "--no-fill-holes")
    with running_app(*small, "--view", "disparity", *PLAIN, size=(160, 152)) as app:
        flat = app.session.display.read()
        words = ("--view", "cloud", "--cloud-color", "colormap", "--no-guides", *PLAIN)
        stored = app.session.values("disparity").copy()
    with running_app(*small, *words, "--orbit", "0,0,1", size=(160, 152)) as app:
        display, calibration = app.session.display, app.session.a.calibration
        assert flat.shape == (120, 160, 3) and calibration
        valid = (stored != -16) & (stored > 0)  # 0 is infinitely far
        assert 0 < np.count_nonzero(~valid) < 2000
        numbers = drawn_pixels(display, 120, 160)
        assert np.array_equal(numbers >= 0, valid)
        assert np.array_equal(display.read()[valid], flat[valid])
        pivot = app.state.cloud.pivot
        assert pivot == median_depth(stored, 1 / 16, -16, calibration)
        result = depths_drawn(120, 160, pivot or 0.0)[valid]
        depths = calibration.baseline * calibration.focal / (stored[valid] / 16)
        assert np.max(np.abs(result / depths - 1)) < 1e-5
        row, column = np.argwhere(valid)[1234]
        hit = display.hit(column + 0.5, row + 0.5)
        assert hit and (hit.row, hit.column) == (row + 0.5, column + 0.5)
        row, column = np.argwhere(~valid)[123]
        assert display.hit(column + 0.5, row + 0.5) is None


def test_the_mouse_turns_approaches_and_goes_home(offscreen: OffscreenContext) -> None:
    with running_app(*SMALL, "--view", "cloud", size=(160, 152)) as app:
        state = app.state
        do(app, Event("move", x=80, y=60), Event("press", x=80, y=60), Event("move", x=92, y=60))
        do(app, Event("move", x=92, y=66), Event("release", x=92, y=66))
        yaw, pitch, distance = ASIDE
        assert state.cloud.orbit == (yaw - 18, pitch + 9, distance)
        do(app, Event("scroll", x=80, y=60, dy=1))
        assert state.cloud.orbit[2] == pytest.approx(distance / 1.1, abs=1e-4)
        do(app, Event("press", x=80, y=60, shift=True), Event("move", x=96, y=60))
        do(app, Event("release", x=96, y=60))
        assert state.center != (0.5, 0.5) and state.zoom == 1.0
        click = Event("press", x=50, y=50), Event("release", x=50, y=50)
        double = click * 2
        do(app, *double)
        assert (state.cloud.orbit, state.center) == (ASIDE, (0.5, 0.5))
        keys(app, "Shift+Home")
        assert state.cloud.orbit == FROM_CAMERA


def test_a_turn_goes_around_and_stops_above() -> None:
    state = ViewerState(default_slot("sgm", {"cuda": "none"}))
    turn(state, -1.0, 2.0)
    assert state.cloud.orbit == (ASIDE[0] + 180 - 360, 90.0, ASIDE[2])
    approach(state, 1e6)
    assert state.cloud.orbit[2] == 0.05


def test_clouds_stand_side_by_side_and_part_at_a_seam(offscreen: OffscreenContext) -> None:
    words = ("--view", "cloud", "--compare", "wipe", "--b-set", "min-disparity=0")
    with running_app(*SMALL, *words[:4], size=(320, 200)) as app:
        shown = app.session.display.read()
        assert app.session.drawing.picture.in_space and app.session.display.drawn.seam_at(160, 100)
        assert (shown == 255).all(2).any(0)[159:161].all()  # the seam
        for mode, works in (("side-by-side", True), ("onion", False), ("difference", False)):
            app.state.mix(mode=mode)
            app.state.messages = Messages()
            settle(app)
            assert works == (app.state.mixing.mode == mode)
            assert works or "3D view" in app.state.message
