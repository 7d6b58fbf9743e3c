"""The built-in scenes: geometry by hand, ground truth, occlusion, determinism, the cache."""

from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.interruption import ComputationInterrupted
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.scenes.lighting import Light, illuminate
from wheatstone.viewer.io.scenes.planes import ScenePlane
from wheatstone.viewer.io.scenes.raycast import SceneMoment, open_eye, trace_rays
from wheatstone.viewer.io.scenes.rounds import Cylinder, Sphere
from wheatstone.viewer.io.scenes.surfaces import Material, SceneCamera, Surface
from wheatstone.viewer.io.scenes.textures import build_atlas, look_up, ranks, value_noise
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.scene import (
    CACHE_BYTES,
    LAYOUTS,
    LENGTH,
    Scene,
    SceneSource,
    with_noise,
)
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stereo import BASELINE, focal_length, render_stereo
from wheatstone.viewer.io.sources.truth import read_truth
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.command_line import command_line

ASSETS = Path(__file__).parent.parent / "assets" / "scenes"
COVER = Material(0, 1.0)
RIGHT, DOWN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def stage_of(*surfaces: Surface) -> SceneMoment:
    light = Light((0.0, -1.0, 0.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 0.0)
    atlas = build_atlas([np.full((8, 8, 3), 128, np.uint8)])
    return SceneMoment(SceneCamera(np.eye(3), np.zeros(3)), surfaces, light, atlas)


def wall(depth: float) -> ScenePlane:
    return ScenePlane((0.0, 0.0, depth), RIGHT, DOWN, None, COVER, backdrop=True)


def warp_to_left(right: NDArray[np.uint8], disparity: NDArray[np.float32]) -> NDArray[np.float64]:
    height, width = disparity.shape
    place = np.clip(np.arange(width) - disparity, 0, width - 1.001)
    column = np.floor(place).astype(int)
    part = (place - column)[..., None]
    row = np.arange(height)[:, None]
    warped: NDArray[np.float64] = right[row, column] * (1 - part) + right[row, column + 1] * part
    return warped


@cache
def scene(name: str) -> Scene:
    return Scene(name, 0, (320, 240))


def test_a_wall_has_disparity_focal_times_baseline_over_depth() -> None:
    # 640 wide: focal 576, times 0.25 is 144; at depth 4.5 that is 32 pixels.
    truth = render_stereo(stage_of(wall(4.5)), 640, 16).truth
    assert truth is not None and truth.dtype == np.float32
    np.testing.assert_allclose(truth, 32.0, rtol=1e-6)


def test_a_board_before_a_wall_hides_exactly_the_columns_worked_out_by_hand() -> None:
    # The board, 1 wide at depth 2.25 (disparity 64), covers left columns 192..447, so right columns
    # 128..383; the wall (disparity 32) behind them is left column 160..415, of which 160..191 show.
    board = ScenePlane((0.0, 0.0, 2.25), RIGHT, DOWN, (0.5, 9.0), COVER)
    frame = render_stereo(stage_of(wall(4.5), board), 640, 5)
    assert frame.truth is not None and frame.occluded is not None
    columns = np.arange(640)
    on_board = (columns >= 192) & (columns <= 447)
    expected = (columns < 32) | (columns >= 160) & (columns <= 191)
    np.testing.assert_allclose(
        frame.truth, np.tile(np.where(on_board, 64.0, 32.0), (5, 1)), rtol=1e-6
    )
    assert np.array_equal(frame.occluded, np.tile(expected, (5, 1)))


def test_a_slanted_plane_has_disparity_affine_in_the_pixel() -> None:
    slanted = ScenePlane((0.0, 0.0, 5.0), (0.8, 0.0, 0.6), DOWN, None, COVER)
    truth = render_stereo(stage_of(slanted), 64, 9).truth
    assert truth is not None
    steps = np.diff(truth.astype(np.float64), axis=1)
    np.testing.assert_allclose(steps, steps.mean(), atol=1e-5)
    # Where u = 0 the depth is 5; the plane recedes to the right, so disparity falls.
    assert steps.mean() < 0
    np.testing.assert_allclose(
        truth[:, 31:33].mean(), focal_length(64, 9) * BASELINE / 5, rtol=1e-6
    )


@pytest.mark.parametrize("round_thing", ["sphere", "cylinder"])
def test_round_surfaces_lie_at_their_radius(round_thing: str) -> None:
    centre, radius, axis = np.array([0.2, -0.1, 4.0]), 0.7, np.array([0.6, 0.8, 0.0])
    things: dict[str, Surface] = {
        "sphere": Sphere((0.2, -0.1, 4.0), radius, COVER),
        "cylinder": Cylinder((0.2, -0.1, 4.0), (0.6, 0.8, 0.0), radius, 1.0, COVER),
    }
    truth = render_stereo(stage_of(wall(9.0), things[round_thing]), 161, 121).truth
    assert truth is not None
    focal = focal_length(161, 121)
    depth = focal * BASELINE / truth.astype(np.float64)
    row, column = np.indices(truth.shape)
    points = np.stack([(column - 80) / focal * depth, (row - 60) / focal * depth, depth], axis=-1)
    hit = depth < 8.9
    offset = points[hit] - centre
    if round_thing == "cylinder":
        assert np.abs(offset @ axis).max() <= 1.001
        offset = offset - (offset @ axis)[:, None] * axis
    assert np.count_nonzero(hit) > 1000
    np.testing.assert_allclose(np.linalg.norm(offset, axis=1), radius, atol=1e-4)
    assert points[hit][:, 2].max() < 4.0 + 0.8  # the near side, never the far one


def test_a_tube_shows_its_inside_over_its_rim() -> None:
    # Of radius 1 about (x, z) = (0, 4), from y = 0.5 to 1.5: a ray that falls by 0.2 a unit meets
    # its front at depth 3, one by 0.13 passes over it, at 0.39, and meets the back, at 5 and 0.65.
    u, v = np.zeros(3), np.array([0.2, 0.13, 0.05])
    for hollow, behind, sides in ((True, 1 / 5, (-1, -1)), (False, 0.0, (-1, 1))):
        tube = Cylinder((0.0, 1.0, 4.0), (0.0, 1.0, 0.0), 1.0, 0.5, COVER, hollow=hollow)
        view = tube.seen_by(SceneCamera(np.eye(3), np.zeros(3)))
        assert view
        np.testing.assert_allclose(view.inverse_depth(u, v), [1 / 3, behind, 0], atol=1e-12)
        towards = view.normal(u[:2], v[:2], np.array([1 / 3, 1 / 5]))[2]
        np.testing.assert_allclose(towards, sides, atol=1e-12)


def test_a_lamp_lights_a_wall_by_angle_and_distance() -> None:
    # The lamp hangs 1 before the wall, which is 5 away: straight behind it 1 / (1 + 1), and 1
    # beside that, where light falls in at 45 degrees from a distance of sqrt(2), 0.7071 / (1 + 2).
    camera, view = SceneCamera(np.eye(3), np.zeros(3)), wall(5.0)
    seen = view.seen_by(camera)
    assert seen
    ones = (1.0, 1.0, 1.0)
    light = Light((0.0, -1.0, 0.0), ones, ones, ones, 0.0, lamp=(0.0, 0.0, 4.0), reach=1.0)
    u, v, w = np.array([0.0, 0.2]), np.zeros(2), np.full(2, 0.2)
    sun, _ = illuminate(camera, light, seen, (u, v, w), seen.coordinates(u, v, w))
    np.testing.assert_allclose(sun, [0.5, 0.5**0.5 / 3], rtol=1e-6)


def test_texture_lookup_hits_texel_centres_and_repeats() -> None:
    tile = np.random.default_rng(1).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    atlas = build_atlas([np.zeros_like(tile), tile])
    row, column = (index.ravel() for index in np.indices((8, 8)))
    one = np.ones(64, np.int32)
    for period in (0, 3, -2):
        s = ((column + 0.5) / 8 + period).astype(np.float32)
        t = ((row + 0.5) / 8 - period).astype(np.float32)
        colours = look_up(atlas, one, s, t, np.ones(64, np.float32))
        assert np.array_equal((colours & 0xFFFF) >> 8, tile[row, column, 0])
        assert np.array_equal(colours >> 40, tile[row, column, 2])
    far = look_up(atlas, one[:1], s[:1], t[:1], np.full(1, 1e6, np.float32))
    assert abs(int(far[0] & 0xFFFF) / 256 - tile[..., 0].mean()) <= 2


def test_noise_tiles_without_a_seam_and_ranks_are_uniform() -> None:
    noise = value_noise(64, np.random.default_rng(2), lowest=4, gain=0.3)
    inner = np.abs(np.diff(noise, axis=1)).max()
    assert np.abs(noise[:, 0] - noise[:, -1]).max() <= inner
    assert np.array_equal(
        np.sort(ranks(noise), axis=None), np.arange(64 * 64) / np.float32(64 * 64)
    )


@pytest.mark.parametrize("name", SCENES)
def test_the_right_view_warped_by_the_truth_is_the_left_view(name: str) -> None:
    frame = scene(name).render(7)
    assert frame.right is not None and frame.truth is not None and frame.occluded is not None
    error = np.abs(warp_to_left(frame.right, frame.truth) - frame.left).mean(axis=2)
    assert error[~frame.occluded].mean() < 3
    assert error[frame.occluded].mean() > 10  # of a bare wall: others have far more
    # Half a pixel off is clearly worse: the truth is not merely near.
    shifted = np.abs(warp_to_left(frame.right, frame.truth + np.float32(0.5)) - frame.left).mean(
        axis=2
    )
    assert shifted[~frame.occluded].mean() > 1.3 * error[~frame.occluded].mean()


@pytest.mark.parametrize("name", SCENES)
def test_a_point_is_occluded_where_the_right_camera_meets_something_nearer(name: str) -> None:
    stage, width, height = scene(name).stage(31), 120, 90
    frame = render_stereo(stage, width, height)
    assert frame.truth is not None and frame.occluded is not None
    focal = focal_length(width, height)
    row, column = np.indices(frame.truth.shape)
    u = ((column + 0.5 - width / 2 - frame.truth) / focal).astype(np.float32)
    v = ((row + 0.5 - height / 2) / focal).astype(np.float32)
    met, _ = trace_rays(open_eye(stage, stage.camera.moved(BASELINE)), u.ravel(), v.ravel())
    outside = u < -width / 2 / focal
    hidden = met.reshape(u.shape) * focal * BASELINE > frame.truth * 1.002
    # What moves at its outline is let off: rays graze it there.
    assert np.count_nonzero((outside | hidden) != frame.occluded) <= 0.002 * frame.truth.size


@pytest.mark.parametrize("name", SCENES)
def test_a_recipe_opens_the_scene_again(name: str) -> None:
    source = SceneSource(SourceSpec(scene=name, seed=3, size=(16, 12)))
    source.close()
    again = open_source(source.spec)
    again.close()
    assert (again.name, again.spec.to_dict()) == (f"{name} (seed 3)", source.spec.to_dict())
    state = ViewerState(Run(SGM, "cpu", SGM.params()))
    words = command_line(state, source.spec)
    assert name == SCENES[0] or words[words.index("--scene") + 1] == name


@pytest.mark.parametrize("name", SCENES)
def test_disparities_stay_between_a_hundredth_and_a_tenth_of_the_width(name: str) -> None:
    for index in range(0, LENGTH, 12):
        truth = render_stereo(scene(name).stage(index), 80, 60).truth
        assert truth is not None
        assert 0.8 < truth.min() and truth.max() < 8.0


def test_the_same_frame_has_the_same_bytes_and_other_seeds_differ() -> None:
    frame, again = scene("orbit").render(5), Scene("orbit", 0, (320, 240)).render(5 + LENGTH)
    other = Scene("orbit", 1, (320, 240)).render(5)
    assert again.index == 5
    assert frame.left.tobytes() == again.left.tobytes()
    assert frame.truth is not None and again.truth is not None
    assert frame.truth.tobytes() == again.truth.tobytes()
    assert np.abs(frame.left.astype(int) - other.left).mean() > 5


def test_noise_changes_colours_by_so_many_levels_in_each_view_by_itself() -> None:
    grey = np.full((50, 60, 3), 90, np.uint8)
    noisy = with_noise(grey, 2, np.random.default_rng(7)).astype(int) - grey
    levels, counts = np.unique(noisy, return_counts=True)
    assert levels.tolist() == [-2, -1, 0, 1, 2]
    np.testing.assert_allclose(counts / noisy.size, np.array([1, 2, 3, 2, 1]) / 9, atol=0.02)
    assert with_noise(grey + 165, 1, np.random.default_rng(7)).min() == 254  # 255 stays 255
    quiet = render_stereo(scene("bare-wall").stage(0), 320, 240)
    frame = scene("bare-wall").render(0)
    assert quiet.right is not None and frame.right is not None
    noises = [frame.left - quiet.left.astype(int), frame.right - quiet.right.astype(int)]
    assert [np.abs(noise).max() for noise in noises] == [1, 1]
    assert (noises[0] != noises[1]).mean() > 0.3


def test_the_loop_closes() -> None:
    def change(a: int, b: int) -> float:
        first, second = (scene("orbit").render(index).left.astype(int) for index in (a, b))
        return float(np.abs(first - second).mean())

    assert change(0, 1) > 0
    assert change(LENGTH - 1, LENGTH) < 1.5 * change(0, 1)


@pytest.mark.parametrize("name", SCENES)
def test_a_fresh_render_matches_the_committed_sample(name: str) -> None:
    """One gray level is allowed: the C library's sine may differ in its last bit."""
    frame = scene(name).render(0)
    assert frame.right is not None and frame.truth is not None
    for view, pixels in (("left", frame.left), ("right", frame.right)):
        difference = np.abs(pixels.astype(int) - read_image(ASSETS / name / f"{view}.png").pixels)
        # A ray that grazes an outline may then fall to its other side.
        assert np.count_nonzero(difference > 1) <= 30
    stored = read_truth(ASSETS / name / "disparity.png")
    assert np.count_nonzero(np.abs(stored - frame.truth) > 0.01) <= 10


def test_strips_leave_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = scene("orbit").stage(9)
    whole = render_stereo(stage, 101, 77)
    monkeypatch.setattr("wheatstone.viewer.io.sources.stereo.STRIP_PIXELS", 101 * 13)
    strips = render_stereo(stage, 101, 77)
    for name in ("left", "right", "truth", "occluded"):
        assert np.array_equal(getattr(whole, name), getattr(strips, name)), name


@pytest.mark.parametrize("size", [(1, 1), (1, 37), (53, 1), (17, 5)])
def test_any_size_renders(size: tuple[int, int]) -> None:
    width, height = size
    frame = render_stereo(scene("garden").stage(1), width, height)
    assert frame.left.shape == (height, width, 3)
    assert frame.truth is not None and frame.occluded is not None
    assert frame.truth.shape == frame.occluded.shape == (height, width)
    assert np.isfinite(frame.truth).all() and frame.truth.min() > 0


def test_every_scene_has_a_layout() -> None:
    assert tuple(LAYOUTS) == SCENES


def test_a_source_computes_ahead_and_serves_what_render_gives() -> None:
    source = SceneSource(SourceSpec(scene="corridor", seed=2, size=(64, 48)))
    try:
        frame = source.frame(LENGTH + 3)
        assert frame.index == 3
        assert frame.left.tobytes() == Scene("corridor", 2, (64, 48)).render(3).left.tobytes()
        assert source.ready(3) and source.frame(3) is frame
        with source._changed:
            assert source._changed.wait_for(lambda: source.ready(4), timeout=60)
    finally:
        source.close()
    assert not source._worker.is_alive()


def test_a_large_source_keeps_the_playhead_and_the_next_frame_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wheatstone.viewer.io.sources.scene.CACHE_BYTES", 100)
    source = SceneSource(SourceSpec(scene="garden", seed=0, size=(32, 24)))
    try:
        for index in (0, 1, 2, 50):
            source.frame(index)
            with source._changed:
                assert source._changed.wait_for(partial(source.ready, index + 1), timeout=60)
            assert set(source._frames) == {index, index + 1}
    finally:
        source.close()


def test_the_default_loop_fits_the_cache() -> None:
    assert LENGTH * 640 * 480 * 11 <= CACHE_BYTES


def test_open_source_without_files_is_the_default_scene() -> None:
    source = open_source(SourceSpec(size=(40, 30)))
    source.close()
    assert (source.width, source.height, source.length, source.rate) == (40, 30, LENGTH, 24.0)
    assert source.spec.to_dict() == {"scene": "orbit", "seed": 0, "size": "40x30"}


@pytest.mark.parametrize(
    ("name", "seed", "size", "words"),
    [
        ("beach", 0, (8, 8), "orbit, corridor, garden, bare-wall, brushes, basket .got .beach."),
        ("orbit", -1, (8, 8), "seed must be 0 or more .got -1."),
        ("orbit", 0, (0, 8), "1x1 to 16384x16384 .got 0x8."),
        ("orbit", 0, (8, 16385), "1x1 to 16384x16384 .got 8x16385."),
    ],
)
def test_a_bad_scene_is_refused(name: str, seed: int, size: tuple[int, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        open_source(SourceSpec(scene=name, seed=seed, size=size))


def test_a_scene_that_is_closed_stops_painting(monkeypatch: pytest.MonkeyPatch) -> None:
    source, painted = SceneSource(SourceSpec(size=(16, 12), seed=987)), list[int]()

    def closing(painter: object, side: int, random: object) -> NDArray[np.uint8]:
        painted.append(side)
        source.close()
        return np.zeros((side, side, 3), np.uint8)

    monkeypatch.setattr("wheatstone.viewer.io.sources.scene.paint", closing)
    with pytest.raises(ComputationInterrupted):
        source.frame(0)
    assert painted == [512]
