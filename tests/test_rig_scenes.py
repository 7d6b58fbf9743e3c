"""The built-in scenes as a rig takes them, and the maps that rectify them again."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.rigs import DISTORTION, SIZE, a_rig, identity_map, stage, straight, taken
from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.io.cameras.levelling import levelling_of, rectify_rig
from wheatstone.viewer.io.cameras.rectification import FAR
from wheatstone.viewer.io.cameras.rig import Camera, Model
from wheatstone.viewer.io.scenes.raycast import open_eye, picture
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.rig_views import rays_of
from wheatstone.viewer.io.sources.stereo import render_stereo


def test_a_rig_that_is_level_has_maps_that_change_nothing() -> None:
    maps = rectify_rig(straight(), *SIZE)
    expected = identity_map(*SIZE)
    for view in (maps.left, maps.right):
        assert np.array_equal(view.place, expected.place)
        assert not view.fraction.any()
    known = maps.calibration
    assert known.focal == pytest.approx(288) and known.baseline == pytest.approx(0.25)
    assert (known.principal, known.offset) == ((159.5, 119.5), 0)


@pytest.mark.parametrize("model", DISTORTION)
def test_the_ray_of_a_pixel_is_seen_at_that_pixel(model: Model) -> None:
    camera = a_rig(model).left
    u, v = rays_of(camera, *SIZE)
    points = np.stack([u, v, np.ones_like(u)], axis=-1).reshape(-1, 1, 3)
    still, lens = np.zeros(3), (camera.matrix, camera.coefficients)
    if model == "fisheye":
        seen = cv2.fisheye.projectPoints(points, still, still, *lens)[0]
    else:
        seen = cv2.projectPoints(points, still, still, *lens)[0]
    rows, columns = np.mgrid[:240, :320]
    expected = np.stack([columns, rows], axis=-1)
    assert np.abs(seen.reshape(240, 320, 2) - expected).max() < 1e-3


def test_where_a_lens_sees_nothing_there_is_no_ray() -> None:
    wide = Camera(np.array([[60.0, 0, 160], [0, 60, 120], [0, 0, 1]]), (0.0,) * 4, "fisheye")
    u, _ = rays_of(wide, *SIZE)
    angle = np.hypot(*(np.mgrid[:240, :320] - np.array([120, 160])[:, None, None])) / 60
    assert np.array_equal(np.isnan(u), angle >= np.radians(89))


def test_places_beyond_16_bits_do_not_come_back_from_the_other_side() -> None:
    rig = straight()
    bent = replace(rig.left, distortion=(0.0, 0.0, 0.0, 0.0, 40_000.0))
    left = rectify_rig(replace(rig, left=bent, levelling=levelling_of(rig)), *SIZE).left
    corner = left.place[0, 0]
    assert corner.tolist() == [FAR, FAR] and left.fraction[0, 0] == 0
    assert abs(left.place[119, 159] - [159, 119]).max() <= 1


def test_a_level_rig_takes_what_the_scene_itself_shows() -> None:
    frame = taken(straight())
    expected = render_stereo(stage(), *SIZE)
    assert frame.raw and expected.right is not None
    for one, other in ((frame.raw.left, expected.left), (frame.raw.right, expected.right)):
        assert np.mean(one != other) < 1e-3  # single precision, at the edges of surfaces
    assert frame.truth is not None and expected.truth is not None
    assert np.allclose(frame.truth, expected.truth, 1e-4, 1e-3)
    assert np.mean(frame.occluded != expected.occluded) < 1e-3


@pytest.mark.parametrize("model", DISTORTION)
def test_rectified_a_distorted_pair_is_what_two_level_cameras_see(model: Model) -> None:
    frame = taken(a_rig(model))
    moment, known = stage(), frame.calibration
    assert frame.raw and known and frame.right is not None
    u, v = ((np.arange(n) - m) / known.focal for n, m in zip(SIZE, known.principal, strict=True))
    grid = u[None].astype(np.float32), v[:, None].astype(np.float32)
    inner = slice(8, -8), slice(8, -8)
    for camera, seen, raw in (
        (moment.camera, frame.left, frame.raw.left),
        (moment.camera.moved(known.baseline), frame.right, frame.raw.right),
    ):
        ideal = picture(open_eye(moment, camera), moment, *grid, 1 / known.focal)[0][inner]
        off = np.abs(seen[inner].astype(int) - ideal)
        assert np.median(off) <= 2 and off.mean() < 5
        assert np.abs(raw[inner].astype(int) - ideal).mean() > 4 * off.mean()


def test_truth_is_the_disparity_of_the_rectified_pair() -> None:
    frame = taken(a_rig())
    assert frame.truth is not None and frame.occluded is not None and frame.right is not None
    rows, columns = np.mgrid[:240, :320].astype(np.float32)
    back = cv2.remap(frame.right, columns - frame.truth, rows, cv2.INTER_LINEAR)
    seen = ~frame.occluded
    seen[:8] = seen[-8:] = seen[:, :60] = False
    off = np.abs(back.astype(int) - frame.left)[seen]
    aside = cv2.remap(frame.right, columns - frame.truth - 2, rows, cv2.INTER_LINEAR)
    assert np.median(off) <= 2
    assert off.mean() < 0.5 * np.abs(aside.astype(int) - frame.left)[seen].mean()


def test_matching_a_rectified_pair_finds_depth_in_metres() -> None:
    frame = taken(a_rig())
    assert frame.truth is not None and frame.occluded is not None and frame.right is not None
    sgm = PIPELINES["sgm"]
    views = {"left": grey_levels(frame.left), "right": grey_levels(frame.right)}
    computed = compute(sgm, "cpu", sgm.params().changed(disparities=64), **views)
    image = sgm.image(sgm.output)
    known = (computed != image.invalid) & ~frame.occluded
    known[:8] = known[-8:] = known[:, :64] = False
    off = np.abs(computed[known] / 16 - frame.truth[known])
    assert np.median(off) < 0.2 and np.mean(off > 1) < 0.1
    assert frame.calibration and frame.calibration.unit == "m"
