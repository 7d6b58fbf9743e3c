"""Rigs are read from the files of OpenCV, ROS, Kalibr, ZED and our own; bad ones are refused."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.rigs import DISTORTION, a_rig, opencv_names, same, turned, write_opencv
from wheatstone.viewer.cameras.calibration_files import read_calibration
from wheatstone.viewer.cameras.checks import checked_rig
from wheatstone.viewer.cameras.facts import facts, summary
from wheatstone.viewer.cameras.formats.own import rig_text
from wheatstone.viewer.cameras.levelling import levelling_of, rectify_rig
from wheatstone.viewer.cameras.rig import Camera, Matrix, Model, RectifiedCameras, Rig
from wheatstone.viewer.commands.cli import main
from wheatstone.viewer.files.rigs import write_rig


def read(*files: Path, size: tuple[int, int] | None = None) -> Rig:
    rig = read_calibration(*files, size=size).rig
    assert rig
    return rig


@pytest.mark.parametrize("name", ["rig.yml", "rig.xml", "rig.json", "rig.yml.gz"])
def test_opencvs_files_give_the_numbers_that_opencv_wrote(tmp_path: Path, name: str) -> None:
    rig = a_rig()
    path = write_opencv(tmp_path / name, opencv_names(rig))
    assert same(read(path), rig)


NAMES = {
    "K1 K2 D1 D2 R T": "imageSize",
    "cameraMatrix1 cameraMatrix2 distCoeffs1 distCoeffs2 R T": "image_size",
    "KL KR DL DR R T": "size",
    "camera_matrix_left camera_matrix_right dist_left dist_right R T": "resolution",
    "left_camera_matrix right_camera_matrix left_distortion right_distortion R T": "imageSize",
    "cameraMatrixLeft cameraMatrixRight distCoeffsLeft distCoeffsRight rotation T": "img_size",
    "K0 K1 D0 D1 rotation_matrix translation_vector": "ImageSize",
    "mtx_l mtx_r dist_l dist_r Rot Trans": "size",
}


@pytest.mark.parametrize("words", NAMES)
def test_opencvs_matrices_are_known_by_many_names(tmp_path: Path, words: str) -> None:
    rig = a_rig()
    values = [opencv_names(rig)[name] for name in ("M1", "M2", "D1", "D2", "R", "T")]
    named = dict(zip(words.split(), values, strict=True)) | {NAMES[words]: (320, 240)}
    assert same(read(write_opencv(tmp_path / "rig.yml", named)), rig)


@pytest.mark.parametrize("count", [4, 5, 8, 12, 14])
def test_as_many_coefficients_as_there_are_tell_the_model(tmp_path: Path, count: int) -> None:
    named = opencv_names(a_rig()) | {f"D{n}": np.full((1, count), 0.01) for n in (1, 2)}
    found = read(write_opencv(tmp_path / "rig.yml", named))
    assert found.left.model == ("plumb-bob" if count < 8 else "rational")
    assert found.left.distortion == (0.01,) * count


@pytest.mark.parametrize(
    "said", [{"distortion_model": "fisheye"}, {"model": "equidistant"}, {"fisheye": 1}]
)
def test_a_key_says_that_lenses_are_fisheye(tmp_path: Path, said: dict[str, Any]) -> None:
    rig = a_rig("fisheye")
    assert same(read(write_opencv(tmp_path / "rig.yml", opencv_names(rig) | said)), rig)


def test_what_opencv_found_of_the_rectified_pair_is_kept(tmp_path: Path) -> None:
    rig = a_rig()
    expected = levelling_of(rig)
    sides = (*expected.rotations, *expected.projections)
    named = opencv_names(rig) | dict(zip(("R1", "R2", "P1", "P2"), sides, strict=True))
    found = read(write_opencv(tmp_path / "rig.yml", named)).levelling
    assert found
    for one, other in zip((*found.rotations, *found.projections), sides, strict=True):
        assert np.array_equal(one, other)


def test_two_files_of_opencv_belong_together(tmp_path: Path) -> None:
    rig, named = a_rig(), opencv_names(a_rig())
    inner = write_opencv(tmp_path / "in.yml", {k: v for k, v in named.items() if k not in "RT"})
    outer = write_opencv(tmp_path / "ex.yml", {k: v for k, v in named.items() if k in "RT"})
    assert same(read(inner, outer), rig)
    with pytest.raises(ValueError, match=r"in\.yml.*: no calibration \(R, T missing beside M1\)"):
        read_calibration(inner)


def test_lengths_in_millimetres_are_said_by_the_file(tmp_path: Path) -> None:
    rig = a_rig()
    named = opencv_names(rig) | {"T": rig.translation[:, None] * 1000}
    long = read_calibration(write_opencv(tmp_path / "rig.yml", named))
    assert "add unit: mm" in long.remark and "add unit: mm" in summary(long)
    assert same(read(write_opencv(tmp_path / "rig.yml", named | {"unit": "mm"})), rig)


def ros_text(rig: Rig, side: int, levelling: RectifiedCameras, *, topic: bool = False) -> str:
    """A camera_info of ROS's calibrator, or of a topic as ROS 2 prints it."""
    camera, (width, height) = rig.cameras[side], rig.size or (0, 0)
    models = {"plumb-bob": "plumb_bob", "rational": "rational_polynomial", "fisheye": "equidistant"}
    sides = {
        "camera_matrix k": camera.matrix,
        "distortion_coefficients d": camera.coefficients[None],
        "rectification_matrix r": levelling.rotations[side],
        "projection_matrix p": levelling.projections[side],
    }
    lines = [f"distortion_model: {models[camera.model]}"]
    if topic:
        lines = ["header:", "  frame_id: left", f"width: {width}", f"height: {height}", *lines]
        lines += [f"{name.split()[1]}: {matrix.ravel().tolist()}" for name, matrix in sides.items()]
        return "\n".join([*lines, "---", ""])
    lines += [f"image_width: {width}", f"image_height: {height}", "camera_name: left"]
    for name, matrix in sides.items():
        rows, columns = matrix.shape
        lines += [f"{name.split()[0]}:", f"  rows: {rows}", f"  cols: {columns}"]
        lines += [f"  data: {matrix.ravel().tolist()}"]
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("topic", [False, True])
@pytest.mark.parametrize("model", DISTORTION)
def test_ros_projections_say_where_the_cameras_stand(
    tmp_path: Path, model: Model, topic: bool
) -> None:
    rig = a_rig(model)
    levelling = levelling_of(rig)
    files = [tmp_path / "left.yaml", tmp_path / "right.yaml"]
    for side, path in enumerate(files):
        path.write_text(ros_text(rig, side, levelling, topic=topic))
    found = read(*files)
    assert same(found, rig, 1e-9)
    assert found.levelling and np.array_equal(found.levelling.projections, levelling.projections)


def test_a_ros_baseline_is_minus_tx_over_fx(tmp_path: Path) -> None:
    straight = (np.eye(3), np.eye(3))
    left = np.array([[400.0, 0, 160, 0], [0, 400, 120, 0], [0, 0, 1, 0]])
    right = left.copy()
    right[0, 3] = -48.0
    for side, name in enumerate(("left.yaml", "right.yaml")):
        text = ros_text(a_rig(), side, RectifiedCameras(straight, (left, right)))
        (tmp_path / name).write_text(text)
    found = read(tmp_path / "left.yaml", tmp_path / "right.yaml")
    assert found.translation.tolist() == [-0.12, 0, 0] and found.angle == 0


KALIBR = """cam0:
  cam_overlaps: [1]
  camera_model: pinhole
  distortion_coeffs: {d0}
  distortion_model: {model}
  intrinsics: [260.0, 261.0, 159.0, 120.0]
  resolution: [320, 240]
  rostopic: /cam0/image_raw
cam1:
  T_cn_cnm1:
{pose}
  camera_model: pinhole
  distortion_coeffs: {d0}
  distortion_model: {model}
  intrinsics: [263.0, 262.0, 162.0, 118.0]
  resolution: [320, 240]
"""


@pytest.mark.parametrize(("said", "model"), [("radtan", "plumb-bob"), ("equidistant", "fisheye")])
def test_kalibrs_chain_leads_from_the_first_camera_to_the_second(
    tmp_path: Path, said: str, model: Model
) -> None:
    coefficients = DISTORTION[model][:4]
    rig = a_rig(model)
    left, right = (replace(camera, distortion=coefficients) for camera in rig.cameras)
    pose = np.vstack([np.column_stack([rig.rotation, rig.translation]), [0.0, 0, 0, 1]])
    rows = "\n".join(f"  - {row}" for row in pose.tolist())
    path = tmp_path / "camchain.yaml"
    path.write_text(KALIBR.format(d0=list(coefficients), model=said, pose=rows))
    assert same(read(path), replace(rig, left=left, right=right))


LENS = "fx={f}\nfy={f}\ncx={cx}\ncy={cy}\n"
PLUMB_BOB = "k1=-0.17\nk2=0.02\np1=0.001\np2=-0.002\nk3=0.003\n"


def zed_text(disto: str = "") -> str:
    """What ZED cameras bring with them, of two resolutions."""
    text = "; SN 12345678\n"
    for name, f, cx, cy in (("HD", 700.0, 640.0, 360.0), ("VGA", 350.0, 335.0, 187.0)):
        for side in ("LEFT", "RIGHT"):
            lens = LENS.format(f=f, cx=cx, cy=cy)
            text += f"[{side}_CAM_{name}]\n{lens}" + ("\n" if disto else PLUMB_BOB)
    text += f"[LEFT_DISTO]\n{disto}[RIGHT_DISTO]\n{disto}" if disto else ""
    text += "[STEREO]\nBaseline = 120.0 # mm\nTY = 1.5\nTZ=-2\n"
    return text + "".join(f"RX_{n}=0.001\nCV_{n}=0.02\nRZ_{n}=-0.003\n" for n in ("HD", "VGA"))


def test_a_zed_file_is_read_at_the_resolution_of_the_images(tmp_path: Path) -> None:
    path = tmp_path / "SN12345678.conf"
    path.write_text(zed_text())
    found = read(path, size=(672, 376))
    assert found.size == (672, 376) and found.left.focal == 350 and found.left.matrix[0, 2] == 335
    assert found.left.distortion == (-0.17, 0.02, 0.001, -0.002, 0.003)
    assert np.allclose(found.translation, [-0.12, 0.0015, -0.002])
    assert np.allclose(found.rotation, cv2.Rodrigues(np.array([0.001, 0.02, -0.003]))[0])
    assert read(path).size == (1280, 720)
    assert read(path, size=(640, 360)).left.focal == 350  # half of HD
    with pytest.raises(ValueError, match=r"calibrated at 1280x720, 672x376, images are 1920x1080"):
        read_calibration(path, size=(1920, 1080))


@pytest.mark.parametrize(
    ("disto", "model", "expected"),
    [
        ("k1=1\nk2=2\np1=3\np2=4\nk3=5\nk4=6\nk5=7\nk6=8\n", "rational", (1, 2, 3, 4, 5, 6, 7, 8)),
        ("k1=1\nk2=2\nk3=3\nk4=4\n", "fisheye", (1, 2, 3, 4)),
    ],
)
def test_a_zed_lens_may_be_one_of_all_resolutions(
    tmp_path: Path, disto: str, model: Model, expected: tuple[float, ...]
) -> None:
    path = tmp_path / "SN1.conf"
    path.write_text(zed_text(disto))
    found = read(path)
    assert (found.left.model, found.right.distortion) == (model, expected)


@pytest.mark.parametrize("model", DISTORTION)
@pytest.mark.parametrize("levelled", [False, True])
def test_our_own_file_comes_back_to_the_last_digit(
    tmp_path: Path, model: Model, levelled: bool
) -> None:
    rig = replace(a_rig(model), unit="relative")
    rig = replace(rig, levelling=levelling_of(rig)) if levelled else rig
    write_rig(tmp_path / "rig.toml", rig)
    found = read(tmp_path / "rig.toml")
    assert same(found, rig, 0) and rig_text(found) == rig_text(rig)
    assert (found.levelling is not None) == levelled


def test_calibrations_are_told_in_words(tmp_path: Path) -> None:
    straight = Rig(
        Camera(np.array([[500.0, 0, 320], [0, 510, 240], [0, 0, 1]])),
        Camera(np.array([[520.0, 0, 320], [0, 520, 240], [0, 0, 1]]), DISTORTION["plumb-bob"]),
        turned(0, 2, 0),
        np.array([-0.03, 0, -0.04]) * [4, 1, 0],
        (640, 480),
    )
    write_rig(tmp_path / "rig.toml", straight)
    said = dict(facts(read_calibration(tmp_path / "rig.toml")))
    assert said["focal lengths"] == "505.00 and 520.00 px" and said["size"] == "640x480"
    assert said["baseline"] == "0.12 m" and said["angle between cameras"] == "2.00 degrees"
    assert said["distortion"] == "left none; right plumb-bob, 5 coefficients"
    (tmp_path / "calib.txt").write_text("cam0=[9 0 3; 0 9 2; 0 0 1]\nbaseline=65\nunit=relative\n")
    pair = dict(facts(read_calibration(tmp_path / "calib.txt")))
    assert pair["focal length"] == "9.00 px" and "relative" in pair["baseline"]


def doubled(matrix: Matrix) -> list[float]:
    fx, fy, cx, cy = matrix[[0, 1, 0, 1], [0, 1, 2, 2]].tolist()
    return [fx * 2, fy * 2, cx * 2 + 0.5, cy * 2 + 0.5]


def test_a_rig_fits_images_of_a_whole_ratio() -> None:
    rig = a_rig()
    rig = replace(rig, levelling=levelling_of(rig))
    twice = rig.scaled(640, 480)
    assert twice.left.matrix[[0, 1, 0, 1], [0, 1, 2, 2]].tolist() == doubled(rig.left.matrix)
    assert twice.levelling and rig.levelling
    projection, before = twice.levelling.projections[1], rig.levelling.projections[1]
    assert projection[0, 3] == 2 * before[0, 3]
    assert np.allclose(projection[[0, 1, 0, 1], [0, 1, 2, 2]], doubled(before))
    assert same(twice.scaled(320, 240), rig, 1e-12)


@pytest.mark.parametrize("size", [(480, 360), (640, 481), (321, 240), (640, 240), (107, 80)])
def test_other_sizes_are_refused_with_both(size: tuple[int, int]) -> None:
    said = f"calibrated at 320x240, images are {size[0]}x{size[1]}"
    with pytest.raises(ValueError, match=said):
        a_rig().scaled(*size)


def test_a_packed_file_of_sections_is_read(tmp_path: Path) -> None:
    (tmp_path / "SN1.conf.gz").write_bytes(gzip.compress(zed_text().encode()))
    assert read(tmp_path / "SN1.conf.gz").size == (1280, 720)


def changed(matrix: Matrix, **places: float) -> Matrix:
    """A copy of a matrix with other numbers, each named by row and column, such as ``at01``."""
    found = matrix.copy()
    for name, value in places.items():
        found[int(name[2]), int(name[3])] = value
    return found


def with_left(**places: float) -> Rig:
    rig = a_rig()
    return replace(rig, left=replace(rig.left, matrix=changed(rig.left.matrix, **places)))


def moved(*translation: float) -> Rig:
    return replace(a_rig(), translation=np.array(translation))


def levelled(change: Callable[[RectifiedCameras], RectifiedCameras]) -> Rig:
    rig = a_rig()
    return replace(rig, levelling=change(levelling_of(rig)))


def right_projection(**places: float) -> Rig:
    return levelled(
        lambda one: replace(
            one, projections=(one.projections[0], changed(one.projections[1], **places))
        )
    )


IMPOSSIBLE: dict[str, tuple[Callable[[], Rig], str]] = {
    "zero focal length": (lambda: with_left(at00=0.0), "fx and fy above 0"),
    "singular": (lambda: with_left(at22=0.0), r"must be \[fx 0 cx; 0 fy cy; 0 0 1\]"),
    "not finite": (lambda: with_left(at02=np.nan), "no camera has numbers beyond"),
    "skew": (lambda: with_left(at01=3.0), "skew of 3 px"),
    "distortion": (
        lambda: replace(a_rig(), right=replace(a_rig().right, distortion=(0.1,) * 3)),
        r"right camera: plumb-bob has 4 or 5 coefficients \(got 3\)",
    ),
    "baseline 0": (lambda: moved(0, 0, 0), "the baseline is 0"),
    "vertical": (lambda: moved(-0.01, 0.2, 0), "above the other"),
    "behind": (lambda: moved(-0.01, 0, 0.2), "behind the other"),
    "swapped": (lambda: moved(0.25, 0, 0), "depth would be negative; exchange the two cameras"),
    "sheared": (
        lambda: replace(a_rig(), rotation=changed(np.eye(3), at01=0.3)),
        "R is no rotation",
    ),
    "mirrored": (lambda: replace(a_rig(), rotation=np.diag([1.0, 1, -1])), "R is no rotation"),
    "size": (lambda: replace(a_rig(), size=(0, 240)), "image sizes go from 1x1"),
    "rows apart": (lambda: right_projection(at12=100.0), "one row of principal points"),
    "other baseline": (lambda: right_projection(at03=-9.0), "baseline is 0.25.* by T"),
    "other scale": (lambda: right_projection(at00=99.0), "one focal length"),
    "vertical projection": (lambda: right_projection(at13=-900.0), "above each other"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_rig_that_cannot_be_is_refused(name: str) -> None:
    make, said = IMPOSSIBLE[name]
    with pytest.raises(ValueError, match=said):
        checked_rig(make())


def test_cameras_that_see_nothing_in_common_cannot_be_rectified() -> None:
    rig = a_rig()
    with pytest.raises(ValueError, match="both cameras must be fisheye, or neither"):
        levelling_of(replace(rig, left=a_rig("fisheye").left))
    with pytest.raises(ValueError, match="turned by"):
        levelling_of(replace(rig, rotation=turned(0, 150, 0)))


def test_rectified_pixels_are_square() -> None:
    rig = a_rig()
    levelling = levelling_of(rig)
    p1, p2 = (changed(matrix, at11=300.0) for matrix in levelling.projections)
    rig = replace(rig, levelling=replace(levelling, projections=(p1, p2)))
    squared = levelling_of(rig)
    for projection in squared.projections:
        assert projection[1, 1] == projection[0, 0] == levelling.projections[0][0, 0]
    assert rectify_rig(rig, 320, 240).calibration.focal == levelling.projections[0][0, 0]


LACKING = {name: name for name in ("M2", "D1", "D2", "R", "T")}


@pytest.mark.parametrize("name", LACKING)
def test_what_a_file_of_opencv_lacks_is_named(tmp_path: Path, name: str) -> None:
    named = {key: value for key, value in opencv_names(a_rig()).items() if key != name}
    path = write_opencv(tmp_path / "rig.yml", named)
    with pytest.raises(ValueError, match=rf"rig\.yml: no calibration \({name} missing beside M1\)"):
        read_calibration(path)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "M1": ({"M1": np.eye(2)}, r"M1 must have 9 numbers \(got 4\)"),
    "D1": ({"D1": np.zeros((1, 3))}, r"D1 must have 4 or 5 or 8 or 12 or 14 numbers"),
    "T": ({"T": np.zeros((2, 1))}, "T must have 3 numbers"),
    "unit": ({"unit": "ft"}, "unit must be one of mm, cm, m"),
    "model": ({"distortion_model": "omni"}, "distortion model 'omni' is not known"),
    "size": ({"image_width": 320.5}, "image size must be a whole number"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_file_of_opencv_has_wrong_is_named(tmp_path: Path, name: str) -> None:
    more, said = WRONG[name]
    path = write_opencv(tmp_path / "rig.yml", opencv_names(a_rig()) | more)
    with pytest.raises(ValueError, match=rf"rig\.yml: no calibration \({said}"):
        read_calibration(path)


def test_q_of_swapped_cameras_is_refused(tmp_path: Path) -> None:
    q = np.array([[1.0, 0, 0, -160], [0, 1, 0, -120], [0, 0, 0, 260], [0, 0, -4, 0]])
    with pytest.raises(ValueError, match="by Q depth would be negative: exchange"):
        read_calibration(write_opencv(tmp_path / "q.yml", {"Q": q}))


def test_one_camera_info_is_not_enough_and_two_swapped_are_told(tmp_path: Path) -> None:
    rig = a_rig()
    files = [tmp_path / "left.yaml", tmp_path / "right.yaml"]
    for side, path in enumerate(files):
        path.write_text(ros_text(rig, side, levelling_of(rig)))
    with pytest.raises(ValueError, match="describes one camera: give the left one's file"):
        read_calibration(files[0])
    with pytest.raises(ValueError, match="depth would be negative"):
        read_calibration(*reversed(files))
    files[1].write_text(files[1].read_text().replace("image_width: 320", "image_width: 640"))
    with pytest.raises(ValueError, match="images are 320x240, the right one's 640x240"):
        read_calibration(*files)


POSE = "\n".join(f"  - {row}" for row in np.eye(4).tolist()).replace("0.0]", "-0.2]", 1)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("pinhole", "omni", "camera_model 'omni' is not known; only pinhole"),
        ("radtan", "fov", "distortion_model 'fov' is not known"),
        ("T_cn_cnm1", "T_cam_imu", "T_cn_cnm1 is missing"),
        ("cam1", "cam2", "cam1 is missing"),
        ("320, 240", "320", "resolution must have 2 numbers"),
        ("- [0.0, 1.0", "- [0.3, 1.0", "R is no rotation"),
    ],
)
def test_a_chain_that_is_not_understood_is_refused(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    text = KALIBR.format(d0=[0.1, 0.0, 0.0, 0.0], model="radtan", pose=POSE)
    path = tmp_path / "camchain.yaml"
    path.write_text(text)
    assert read_calibration(path).form == "Kalibr" and before in text
    path.write_text(text.replace(before, after))
    with pytest.raises(ValueError, match=rf"camchain\.yaml: no calibration \({said}"):
        read_calibration(path)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("Baseline = 120.0", "", "baseline is missing"),
        ("Baseline = 120.0", "Baseline = wide", "baseline must be a number"),
        ("[RIGHT_CAM_HD]", "[RIGHT_CAM_XL]", "right_cam_hd is missing"),
        ("CV_HD=0.02", "", "cv_hd is missing"),
        ("k1=-0.17", "", "k1 is missing"),
    ],
)
def test_a_zed_file_that_lacks_something_is_refused(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    path = tmp_path / "SN1.conf"
    assert before in zed_text()
    path.write_text(zed_text().replace(before, after))
    with pytest.raises(ValueError, match=rf"SN1\.conf: no calibration \({said}"):
        read_calibration(path)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('model = "plumb-bob"', 'model = "odd"', r"left\.model must be one of plumb-bob"),
        ("size = [320, 240]", "size = [320]", r"rig\.size must be a list of 2 .* \(line 2\)"),
        ("translation", "moved", r"stereo knows no 'moved'"),
        ("[-0.25", "[nan", "must be a finite number"),
        ("[-0.25", "[0.25", "depth would be negative"),
        ("[rig]", "[rig", "rig.toml"),
    ],
)
def test_our_own_file_is_refused_with_its_line(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    text = rig_text(a_rig())
    assert before in text
    (tmp_path / "rig.toml").write_text(text.replace(before, after, 1))
    with pytest.raises(ValueError, match=said) as error:
        read_calibration(tmp_path / "rig.toml")
    assert str(tmp_path / "rig.toml") in str(error.value) and "\n" not in str(error.value)


def test_doctor_says_what_a_calibration_holds_or_why_it_holds_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rig.toml"
    path.write_text(rig_text(a_rig()))
    assert main(["doctor", str(path)]) == 0
    assert "0.2501 m" in capsys.readouterr().out
    path.write_text(rig_text(a_rig()).replace("[-0.25", "[0.25"))
    for words in ([str(path)], [str(path), str(path)], [str(tmp_path)], ["/gone.yml"]):
        assert main(["doctor", *words]) == 2
        said = capsys.readouterr().err.splitlines()
        assert len(said) == 1 and words[0] in said[0]
