"""Rectification: hand arithmetic, OpenCV's bits over random calibrations, and what lies outside."""

import cv2
import numpy as np
import pytest

from tests.rigs import identity_map
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.peers.opencv import opencv_maps
from wheatstone.gpu.pipelines.ahead import with_rectification
from wheatstone.gpu.pipelines.inputs import inputs_of, with_presence
from wheatstone.gpu.pipelines.rectify import OUTSIDE, RECTIFY
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.reference.checks import outside_mask
from wheatstone.viewer.io.cameras.rectification import ViewMap, map_of
from wheatstone.viewer.io.cameras.rig import Camera

VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in RECTIFY.variants
]
HEIGHT, WIDTH = 120, 161


def rectified(variant: str, view: np.ndarray, maps: dict[str, np.ndarray]) -> Execution:
    height, width = view.shape[:2]
    execution = prepare(RECTIFY, variant, RECTIFY.params(), height, width, RECTIFY.on_demand)
    execution.upload(**inputs_of(RECTIFY, {"left": view, "right": view}, maps))
    execution.run()
    return execution


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_pixel_is_the_mean_of_four_by_hand(variant: str) -> None:
    view = np.array([[[10, 20, 30], [50, 60, 70]], [[90, 10, 0], [250, 255, 1]]], np.uint8)
    displacement = np.zeros((2, 2, 2), np.int16)
    displacement[0, 0] = 8, 16  # a quarter of a pixel across, half a one down
    displacement[0, 1] = -64, 0  # outside
    displacement[1, 0] = OUTSIDE
    displacement[1, 1] = 16, 0  # half of it outside
    pixels = rectified(variant, view, {"left": displacement, "right": 0 * displacement})
    colours = pixels.download("rectified_left")
    # red: (24*16*10 + 8*16*50 + 24*16*90 + 8*16*250 + 512) >> 10 = 75; green: 52352 >> 10 = 51
    assert colours[0, 0].tolist() == [75, 51, 20, 255]
    assert colours[0, 1].tolist() == colours[1, 0].tolist() == [0, 0, 0, 0]
    assert colours[1, 1].tolist() == [125, 128, 1, 128]
    # (9798*75 + 19235*51 + 3735*20 + 16384) >> 15 = 1806919 >> 15 = 55
    assert pixels.download("left")[0, 0] == 55
    assert np.array_equal(pixels.download("rectified_right")[..., :3], view)


def random_map(random: np.random.Generator, model: str) -> ViewMap:
    focal, middle = random.uniform(0.6, 1.2) * WIDTH, (WIDTH / 2, HEIGHT / 2)
    matrix = np.array([[focal, 0, middle[0] + 3.3], [0, 1.01 * focal, middle[1] - 2.1], [0, 0, 1]])
    counts = {"plumb-bob": 5, "rational": 8, "fisheye": 4}
    distortion = tuple((random.uniform(-0.15, 0.15, counts[model])).tolist())
    turn = cv2.Rodrigues(random.uniform(-0.06, 0.06, 3))[0].astype(np.float64)
    straight = np.array([[0.9 * focal, 0, middle[0]], [0, 0.9 * focal, middle[1]], [0, 0, 1]])
    camera = Camera(matrix, distortion, model)  # type: ignore[arg-type]
    return map_of(camera, turn, straight, WIDTH, HEIGHT)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("model", ["plumb-bob", "rational", "fisheye"])
def test_no_byte_differs_from_opencv_over_random_calibrations(variant: str, model: str) -> None:
    random = np.random.default_rng(11)
    for _ in range(8):
        view = random.integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
        maps = {name: random_map(random, model) for name in ("left", "right")}
        pixels = rectified(variant, view, {name: m.displacement for name, m in maps.items()})
        for name, each in maps.items():
            expected = cv2.remap(with_presence(view), each.place, each.fraction, cv2.INTER_LINEAR)
            assert np.array_equal(pixels.download(f"rectified_{name}"), expected)
            grey = cv2.cvtColor(expected, cv2.COLOR_RGBA2GRAY)
            assert np.array_equal(pixels.download(name), grey)


def test_maps_and_displacements_say_the_same() -> None:
    made = random_map(np.random.default_rng(3), "plumb-bob")
    place, fraction = opencv_maps(made.displacement)
    x, y = made.place[..., 0], made.place[..., 1]
    near = (x >= -1) & (x < WIDTH) & (y >= -1) & (y < HEIGHT)
    assert near.mean() > 0.8
    assert np.array_equal(place[near], made.place[near])
    assert np.array_equal(fraction[near], made.fraction[near])
    assert (made.displacement[~near] == OUTSIDE).all()
    assert made.at(60, 80)[0] == y[60, 80] + (made.fraction[60, 80] >> 5) / 32


def test_the_identity_moves_nothing() -> None:
    assert not identity_map(9, 5).displacement.any()


def test_a_place_too_far_to_be_named_is_refused() -> None:
    far = identity_map(3000, 2)
    far.place[0, 0, 0] = 2000
    with pytest.raises(ValueError, match="move pixels by more than 1024"):
        _ = far.displacement


def test_a_disparity_is_rejected_where_a_view_or_its_partner_shows_nothing() -> None:
    left_map, right_map = (np.zeros((1, 6, 2), np.int16) for _ in "ab")
    left_map[0, 1] = OUTSIDE
    right_map[0, 0] = -1, 0  # a 32nd of it lies outside
    right_map[0, 5] = 0, 1  # and of this one below
    stored = np.array([[0, 16, 32, 39, 40, 5]], np.int16)  # partners 0, 0, 0, 1, 1 (2.5 is 3), 5
    result = np.empty_like(stored)
    outside_mask(stored, left_map, right_map, result, 0)
    assert result.tolist() == [[-16, -16, -16, 39, 40, -16]]
    outside_mask(np.full((1, 6), -16, np.int16), 0 * left_map, right_map, result, 0)
    assert result.tolist() == [[-16] * 6]  # what has no partner is not asked for it


def test_a_pipeline_that_rectifies_is_made_once() -> None:
    rectifying = with_rectification(SGM)
    assert rectifying is with_rectification(SGM)
    assert with_rectification(rectifying) is rectifying
    assert with_rectification(RECTIFY) is RECTIFY
    assert [view.name for view in rectifying.views] == [view.name for view in SGM.views]
    assert [v.name for v in rectifying.variants] == [v.name for v in SGM.variants]


def test_stages_of_rectification_are_timed_like_others() -> None:
    rectifying = with_rectification(SGM)
    random = np.random.default_rng(1)
    views = {name: random.integers(0, 256, (24, 40), np.uint8) for name in ("left", "right")}
    execution = prepare(rectifying, "cpu", SgmParams(disparities=16), 24, 40, ["rectified_left"])
    execution.upload(**inputs_of(rectifying, views))
    execution.run(stages=True)
    names = list(execution.stage_milliseconds())
    assert names[:2] == ["rectify", "rectify_colours"]
    assert "outside_mask" in names
    plain = prepare(SGM, "cpu", SgmParams(disparities=16), 24, 40)
    plain.upload(**views)
    plain.run()
    assert np.array_equal(plain.download("disparity"), execution.download("disparity"))
