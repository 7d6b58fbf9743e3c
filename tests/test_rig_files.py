"""Rigs are read from the files of OpenCV, ROS, Kalibr, ZED and our own as these define them."""

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.rigs import (
    DISTORTION,
    a_rig,
    opencv_names,
    rig_text,
    same,
    turned,
    write_opencv,
    write_rig,
)
from wheatstone.viewer.io.cameras.calibration_files import read_calibration
from wheatstone.viewer.io.cameras.facts import facts, summary
from wheatstone.viewer.io.cameras.levelling import levelling_of
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model, RectifiedCameras, Rig


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
    known = read(write_opencv(tmp_path / "rig.yml", named))
    assert known.left.model == ("plumb-bob" if count < 8 else "rational")
    assert known.left.distortion == (0.01,) * count


@pytest.mark.parametrize(
    "values", [{"distortion_model": "fisheye"}, {"model": "equidistant"}, {"fisheye": 1}]
)
def test_a_key_says_that_lenses_are_fisheye(tmp_path: Path, values: dict[str, Any]) -> None:
    rig = a_rig("fisheye")
    assert same(read(write_opencv(tmp_path / "rig.yml", opencv_names(rig) | values)), rig)


def test_what_opencv_found_of_the_rectified_pair_is_kept(tmp_path: Path) -> None:
    rig = a_rig()
    expected = levelling_of(rig)
    sides = (*expected.rotations, *expected.projections)
    named = opencv_names(rig) | dict(zip(("R1", "R2", "P1", "P2"), sides, strict=True))
    levelling = read(write_opencv(tmp_path / "rig.yml", named)).levelling
    assert levelling
    for one, other in zip((*levelling.rotations, *levelling.projections), sides, strict=True):
        assert np.array_equal(one, other)


def test_two_files_of_opencv_belong_together(tmp_path: Path) -> None:
    rig, named = a_rig(), opencv_names(a_rig())
    inner = write_opencv(tmp_path / "in.yml", {k: v for k, v in named.items() if k not in "RT"})
    outer = write_opencv(tmp_path / "ex.yml", {k: v for k, v in named.items() if k in "RT"})
    assert same(read(inner, outer), rig)
    with pytest.raises(ValueError, match=r"in\.yml.*: no calibration \(R, T missing next to M1\)"):
        read_calibration(inner)


def test_lengths_in_millimetres_are_named_by_the_file(tmp_path: Path) -> None:
    rig = a_rig()
    named = opencv_names(rig) | {"T": rig.translation[:, None] * 1000}
    long = read_calibration(write_opencv(tmp_path / "rig.yml", named))
    assert "--calibration-unit mm" in long.remark and "-unit" not in summary(long)
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
    known = read(*files)
    assert same(known, rig, 1e-9)
    assert known.levelling and np.array_equal(known.levelling.projections, levelling.projections)


def test_a_ros_baseline_is_minus_tx_over_fx(tmp_path: Path) -> None:
    straight = (np.eye(3), np.eye(3))
    left = np.array([[400.0, 0, 160, 0], [0, 400, 120, 0], [0, 0, 1, 0]])
    right = left.copy()
    right[0, 3] = -48.0
    for side, name in enumerate(("left.yaml", "right.yaml")):
        text = ros_text(a_rig(), side, RectifiedCameras(straight, (left, right)))
        (tmp_path / name).write_text(text)
    known = read(tmp_path / "left.yaml", tmp_path / "right.yaml")
    assert known.translation.tolist() == [-0.12, 0, 0] and known.angle == 0


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


@pytest.mark.parametrize(("text", "model"), [("radtan", "plumb-bob"), ("equidistant", "fisheye")])
def test_kalibrs_chain_leads_from_the_first_camera_to_the_second(
    tmp_path: Path, text: str, model: Model
) -> None:
    coefficients = DISTORTION[model][:4]
    rig = a_rig(model)
    left, right = (replace(camera, distortion=coefficients) for camera in rig.cameras)
    pose = np.vstack([np.column_stack([rig.rotation, rig.translation]), [0.0, 0, 0, 1]])
    rows = "\n".join(f"  - {row}" for row in pose.tolist())
    path = tmp_path / "camchain.yaml"
    path.write_text(KALIBR.format(d0=list(coefficients), model=text, pose=rows))
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
    known = read(path, size=(672, 376))
    assert known.size == (672, 376) and known.left.focal == 350 and known.left.matrix[0, 2] == 335
    assert known.left.distortion == (-0.17, 0.02, 0.001, -0.002, 0.003)
    assert np.allclose(known.translation, [-0.12, 0.0015, -0.002])
    assert np.allclose(known.rotation, cv2.Rodrigues(np.array([0.001, 0.02, -0.003]))[0])
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
    known = read(path)
    assert (known.left.model, known.right.distortion) == (model, expected)


@pytest.mark.parametrize("model", DISTORTION)
@pytest.mark.parametrize("levelled", [False, True])
def test_our_own_file_comes_back_to_the_last_digit(
    tmp_path: Path, model: Model, levelled: bool
) -> None:
    rig = replace(a_rig(model), unit="relative")
    rig = replace(rig, levelling=levelling_of(rig)) if levelled else rig
    write_rig(tmp_path / "rig.toml", rig)
    known = read(tmp_path / "rig.toml")
    assert same(known, rig, 0) and rig_text(known) == rig_text(rig)
    assert (known.levelling is not None) == levelled


def test_calibrations_are_reported_in_words(tmp_path: Path) -> None:
    straight = Rig(
        Camera(np.array([[500.0, 0, 320], [0, 510, 240], [0, 0, 1]])),
        Camera(np.array([[520.0, 0, 320], [0, 520, 240], [0, 0, 1]]), DISTORTION["plumb-bob"]),
        turned(0, 2, 0),
        np.array([-0.03, 0, -0.04]) * [4, 1, 0],
        (640, 480),
    )
    write_rig(tmp_path / "rig.toml", straight)
    by_key = dict(facts(read_calibration(tmp_path / "rig.toml")))
    assert by_key["focal lengths"] == "505.00 and 520.00 px" and by_key["size"] == "640x480"
    assert by_key["baseline"] == "0.12 m" and by_key["angle between cameras"] == "2.00 degrees"
    assert by_key["distortion"] == "left none; right plumb-bob, 5 coefficients"
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
    message = f"calibrated at 320x240, images are {size[0]}x{size[1]}"
    with pytest.raises(ValueError, match=message):
        a_rig().scaled(*size)


def test_a_packed_file_of_sections_is_read(tmp_path: Path) -> None:
    (tmp_path / "SN1.conf.gz").write_bytes(gzip.compress(zed_text().encode()))
    assert read(tmp_path / "SN1.conf.gz").size == (1280, 720)
