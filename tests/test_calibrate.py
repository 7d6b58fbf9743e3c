"""Calibrating: a made rig is found again, bad views are dropped and named, rows are judged."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.board_scenes import (
    Flaws,
    Pose,
    camera,
    flawed,
    hard_poses,
    made_rig,
    poses,
    seen,
    turn,
    varied_rig,
)
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.cameras.board_corners import Corners
from wheatstone.viewer.io.cameras.board_views import BoardView, coverage, find_boards
from wheatstone.viewer.io.cameras.boards import Board, board_of
from wheatstone.viewer.io.cameras.bundle_adjustment import project_points
from wheatstone.viewer.io.cameras.calibrating import Calibrator, outlier_bound
from wheatstone.viewer.io.cameras.rig import Camera, Model, Rig
from wheatstone.viewer.io.cameras.stereo_calibration import RowErrors, StereoCalibration
from wheatstone.viewer.io.sources.folder import FolderSource
from wheatstone.viewer.io.sources.source_spec import SourceSpec

BOARD = board_of("charuco:11x8", 0.03, 0.022, "5x5_100")
CHESS = board_of("chess:9x6", 0.025, None, "")
WORDS = ["--board", "charuco:11x8", "--square", "30mm"]  # 22 mm is what a marker has unless told
RIG = made_rig()
Grey = NDArray[np.uint8]
Pair = tuple[str, Grey, Grey]


def pairs(rig: Rig, board: Board, count: int, away: float = 1.0) -> list[Pair]:
    """Pairs that show a board, so many times as far away as ``poses`` has it."""
    far = np.array([1.0, 1.0, away])
    at = [(rotation, middle * far) for rotation, middle in poses(count, seed=6)]
    return [(f"view{number}", *seen(rig, board, pose)) for number, pose in enumerate(at)]


@pytest.fixture(scope="module")
def shown() -> list[Pair]:
    """Eight pairs of the made rig that show the board."""
    return pairs(RIG, BOARD, 8)


@pytest.fixture(scope="module")
def moved() -> Pair:
    """A pair whose right image was taken when the board was 3 mm lower."""
    rotation, middle = poses(8, seed=6)[4]
    left, _ = seen(RIG, BOARD, (rotation, middle))
    _, right = seen(RIG, BOARD, (rotation, middle + np.array([0, 0.003, 0])))
    return "moved", left, right


@pytest.fixture(scope="module")
def boards(shown: list[Pair]) -> list[BoardView]:
    return list(find_boards(BOARD, shown))


def calibrated(views: Sequence[BoardView], board: Board = BOARD) -> StereoCalibration:
    calibrator = Calibrator(board)
    for view in views:
        calibrator.take(view)
    return calibrator.result()


def write(folder: Path, shown: Sequence[Pair]) -> Path:
    folder.mkdir()
    for name, left, right in shown:
        Image.fromarray(left).save(folder / f"left-{name}.png")
        Image.fromarray(right).save(folder / f"right-{name}.png")
    return folder


def test_a_rig_is_found_again_by_its_views(boards: list[BoardView]) -> None:
    result = calibrated(boards)
    assert result.rig.baseline == pytest.approx(0.065, rel=0.002)
    for text, true in zip(result.rig.cameras, RIG.cameras, strict=True):
        assert text.focal == pytest.approx(true.focal, rel=0.005)
        assert text.matrix[:2, 2] == pytest.approx(true.matrix[:2, 2], abs=1.5)
    assert result.rig.rotation == pytest.approx(RIG.rotation, abs=2e-3)
    assert result.rig.angle == pytest.approx(RIG.angle, abs=0.1)
    assert result.rig.size == (640, 360) and result.rig.unit == "m"
    assert result.rows.median < 0.1 and result.rows.p95 < 0.3 and not result.rows.why_bad
    assert len(result.used) == 8 and not result.dropped and not result.skipped
    assert 0 < result.rms.stereo < 0.15
    for spread, true in zip(result.spreads, RIG.cameras, strict=True):
        assert 0 < spread < 0.005 * true.focal


def test_a_view_after_the_other_gives_the_same_as_all_at_once(
    shown: list[Pair], boards: list[BoardView]
) -> None:
    calibrator = Calibrator(BOARD)
    for pair, known in zip(shown[:4], boards, strict=False):
        view = calibrator.add(*pair)
        assert np.array_equal(view.left.places, known.left.places)
    at_once = calibrated(boards[:4])
    result = calibrator.result()
    assert result.rig.left.matrix == pytest.approx(at_once.rig.left.matrix, rel=1e-7)
    assert vars(result.rows) == pytest.approx(vars(at_once.rows), abs=1e-4)
    calibrator.take(boards[4])
    assert len(calibrator.result().used) == 5


def test_a_view_whose_images_are_of_two_moments_is_dropped(
    boards: list[BoardView], moved: Pair
) -> None:
    bad = next(find_boards(BOARD, [moved]))
    result = calibrated([*boards[:5], bad, *boards[5:]])
    assert [one.view.name for one in result.dropped] == ["moved"]
    assert [one.view.name for one in result.views].index("moved") == 5
    worst = result.dropped[0].errors
    assert worst.stereo > 0.5 and worst.left < 0.2 and worst.right < 0.2  # each alone is sharp
    assert result.rig.baseline == pytest.approx(0.065, rel=0.002)
    assert np.abs(result.rig.rotation - calibrated(boards).rig.rotation).max() < 1e-7


def test_without_views_to_spare_none_is_dropped(boards: list[BoardView], moved: Pair) -> None:
    result = calibrated([*boards[:3], next(find_boards(BOARD, [moved]))])
    assert len(result.used) == 4


def test_an_outlier_is_judged_by_the_median() -> None:
    assert outlier_bound([0.2, 0.3, 9.0]) == pytest.approx(0.75)
    assert outlier_bound([0.01, 0.02, 9.0]) == 0.3


def test_rows_are_good_up_to_half_a_pixel() -> None:
    assert RowErrors(0.5, 0.5, 2.0, 9.0).why_bad == ""
    assert RowErrors(0.6, 0.4, 1.0, 1.0).why_bad.endswith("by more than 0.5 px: mean 0.60 px")
    assert "median 0.70 px and mean 0.80 px" in RowErrors(0.8, 0.7, 1.0, 1.0).why_bad


def test_rows_that_no_rig_explains_are_bad(boards: list[BoardView]) -> None:
    """Every second right image lies 4 pixels lower: no rig brings the rows closer than 2."""
    views = [
        replace(
            v, right=Corners(v.right.ids, v.right.places + np.array([0, 4 * (n % 2)], np.float32))
        )
        for n, v in enumerate(boards)
    ]
    result = calibrated(views)
    assert result.rows.median > 1 and result.rows.mean > 1
    assert "median" in result.rows.why_bad


def test_views_that_do_not_count_are_named(boards: list[BoardView]) -> None:
    few = replace(boards[5], name="few", left=Corners(np.arange(5), np.zeros((5, 2), np.float32)))
    result = calibrated([*boards[:5], few, replace(boards[6], name="large", size=(1280, 720))])
    assert [name for name, _ in result.skipped] == ["few", "large"]
    assert "corners are in both images; 12 are needed" in result.skipped[0][1]
    assert result.skipped[1][1] == "it is 1280x720, those before 640x360"
    with pytest.raises(ValueError, match=r"at least 4 views of the board are needed \(found 3\)"):
        calibrated([*boards[:3], few])
    with pytest.raises(ValueError, match="charuco:11x8: found in no view; check its kind"):
        calibrated([few])


def test_views_given_the_wrong_way_round_are_refused(boards: list[BoardView]) -> None:
    swapped = [replace(view, left=view.right, right=view.left) for view in boards]
    with pytest.raises(ValueError, match="the right camera lies to the left of the left one"):
        calibrated(swapped)


def test_cameras_above_each_other_are_refused(boards: list[BoardView]) -> None:
    def turned(corners: Corners) -> Corners:
        x, y = corners.places.T
        return Corners(corners.ids, np.stack([359 - y, x], axis=1))

    views = [
        replace(view, left=turned(view.left), right=turned(view.right), size=(360, 640))
        for view in boards
    ]
    with pytest.raises(ValueError, match="the cameras stand above each other"):
        calibrated(views)


@pytest.mark.parametrize("model", ["plumb-bob", "fisheye"])
def test_a_board_that_was_never_tilted_tells_no_focal_length(
    boards: list[BoardView], model: Model
) -> None:
    calibrator = Calibrator(BOARD, model)
    for _ in range(5):
        calibrator.take(boards[2])
    with pytest.raises(ValueError, match=r"the board lies alike in all views, within 0\.0 degrees"):
        calibrator.result()


def test_corners_that_fit_no_camera_are_refused() -> None:
    straight = np.stack([np.arange(12), np.zeros(12)], axis=1).astype(np.float32)
    line = Corners(np.arange(12), 20 * straight)
    with pytest.raises(ValueError, match="no plumb-bob camera fits the views; tilt the board"):
        calibrated([BoardView(f"{n}", line, line, (640, 360)) for n in range(4)])


def test_a_chessboard_will_do() -> None:
    result = calibrated(list(find_boards(CHESS, pairs(RIG, CHESS, 6, away=1.1))), CHESS)
    assert len(result.used) == 6
    assert result.rig.baseline == pytest.approx(0.065, rel=0.01)
    assert result.rig.left.focal == pytest.approx(RIG.left.focal, rel=0.01)
    assert result.rows.median < 0.2


def by_opencv(views: Sequence[BoardView], board: Board) -> tuple[float, Rig]:
    """OpenCV's joint calibration by the corners in both images: its RMS error, and the rig."""
    import cv2

    points = [board.points[view.common] for view in views]
    left = [view.left.of(view.common) for view in views]
    right = [view.right.of(view.common) for view in views]
    cameras = []
    for side in (left, right):
        _, matrix, distortion, *_ = cv2.calibrateCamera(points, side, views[0].size, None, None)
        cameras += [matrix, distortion]
    calibrate: Any = cv2.stereoCalibrate  # its types ask for single arguments
    rms, k1, d1, k2, d2, turned, moved, *_ = calibrate(
        points,
        left,
        right,
        *cameras,
        views[0].size,
        flags=cv2.CALIB_USE_INTRINSIC_GUESS,
        criteria=(3, 200, 1e-12),
    )
    one, other = Camera(k1, tuple(d1.ravel())), Camera(k2, tuple(d2.ravel()))
    return rms, Rig(one, other, np.asarray(turned), np.asarray(moved).ravel(), views[0].size)


def projected(
    rig: Rig, at_poses: Sequence[Pose], seed: int, noise: float = 0.1, wrong: float = 0.0
) -> list[BoardView]:
    """Views of a chessboard whose corners have normal noise; a share of them is 1 px off."""
    random, views = np.random.default_rng(seed), []
    assert rig.size
    for index, (rotation, middle) in enumerate(at_poses):
        at = middle - rotation @ np.array([*CHESS.size, 0.0]) / 2
        there = rig.rotation @ rotation, rig.rotation @ at + rig.translation
        sides = []
        for one, (turned, moved) in zip(rig.cameras, ((rotation, at), there), strict=True):
            true = project_points(one, CHESS.points @ turned.T + moved)[0]
            off = random.normal(0, noise, true.shape)
            off += random.normal(0, 1, true.shape) * (random.uniform(size=(len(true), 1)) < wrong)
            sides.append(Corners(np.arange(len(true)), (true + off).astype(np.float32)))
        views.append(BoardView(f"{index}", sides[0], sides[1], rig.size))
    return views


def test_without_wrong_corners_the_rig_is_that_of_opencv() -> None:
    """Corners with normal noise: the minimum of the squared errors is the best estimate."""
    views = projected(RIG, poses(12, seed=8), seed=3)
    result, (rms, rig) = calibrated(views, CHESS), by_opencv(views, CHESS)
    assert result.rms.stereo == pytest.approx(rms, rel=0.01)
    for ours, other in zip(result.rig.cameras, rig.cameras, strict=True):
        assert ours.matrix == pytest.approx(other.matrix, abs=0.15)
    assert result.rig.baseline == pytest.approx(rig.baseline, rel=5e-4)
    known = result.deviations
    off = abs(result.rig.baseline - RIG.baseline), abs(result.rig.left.focal - RIG.left.focal)
    assert off[0] < 4 * known.baseline and off[1] < 4 * known.left.mean_focal


@pytest.mark.parametrize(("wrong", "share"), [(0.0, 1.03), (0.05, 0.7)])
def test_rigs_are_as_good_as_those_of_opencv_or_better(wrong: float, share: float) -> None:
    """The errors over six rigs: nearly the same without wrong corners, smaller with some."""
    errors = []
    for seed in range(6):
        true = varied_rig(seed)
        views = projected(true, hard_poses(14, seed, Flaws()), seed, wrong=wrong)
        boards = calibrated(views, CHESS).rig, by_opencv(views, CHESS)[1]
        errors.append([_errors(rig, true) for rig in boards])
    ours, opencv = np.sqrt(np.mean(np.square(errors), axis=0))
    assert (ours <= share * opencv).all(), (ours, opencv)


def _errors(rig: Rig, true: Rig) -> tuple[float, float, float]:
    """The errors of baseline and focal length as shares, and of the rotation in radians."""
    turned = (np.trace(rig.rotation @ true.rotation.T) - 1) / 2
    focal = rig.left.focal / true.left.focal - 1
    return rig.baseline / true.baseline - 1, focal, float(np.arccos(np.clip(turned, -1, 1)))


@pytest.mark.parametrize("seed", [2, 9])
def test_lenses_of_180_degrees_are_calibrated(seed: int) -> None:
    """OpenCV alone gets some poses wrong where corners are so far from the middle of the image."""
    matrix = camera(227.0, 472.0, 307.0).matrix
    lens = Camera(matrix, (0.014, 0.001, 0.0, -0.002), "fisheye")
    rig = replace(RIG, left=lens, right=lens, size=(960, 600))
    wide = [
        (turn(0, across, 0.1), np.array([across / 2, down, 0.12]))
        for across in (-0.7, -0.2, 0.3, 0.7)
        for down in (-0.1, 0.0, 0.1)
    ]
    calibrator = Calibrator(CHESS, "fisheye")
    for view in projected(rig, wide, seed=seed):
        calibrator.take(view)
    result = calibrator.result()
    assert not result.dropped
    assert result.rig.baseline == pytest.approx(RIG.baseline, rel=0.01)
    assert result.rig.left.focal == pytest.approx(227, rel=0.01)


def test_a_corner_far_off_hardly_changes_the_rig(boards: list[BoardView]) -> None:
    wrong = boards[3].left.places.copy()
    wrong[10] += (12.0, -8.0)
    bad = replace(boards[3], left=Corners(boards[3].left.ids, wrong))
    views, known = [*boards[:3], bad, *boards[4:]], calibrated(boards)
    observed = calibrated([replace(view, name="kept") for view in views])
    assert observed.rig.baseline == pytest.approx(known.rig.baseline, rel=1e-3)
    assert observed.rig.left.focal == pytest.approx(known.rig.left.focal, rel=2e-3)


def test_boards_in_bad_light_blurred_and_foreshortened_make_a_good_rig() -> None:
    seed, flaws = 9, Flaws()
    true = varied_rig(seed)
    shots = [seen(true, BOARD, pose) for pose in hard_poses(12, seed + 100, flaws)]
    flawed_pairs = [
        (
            f"{n}",
            flawed(left, flaws, seed * 1000 + 2 * n),
            flawed(right, flaws, seed * 1000 + 2 * n + 1),
        )
        for n, (left, right) in enumerate(shots)
    ]
    views = [view for view in find_boards(BOARD, flawed_pairs) if not view.why]
    assert len(views) >= 9
    result = calibrated(views)
    assert result.rig.baseline == pytest.approx(true.baseline, rel=2e-3)
    assert result.rig.left.focal == pytest.approx(true.left.focal, rel=2e-3)
    assert result.rows.median < 0.25


def test_fisheye_lenses_are_found_again() -> None:
    lens = (-0.02, 0.004, -0.002, 0.0005)
    left = Camera(camera(300.0, 320.2, 178.3).matrix, lens, "fisheye")
    right = Camera(camera(303.0, 316.0, 180.8).matrix, lens, "fisheye")
    rig = replace(RIG, left=left, right=right)
    views = list(find_boards(BOARD, pairs(rig, BOARD, 8, away=0.7)))
    calibrator = Calibrator(BOARD, "fisheye")
    for view in views:
        calibrator.take(view)
    result = calibrator.result()
    assert result.rig.baseline == pytest.approx(0.065, rel=0.005)
    for one, true in zip(result.rig.cameras, (left, right), strict=True):
        assert one.focal == pytest.approx(true.focal, rel=0.005) and one.model == "fisheye"
        assert len(one.distortion) == 4
    assert result.rows.median < 0.2
    for spread, true in zip(result.spreads, (left, right), strict=True):
        assert 0 < spread < 0.005 * true.focal
    assert len(result.deviations.left.distortion) == 4


def test_the_rational_model_has_eight_coefficients(boards: list[BoardView]) -> None:
    calibrator = Calibrator(BOARD, "rational")
    for view in boards:
        calibrator.take(view)
    result = calibrator.result()
    assert len(result.rig.left.distortion) == 8
    assert result.rig.baseline == pytest.approx(0.065, rel=0.005) and result.rows.median < 0.1


def test_coverage_counts_corners_by_cells_and_names_what_is_bare() -> None:
    places = np.array([[-0.5, -0.5], [79.4, 59.4], [79.6, 0], [639.4, 359.4]], np.float32)
    boards = coverage([places, places[:1]], (640, 360))
    assert boards.counts.shape == (6, 8) and boards.counts.sum() == 5
    assert boards.counts[0, :2].tolist() == [3, 1] and boards.counts[5, 7] == 1
    assert (boards.covered, boards.cells) == (3, 48)
    assert len(boards.bare) == 9 and boards.bare[0] == "top left" and boards.bare[4] == "middle"
    everywhere = np.stack(np.meshgrid(np.arange(0, 400, 20), np.arange(0, 360, 20)), -1)
    assert coverage([everywhere.reshape(-1, 2).astype(np.float32)], (640, 360)).bare == (
        *("top right", "right", "bottom right"),
    )


def test_the_verb_writes_the_rig_and_what_it_is_worth(
    shown: list[Pair], moved: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blank = np.full((360, 640), 90, np.uint8)
    folder = write(tmp_path / "pairs", [*shown, moved, ("nothing", blank, blank)])
    out, document, picture = (tmp_path / name for name in ("rig.toml", "rig.json", "rig.png"))
    files = ["--out", str(out), "--json", str(document), "--picture", str(picture)]
    assert main(["calibrate", str(folder), *WORDS, *files]) == 0
    captured = capsys.readouterr()
    assert "left-moved.png" in captured.out and "DROPPED" in captured.out
    assert "left-nothing.png no board found in either image" in captured.out
    assert "[10/10] left-view7.png" in captured.err
    rig = tomllib.loads(out.read_text())
    assert rig["rig"] == {"size": [640, 360], "unit": "m"}
    assert rig["left"]["model"] == "plumb-bob" and len(rig["left"]["distortion"]) == 5
    assert rig["right"]["matrix"][2] == [0.0, 0.0, 1.0]
    assert np.linalg.norm(rig["stereo"]["translation"]) == pytest.approx(0.065, rel=0.002)
    assert np.linalg.det(rig["stereo"]["rotation"]) == pytest.approx(1)
    assert rig["calibration"]["board"] == "charuco:11x8" and rig["calibration"]["views"] == 8
    deviations = rig["calibration"]["deviations"]
    assert 0 < deviations["baseline"] < 3e-4 and len(deviations["rotation"]) == 3
    assert len(deviations["left_distortion"]) == 5 and 0 < deviations["left_focal"][0] < 5
    assert rig["calibration"]["views_dropped"] == 1
    assert (
        "Baseline 65." in captured.out
        and "Standard deviations (+-): principal point" in captured.out
    )
    content = json.loads(document.read_text())
    assert content["schema"] == "wheatstone-calibrate"
    assert content["stereo"] == rig["stereo"] and content["calibration"] == rig["calibration"]
    assert [one["view"] for one in content["views"] if one["dropped"]] == ["left-moved.png"]
    assert content["left_out"] == [
        {"view": "left-nothing.png", "why": "no board found in either image"}
    ]
    assert sum(map(sum, content["coverage"]["left"])) == sum(
        one["corners"]["left"] for one in content["views"] if not one["dropped"]
    )
    with Image.open(picture) as drawn:
        assert drawn.size[0] == 1600
        colors = {color for _, color in drawn.getcolors(1 << 20) or []}
        assert (255, 110, 100) in colors  # the bar's value of the view that was dropped


def test_bad_rows_end_in_exit_code_1(
    shown: list[Pair], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shaken = [
        (name, left, np.roll(right, 8 * (n % 2), axis=0))
        for n, (name, left, right) in enumerate(shown[:4])
    ]
    folder, out = write(tmp_path / "pairs", shaken), tmp_path / "rig.toml"
    assert main(["calibrate", str(folder), *WORDS, "--out", str(out)]) == 1
    assert "rows are off by more than 0.5 px: median" in capsys.readouterr().err
    assert tomllib.loads(out.read_text())["calibration"]["rows_median"] > 0.5


@pytest.mark.parametrize(
    "words, complaint",
    [
        ([*WORDS, "--out", "rig.toml"], "--out, --json and --picture need a folder of pairs"),
        (WORDS, "give a folder of pairs that show the board, or --print"),
        (["absent", *WORDS, "--out", "rig.toml"], "absent: no such file or folder"),
        (["notes", *WORDS, "--out", "rig.toml"], "no stereo pair; expected"),
        (["blank", *WORDS, "--out", "rig.toml"], "charuco:11x8: found in no view; check its"),
        (["blank/left1.png", *WORDS, "--out", "r.toml"], "single image; pairs are needed"),
        (["blank", *WORDS], "--out is missing"),
        (["blank", *WORDS, "--out", "rig.yml"], "--out is a .toml file"),
        (["blank", *WORDS, "--out", "no/rig.toml"], "the folder no does not exist"),
        (["blank", "--board", "circles:4x5", *WORDS[2:], "--out", "r.toml"], "a board is charuco"),
    ],
)
def test_bad_input_ends_in_one_line_and_exit_code_2(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes").mkdir()
    Path("notes/left.txt").write_text("no picture")
    Path("blank").mkdir()
    for name in ("left1", "right1", "left2", "right2"):
        Image.fromarray(np.full((48, 64), 90, np.uint8)).save(f"blank/{name}.png")
    assert main(["calibrate", *words]) == 2
    assert complaint in capsys.readouterr().err.splitlines()[-1]
    assert not list(Path().glob("*.toml"))


def test_what_cannot_be_read_is_left_out(
    shown: list[Pair], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "pairs", shown[:5])
    (folder / "left-view2.png").write_bytes(b"no picture")
    assert main(["calibrate", str(folder), *WORDS, "--out", str(tmp_path / "rig.toml")]) == 0
    captured = capsys.readouterr()
    assert "skipped: 1" in captured.out and "left-view2.png" in captured.out
    assert tomllib.loads((tmp_path / "rig.toml").read_text())["calibration"]["views"] == 4


def test_a_frame_is_named_by_as_many_folders_as_it_takes(tmp_path: Path) -> None:
    grey = Image.fromarray(np.zeros((20, 30), np.uint8))
    for name in ("left/a.png", "right/a.png", "many/x/im0.png", "many/x/im1.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        grey.save(tmp_path / name)
    (tmp_path / "many/y").mkdir()
    for name in ("im0", "im1"):
        grey.save(tmp_path / f"many/y/{name}.png")
    assert FolderSource(SourceSpec(str(tmp_path))).frame_name(0) == "a.png"
    many = FolderSource(SourceSpec(str(tmp_path / "many")))
    assert [many.frame_name(index) for index in range(2)] == ["x/im0.png", "y/im0.png"]
