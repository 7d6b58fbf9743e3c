"""Calibrations: what they say of depth, and the files they come from."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.calibration_files import read_calibration
from wheatstone.viewer.io.cameras.formats.detection import CalibrationChoices
from wheatstone.viewer.io.cameras.formats.rectified import COLOUR_CAMERAS
from wheatstone.viewer.io.scenes.raycast import open_eye, trace
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stereo import calibration, focal_length

CALIB = """cam0=[1000 0 320.5; 0 1000 240.25; 0 0 1]
cam1=[1000 0 330.5; 0 1000 240.25; 0 0 1]
doffs=10
baseline=200
width=640
height=480
ndisp=64
"""


def known(path: Path, cameras: tuple[int, int] = COLOUR_CAMERAS) -> Calibration:
    of_frame = read_calibration(path, cameras=cameras).calibration
    assert of_frame
    return of_frame


def test_depth_is_baseline_times_focal_length_over_disparity_and_offset() -> None:
    pair = Calibration(1000.0, 0.2, (320.5, 240.25), 10.0)
    assert pair.depth(30.0) == 5.0
    assert pair.point(420.5, 140.25, 30.0) == (0.5, -0.5, 5.0)


def test_nothing_lies_at_infinity_or_beyond() -> None:
    pair = Calibration(1000.0, 0.2, (0.0, 0.0), 10.0)
    assert pair.depth(-10.0) is None and pair.point(1, 1, -11.0) is None
    assert pair.depth(0.0) == 20.0


def test_middleburys_file_counts_in_millimetres(tmp_path: Path) -> None:
    path = tmp_path / "calib.txt"
    path.write_text(CALIB)
    assert known(path) == Calibration(1000.0, 0.2, (320.5, 240.25), 10.0)


def test_opencvs_matrix_gives_the_depths_that_opencv_computes(tmp_path: Path) -> None:
    pose = cv2.stereoRectify(
        np.array([[500.0, 0, 300], [0, 500, 200], [0, 0, 1]]),
        np.zeros((1, 5)),
        np.array([[500.0, 0, 340], [0, 500, 200], [0, 0, 1]]),
        np.zeros((1, 5)),
        (640, 480),
        np.eye(3),
        np.array([[-0.12], [0.0], [0.0]]),
        flags=0,
    )
    path = tmp_path / "stereo.yml"
    file = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    file.write("Q", pose[4])
    file.release()
    result = known(path)
    point = cv2.perspectiveTransform(np.array([[[123.0, 45.0, 20.0]]]), pose[4])[0, 0]
    assert result.baseline == pytest.approx(0.12)
    assert result.point(123.0, 45.0, 20.0) == pytest.approx(tuple(point))


KITTI = "\n".join(
    f"{{}}{camera}: 700 0 {600 + camera} {-700 * place} 0 700 170 0.2 0 0 1 0.003"
    for camera, place in ((0, 0.0), (1, 0.5), (2, -0.25), (3, 0.15))
)


@pytest.mark.parametrize("name", ["P", "P_rect_0"])
def test_kittis_projections_give_focal_length_and_baseline(tmp_path: Path, name: str) -> None:
    path = tmp_path / "000007.txt"
    path.write_text("calib_time: 09-Jan-2012 13:57:47\n" + KITTI.replace("{}", name) + "\n")
    grey, colour = known(path, (0, 1)), known(path)
    assert grey == Calibration(700.0, 0.5, (600.0, 170.0), 1.0)
    assert colour.principal == (602.0, 170.0) and colour.offset == 1.0
    assert colour.baseline == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("file", "left", "right", "baseline"),
    [
        ("calib/000007.txt", "image_0", "image_1", 0.5),
        ("calib/000007.txt", "colored_0", "colored_1", 0.4),
        ("calib_cam_to_cam/000007.txt", "image_2", "image_3", 0.4),
        ("calib.txt", "image_0", "image_1", 0.5),
        ("calib.txt", "image_00", "image_01", 0.5),
        ("calib.txt", "image_02", "image_03", 0.4),
    ],
)
def test_kittis_files_are_found_beside_its_images(
    tmp_path: Path, file: str, left: str, right: str, baseline: float
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(KITTI.replace("{}", "P"))
    for view in (left, right):
        (tmp_path / view).mkdir()
        cv2.imwrite(str(tmp_path / view / "000007_10.png"), np.zeros((340, 1200), np.uint8))
    pair = (str(tmp_path / view / "000007_10.png") for view in (left, right))
    of_frame = open_source(SourceSpec(*pair)).frame(0).calibration
    assert of_frame is not None and of_frame.baseline == pytest.approx(baseline)


def test_two_cameras_of_any_number_are_a_pair(tmp_path: Path) -> None:
    path = tmp_path / "calib.txt"
    path.write_text(
        "P_rect_101: 1000 0 500 0 0 1000 300 0 0 0 1 0\n"
        "P_rect_103: 1000 0 500 -540 0 1000 300 0 0 0 1 0\n"
    )
    assert known(path) == Calibration(1000.0, 0.54, (500.0, 300.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "no name in it"),
        ("%YAML:1.0\n---\nA: 3\n", "no name in it"),
        (CALIB.replace("baseline=200", ""), "baseline is missing"),
        (CALIB.replace("=200", "=0"), "must be positive"),
        ("cam0=[1 0; 0 1]\nbaseline=3\n", "cam0 must have 9 numbers"),
        ("P0: 700 0 600 0 0 700 170 0 0 0 1 0\n", "projection matrices of two cameras"),
        ("P0: 700 0\nP1: 700 0\n", "P0 must have 12 numbers"),
    ],
)
def test_a_file_without_calibration_is_refused_by_name(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "calib.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"calib\.txt: no calibration \(.*{message}"):
        read_calibration(path)


def test_a_scenes_points_lie_where_its_rays_meet_surfaces() -> None:
    scene, (width, height) = Scene("corridor", 0, (160, 120)), (160, 120)
    frame, stage = scene.render(3), scene.stage(3)
    pair = calibration(width, height)
    assert frame.truth is not None and frame.calibration == pair
    for row, column in ((10, 20), (60, 80), (110, 150)):
        across = (column + 0.5 - width / 2) / focal_length(width, height)
        down = (row + 0.5 - height / 2) / focal_length(width, height)
        rays = np.array([[across]], np.float32), np.array([[down]], np.float32)
        depth = 1 / float(trace(open_eye(stage, stage.camera), *rays)[0][0, 0])
        place = pair.point(column, row, float(frame.truth[row, column]))
        assert place == pytest.approx((across * depth, down * depth, depth), rel=1e-4, abs=1e-4)


def test_a_pair_takes_the_calibration_beside_it_by_default(tmp_path: Path) -> None:
    pixels = np.zeros((48, 64), np.uint8)  # a tenth of the size that the calibration is for
    for name in ("im0.png", "im1.png"):
        cv2.imwrite(str(tmp_path / name), pixels)
    other = tmp_path / "other.txt"
    other.write_text(CALIB.replace("baseline=200", "baseline=400"))
    pair = str(tmp_path / "im0.png"), str(tmp_path / "im1.png")
    assert open_source(SourceSpec(*pair)).frame(0).calibration is None
    (tmp_path / "calib.txt").write_text(CALIB)
    for source in (open_source(SourceSpec(*pair)), open_source(SourceSpec(str(tmp_path)))):
        of_frame = source.frame(0).calibration
        assert of_frame and of_frame.baseline == 0.2 and "calibration" not in source.spec.to_dict()
        source.close()
    given = str(other)
    for source in (
        open_source(SourceSpec(*pair, calibration=given)),
        open_source(SourceSpec(str(tmp_path), calibration=given)),
    ):
        of_frame = source.frame(0).calibration
        assert of_frame and of_frame.baseline == 0.4
        assert source.spec.calibration == str(other)
        source.close()


def test_a_calibration_in_the_folder_above_counts_however_the_path_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    views = tmp_path / "views"
    views.mkdir()
    (tmp_path / "calib.txt").write_text(CALIB)
    for name in ("im0.png", "im1.png"):
        cv2.imwrite(str(views / name), np.zeros((48, 64), np.uint8))
    monkeypatch.chdir(views)
    for folder in (Path(), Path("../views"), views):
        source = open_source(SourceSpec(str(folder / "im0.png"), str(folder / "im1.png")))
        calibration = source.frame(0).calibration
        assert calibration and calibration.baseline == 0.2
        source.close()


def test_a_scene_takes_no_calibration_of_a_rectified_pair(tmp_path: Path) -> None:
    (tmp_path / "calib.txt").write_text(CALIB)
    given = str(tmp_path / "calib.txt")
    with pytest.raises(ValueError, match="the built-in scene knows its calibration"):
        open_source(SourceSpec(calibration=given))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CALIB.replace("1000 0 320.5", "1e200 0 1e999"), r"1e999 is too large \(line 1\)"),
        ("%YAML:1.0\n---\nQ: !!opencv-matrix\n  rows: 9\n", r"lacks cols, dt, data \(line 3\)"),
        (CALIB + "baseline=300\n", r"baseline stands there twice \(line 8\)"),
    ],
)
def test_a_damaged_calibration_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "calib.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"calib\.txt: .*{message}"):
        read_calibration(path)


@pytest.mark.parametrize(
    "text",
    [
        "P0: 1e-300 0 0 0 0 1 0 0 0 0 1 0\nP1: 1e-300 0 0 -1e300 0 1 0 0 0 0 1 0\n",
        CALIB.replace("=200", "=1e308"),
        CALIB.replace("320.5", "-1e300"),
    ],
)
def test_numbers_that_overflow_are_no_calibration(tmp_path: Path, text: str) -> None:
    path = tmp_path / "calib.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"no camera has numbers beyond 1e\+12"):
        read_calibration(path)


def test_a_damaged_calibration_beside_a_pair_is_left_out_with_a_note(tmp_path: Path) -> None:
    for name in ("im0.png", "im1.png"):
        cv2.imwrite(str(tmp_path / name), np.zeros((8, 9), np.uint8))
    path = tmp_path / "calib.txt"
    path.write_text("cam0=[1 0\n")
    pair = str(tmp_path / "im0.png"), str(tmp_path / "im1.png")
    message = "calib.txt: ignored, the bracket of cam0 is never closed (line 1)"
    for source in (open_source(SourceSpec(*pair)), open_source(SourceSpec(str(tmp_path)))):
        assert source.notes == (message,) and source.frame(0).calibration is None
        source.close()
    for words in (pair, (str(tmp_path), None)):
        with pytest.raises(ValueError, match=r"calib\.txt: the bracket"):
            open_source(SourceSpec(*words, calibration=str(path)))


def test_kittis_raw_grey_images_have_the_projections_of_the_grey_cameras(tmp_path: Path) -> None:
    path = tmp_path / "calib_cam_to_cam.txt"
    path.write_text(KITTI.replace("{}", "P_rect_0"))
    files = []
    for view in ("image_00", "image_01"):
        (tmp_path / view / "data").mkdir(parents=True)
        files.append(str(tmp_path / view / "data" / "0000000000.png"))
        cv2.imwrite(files[-1], np.zeros((8, 9), np.uint8))
    source = open_source(SourceSpec(*files, calibration=str(path)))
    of_frame = source.frame(0).calibration
    assert of_frame and of_frame.baseline == 0.5 and "cameras" not in source.notes[0]
    source = open_source(SourceSpec(*files, calibration=str(path), cameras="2,3"))
    of_frame = source.frame(0).calibration
    assert of_frame and of_frame.baseline == pytest.approx(0.4)


def test_cameras_that_nobody_chose_are_named(tmp_path: Path) -> None:
    path = tmp_path / "calib_cam_to_cam.txt"
    path.write_text(KITTI.replace("{}", "P_rect_0"))
    assert read_calibration(path).remark.startswith("cameras 2 and 3 of 4 ")
    chosen = read_calibration(path, choices=CalibrationChoices(cameras=(0, 1)))
    assert chosen.calibration and chosen.calibration.baseline == 0.5 and not chosen.remark
    with pytest.raises(ValueError, match=r"camera 7 is not in the file \(it has 0, 1, 2, 3\)"):
        read_calibration(path, choices=CalibrationChoices(cameras=(0, 7)))


def test_a_projection_that_contradicts_t_gives_way_and_it_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "calib.txt"
    path.write_text(
        "T_101: 0 0 0\nP_rect_101: 200 0 128 0 0 200 48 0 0 0 1 0\n"
        "T_103: -0.25 0 0\nP_rect_103: 200 0 128 -100 0 200 48 0 0 0 1 0\n"
    )
    known = read_calibration(path)
    assert known.calibration == Calibration(200.0, 0.25, (128.0, 48.0))
    assert known.remark == (
        "baseline 0.5 m by P_rect_101 and P_rect_103, but 0.25 m by T_101 and T_103: T is used"
    )
    for name in ("im0.png", "im1.png"):
        cv2.imwrite(str(tmp_path / name), np.zeros((96, 256), np.uint8))
    source = open_source(SourceSpec(str(tmp_path / "im0.png"), str(tmp_path / "im1.png")))
    assert any("T is used" in note for note in source.notes)


def test_places_of_turned_cameras_agree_with_their_projections(tmp_path: Path) -> None:
    turn = cv2.Rodrigues(np.array([0.0, 0.3, 0.0]))[0]
    along = -turn @ np.array([0.5, 0, 0])
    lines = [
        "R_00: 1 0 0 0 1 0 0 0 1",
        "T_00: 0 0 0",
        "R_01: " + " ".join(map(str, turn.ravel())),
        "T_01: " + " ".join(map(str, along)),
        "P_rect_00: 700 0 600 0 0 700 170 0 0 0 1 0",
        "P_rect_01: 700 0 600 -350 0 700 170 0 0 0 1 0",
    ]
    (tmp_path / "calib.txt").write_text("\n".join(lines))
    known = read_calibration(tmp_path / "calib.txt")
    assert known.calibration and known.calibration.baseline == 0.5 and not known.remark


def test_without_doffs_the_offset_is_that_of_both_cameras(tmp_path: Path) -> None:
    (tmp_path / "calib.txt").write_text(CALIB.replace("doffs=10\n", ""))
    assert known(tmp_path / "calib.txt").offset == 10


@pytest.mark.parametrize(("text", "baseline"), [("mm", 0.2), ("cm", 2.0), ("m", 200.0)])
def test_a_line_names_the_unit_of_a_calib_txt(tmp_path: Path, text: str, baseline: float) -> None:
    (tmp_path / "calib.txt").write_text(f"{CALIB}unit={text}\n")
    assert known(tmp_path / "calib.txt").baseline == pytest.approx(baseline)
