"""Calibrations as cameras, data sets and other programs leave them mean what they say."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.offscreen_app import running_app
from tests.rigs import a_rig, opencv_names, pair_of_a_rig, same, write_pair, write_rig
from tests.robot_bags import BEGUN, TOPICS, BagMessage, camera, stereo, write_bag
from tests.test_calibration_formats import euroc, written
from tests.test_rig_files import ros_text
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.calibration_files import FoundCalibration, read_calibration
from wheatstone.viewer.io.cameras.formats.detection import CalibrationChoices
from wheatstone.viewer.io.cameras.levelling import levelling_of
from wheatstone.viewer.io.cameras.rig import Matrix, Rig
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec

ROI = "roi:\n  x_offset: {}\n  y_offset: {}\n  width: {}\n  height: {}\n  do_rectify: false\n"


def of_pair(calibration: FoundCalibration) -> Calibration:
    assert calibration.calibration
    return calibration.calibration


def listed(matrix: Matrix) -> str:
    return " ".join(f"{number:.17g}" for number in matrix.ravel())


def blank(*paths: Path, size: tuple[int, int]) -> None:
    """Write grey pictures."""
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), np.full(size[::-1], 90, np.uint8))


def opened(*words: Any, **options: Any) -> Source:
    return open_source(SourceSpec(*map(str, words), **options))


def camera_infos(folder: Path, regions: tuple[str, str]) -> list[Path]:
    rig = a_rig()
    texts = (ros_text(rig, side, levelling_of(rig), topic=True) for side in (0, 1))
    return [
        written(folder / f"{side}.yaml", text.replace("---\n", regions[side]))
        for side, text in enumerate(texts)
    ]


def test_a_region_moves_the_principal_point_and_keeps_the_focal_length(tmp_path: Path) -> None:
    files = camera_infos(tmp_path, (ROI.format(80, 60, 160, 120),) * 2)
    whole, part = read_calibration(*files, size=(320, 240)), read_calibration(*files)
    assert whole.size == (320, 240) and part.size == (160, 120)
    for before, after in zip(whole.rig.cameras, part.rig.cameras, strict=True):  # type: ignore[union-attr]
        assert after.focal == before.focal
        assert (before.matrix - after.matrix)[:2, 2] == pytest.approx((80, 60))
    assert part.rig and whole.rig and part.rig.baseline == pytest.approx(whole.rig.baseline)
    # Binned by two, the images of the region are half as large, and so is the focal length.
    binned = read_calibration(*files, size=(80, 60))
    assert binned.rig and binned.rig.left.focal == pytest.approx(whole.rig.left.focal / 2)
    assert "scaled from 160x120" in binned.remark


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        (((200, 0, 160, 120), (200, 0, 160, 120)), "is not inside the image of 320x240"),
        (((80, 60, 160, 120), (80, 50, 160, 120)), "must have one size and first row"),
    ],
)
def test_impossible_regions_are_refused(
    tmp_path: Path, regions: tuple[tuple[int, ...], tuple[int, ...]], message: str
) -> None:
    left, right = (ROI.format(*region) for region in regions)
    with pytest.raises(ValueError, match=message):
        read_calibration(*camera_infos(tmp_path, (left, right)))


@pytest.mark.parametrize("kind", ["ros1", "mcap"])
def test_a_recording_of_a_region_has_its_depths(tmp_path: Path, kind: str) -> None:
    """The cameras have twice the sides of the images, which are a part of theirs."""
    messages = stereo(2, calibrated=False)
    for side, topic in enumerate(TOPICS):
        known = camera(f"{topic.rsplit('/', 1)[0]}/camera_info", side)
        full = {"width": 192, "height": 96, "roi": (48, 24, 48, 96)}  # x, y, height, width
        messages.append(BagMessage(known.topic, "CameraInfo", BEGUN, {**known.fields, **full}))
    with closing(opened(write_bag(tmp_path / "run.bag", messages, kind))) as source:
        calibration = source.frame(0).calibration
        assert (
            calibration
            and calibration.focal == pytest.approx(100)
            and calibration.baseline == pytest.approx(0.12)
        )
        assert calibration.principal == pytest.approx((0, 0))


def kitti_raw(place: Path, rig: Rig, rectified: tuple[int, int]) -> Path:
    """The file of KITTI's raw drives, in which both pairs of cameras are this rig."""
    level = levelling_of(rig)
    lines = ["calib_time: 09-Jan-2012 13:57:47", "corner_dist: 9.950000e-02"]
    for number in range(4):
        side = number % 2
        seen, width_height = rig.cameras[side], np.array(rig.size, float)
        pose = (np.eye(3), np.zeros(3)) if side == 0 else (rig.rotation, rig.translation)
        lines += [
            f"S_{number:02d}: {listed(width_height)}",
            f"K_{number:02d}: {listed(seen.matrix)}",
            f"D_{number:02d}: {listed(seen.coefficients)}",
            f"R_{number:02d}: {listed(pose[0])}",
            f"T_{number:02d}: {listed(pose[1])}",
            f"S_rect_{number:02d}: {listed(np.array(rectified, float))}",
            f"R_rect_{number:02d}: {listed(level.rotations[side])}",
            f"P_rect_{number:02d}: {listed(level.projections[side])}",
        ]
    return written(place, "\n".join(lines) + "\n")


@pytest.mark.parametrize("in_drive", [False, True])
def test_the_calibration_of_a_kitti_raw_drive_is_found(tmp_path: Path, in_drive: bool) -> None:
    drive = tmp_path / "2011_09_26" / "2011_09_26_drive_0001_sync"
    blank(*(drive / f"image_0{n}/data/0000000000.png" for n in range(4)), size=(300, 200))
    place = drive if in_drive else drive.parent
    kitti_raw(place / "calib_cam_to_cam.txt", a_rig(), (300, 200))
    with closing(opened(drive)) as source:
        calibration = source.frame(0).calibration
        assert calibration and source.frame(0).raw is None
        assert calibration.baseline == pytest.approx(a_rig().baseline)
        named = [note for note in source.notes if note.startswith("calib_cam_to_cam.txt (KITTI)")]
        assert named and "size 300x200" in named[0]


def test_unrectified_drives_of_kitti_are_rectified(tmp_path: Path) -> None:
    """``S_02`` is the size of the images before rectification, ``S_rect_02`` after it."""
    path = kitti_raw(tmp_path / "calib_cam_to_cam.txt", a_rig(), (300, 200))
    assert of_pair(read_calibration(path, size=(300, 200)))
    rig = read_calibration(path, size=(320, 240)).rig
    assert rig and same(replace(rig, levelling=None), a_rig(), 1e-9)
    with pytest.raises(ValueError, match="calibrated at 300x200, images are 310x210"):
        read_calibration(path, size=(310, 210))


@pytest.mark.parametrize("mav", [True, False])
def test_the_calibration_of_a_euroc_sequence_is_found(tmp_path: Path, mav: bool) -> None:
    place = tmp_path / "mav0" if mav else tmp_path
    place.mkdir(exist_ok=True)
    euroc(place, a_rig())
    views = (place / f"cam{side}" / "data" / "1403636579763555584.png" for side in (0, 1))
    blank(*views, size=(320, 240))
    with closing(opened(tmp_path)) as source:
        raw = source.frame(0).raw
        assert raw and raw.rectification.calibration.baseline == pytest.approx(a_rig().baseline)
        assert any(note.startswith("cam0/sensor.yaml, cam1/sensor.yaml") for note in source.notes)
    assert main(["rectify", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    known = of_pair(read_calibration(tmp_path / "out" / "calib.txt"))
    assert known.baseline == pytest.approx(a_rig().baseline)


KITTI_P = """\
P2: 7.215377e+02 0 6.095593e+02 4.485728e+01 0 7.215377e+02 1.728540e+02 2.163791e-01 0 0 1 0
P3: 7.215377e+02 0 6.095593e+02 -3.395242e+02 0 7.215377e+02 1.728540e+02 2.199936e+00 0 0 1 0
"""


def test_a_principal_point_far_from_the_centre_is_questioned(tmp_path: Path) -> None:
    path = written(tmp_path / "calib.txt", KITTI_P)
    assert not read_calibration(path, size=(1242, 375)).remarks
    calibration = read_calibration(path, size=(621, 187))
    remark = calibration.remarks[0]
    assert isinstance(remark, Finding) and remark.name == "calibration centre" and remark.warns
    assert "column 610, row 173, is not near the centre of the images, 621x187" in remark
    # Beside the images it is ignored.
    pair = [tmp_path / "im0.png", tmp_path / "im1.png"]
    for size in ((1242, 375), (621, 187)):
        blank(*pair, size=size)
        with closing(opened(*pair)) as source:
            assert (source.frame(0).calibration is None) == (size == (621, 187))
            assert any("ignored; --calibration" in note for note in source.notes) == (
                size == (621, 187)
            )


def test_cityscapes_calibrations_are_those_of_its_full_size(tmp_path: Path) -> None:
    content = {"intrinsic": {"fx": 2262.52, "fy": 2265.30, "u0": 1096.98, "v0": 513.137}}
    content["extrinsic"] = {"baseline": 0.209313}
    path = written(tmp_path / "camera.json", json.dumps(content))
    half = of_pair(read_calibration(path, size=(1024, 512)))
    assert half.focal == pytest.approx(2262.52 / 2) and half.baseline == 0.209313


def test_four_coefficients_without_a_model_are_questioned(tmp_path: Path) -> None:
    names = opencv_names(a_rig())
    text = json.dumps({name: np.asarray(value).tolist() for name, value in names.items()})
    path = written(tmp_path / "five.json", text)
    assert not read_calibration(path).remarks
    four = json.loads(text) | {name: [0.02, -0.01, 0.004, -0.001] for name in ("D1", "D2")}
    path.write_text(json.dumps(four))
    assert [getattr(remark, "name", "") for remark in read_calibration(path).remarks] == [
        "lens model"
    ]
    path.write_text(json.dumps(four | {"model": "fisheye"}))
    calibration = read_calibration(path)
    assert calibration.rig and calibration.rig.left.model == "fisheye" and not calibration.remarks


def test_doffs_that_contradicts_both_cameras_is_reported(tmp_path: Path) -> None:
    text = "cam0=[250 0 160; 0 250 120; 0 0 1]\ncam1=[250 0 165; 0 250 120; 0 0 1]\n"
    text += "baseline=120\nwidth=320\nheight=240\nndisp=48\n"
    path = written(tmp_path / "calib.txt", text + "doffs=5\n")
    assert not read_calibration(path).remarks and of_pair(read_calibration(path)).offset == 5
    path.write_text(text + "doffs=0\n")
    assert "doffs is 0, but 5 by cam0 and cam1" in read_calibration(path).remark


def test_doctor_says_how_many_disparities_a_file_asks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "cam0=[250 0 160; 0 250 120; 0 0 1]\nbaseline=120\nndisp=48\n"
    assert main(["doctor", str(written(tmp_path / "calib.txt", text))]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "ndisp" in line)
    assert "48" in line


@pytest.mark.parametrize(
    "line", ["unit: mm", "Unit: MM", "units = millimeters", "UNIT: Millimetre"]
)
def test_a_unit_may_be_spelled_in_any_way(tmp_path: Path, line: str) -> None:
    k = "754.66 0.0 489.37 0.0 754.66 265.16 0.0 0.0 1.0\n63\n"
    path = written(tmp_path / "K.txt", f"{k}{line}\n")
    assert of_pair(read_calibration(path)).baseline == pytest.approx(0.063)
    text = f"fx: 250\ncx: 160\ncy: 120\nbaseline: 63\n{line.replace(' =', ':')}\n"
    calibration = read_calibration(written(tmp_path / "rig.yaml", text))
    assert of_pair(calibration).baseline == pytest.approx(0.063)


ZED = """\
[LEFT_CAM_HD]
fx=680
fy=680
cx=640
cy=360
k1=-0.17
k2=0.026
[RIGHT_CAM_HD]
fx=680
fy=680
cx=640
cy=360
k1=-0.17
k2=0.026
{more}[STEREO]
Baseline=0.12
TY=0
TZ=0
CV_HD=0
RX_HD=0
RZ_HD=0
"""


@pytest.mark.parametrize("text", ["unit: m\n" + ZED, ZED + "unit=m\n"])
def test_the_unit_of_a_zed_camera_stands_anywhere(tmp_path: Path, text: str) -> None:
    calibration = read_calibration(written(tmp_path / "SN1.conf", text.format(more="")))
    assert (
        calibration.rig
        and calibration.rig.baseline == pytest.approx(0.12)
        and not calibration.remarks
    )


def test_the_resolutions_of_a_zed_camera_are_listed(tmp_path: Path) -> None:
    vga = ZED.split("{more}")[0].replace("_HD", "_VGA")
    path = written(tmp_path / "SN1.conf", "unit: m\n" + ZED.format(more=vga))
    assert "HD, the largest of HD, VGA" in read_calibration(path).remark


MATLAB = {
    "CameraParameters1": {
        "RadialDistortion": [-0.21, 0.06],
        "TangentialDistortion": [0.001, -0.0005],
        "IntrinsicMatrix": [[260, 0, 0], [0, 261, 0], [160, 121, 1]],
        "ImageSize": [240, 320],
        "WorldUnits": "millimeters",
    },
    "CameraParameters2": {
        "RadialDistortion": [-0.2, 0.055, 0.01],
        "TangentialDistortion": [-0.0007, 0.0004],
        "IntrinsicMatrix": [[263, 0, 0], [0, 262, 0], [163, 119, 1]],
        "ImageSize": [240, 320],
    },
    "TranslationOfCamera2": [-120.0, 2.0, -1.0],
}


@pytest.mark.parametrize(("unit", "metres"), [("millimeters", 1e-3), ("cm", 1e-2)])
def test_matlabs_stereo_parameters_are_read(tmp_path: Path, unit: str, metres: float) -> None:
    """They are transposed, and places count from 1."""
    document = json.loads(json.dumps(MATLAB))
    document["CameraParameters1"]["WorldUnits"] = unit
    document["RotationOfCamera2"] = a_rig().rotation.T.tolist()
    calibration = read_calibration(written(tmp_path / "stereo.json", json.dumps(document)))
    rig = calibration.rig
    assert rig and calibration.form == "MATLAB" and calibration.size == (320, 240)
    assert np.array_equal(rig.left.matrix, a_rig().left.matrix)
    assert np.array_equal(rig.right.matrix, a_rig().right.matrix)
    assert rig.left.distortion == (-0.21, 0.06, 0.001, -0.0005)
    assert rig.right.distortion == (-0.2, 0.055, -0.0007, 0.0004, 0.01)
    assert np.allclose(rig.rotation, a_rig().rotation)
    assert rig.translation == pytest.approx(np.array([-120, 2, -1]) * metres)


@pytest.mark.parametrize(
    "sides", [("left", "right"), ("LEFT", "RIGHT"), ("cameraLeft", "camera_right")]
)
def test_the_values_of_each_camera_may_stand_in_a_table(
    tmp_path: Path, sides: tuple[str, str]
) -> None:
    rig = a_rig()
    by_key: dict[str, Any] = {
        side: {"camera_matrix": seen.matrix.tolist(), "dist_coeffs": list(seen.distortion)}
        for side, seen in zip(sides, rig.cameras, strict=True)
    }
    by_key["stereo"] = {"R": rig.rotation.tolist(), "T": rig.translation.tolist()}
    by_key["image_size"] = [320, 240]
    result = read_calibration(written(tmp_path / "rig.json", json.dumps(by_key))).rig
    assert result and same(result, rig, 1e-9)


def test_one_pinhole_and_a_baseline_are_a_rectified_pair(tmp_path: Path) -> None:
    content = {"fx": 250.0, "fy": 250.0, "cx": 160.0, "cy": 120.0, "baseline": 0.12}
    content |= {"width": 320, "height": 240}
    path = written(tmp_path / "rig.json", json.dumps(content))
    calibration = read_calibration(path)
    assert of_pair(calibration) == Calibration(
        250.0, 0.12, (160.0, 120.0)
    ) and calibration.size == (320, 240)
    path.write_text(json.dumps(content | {"k1": -0.1}))
    with pytest.raises(ValueError, match="one camera with distortion"):
        read_calibration(path)


VINS = '%YAML:1.0\nnum_of_cam: 2\ncam0_calib: "cam0.yaml"\ncam1_calib: "cam1.yaml"\n'
CAMODOCAL = "model_type: PINHOLE\nprojection_parameters:\n   fx: 250.\n   fy: 251.\n"
REALSENSE = {"left": {"ppx": 160.3, "fx": 250.0}, "right": {"ppx": 157.1, "fx": 252.0}}
COLMAP = (
    "# Camera list with one line of data per camera:\n1 OPENCV 320 240 250 251 160 119 0 0 0 0\n"
)
ONE_LENS = "K: [250, 0, 160, 0, 250, 120, 0, 0, 1]\nD: [0, 0, 0, 0, 0]\nT: [-0.1, 0, 0]\n"
ORB = (
    "%YAML:1.0\nCamera.fx: 250.\nCamera.cx: 160.\nCamera.cy: 120.\nCamera.k1: 0.1\nCamera.bf: 30.\n"
)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("vins.yaml", VINS, "VINS-Fusion's settings .* not read; write M1, D1"),
        ("cam0.yaml", CAMODOCAL, "camodocal's file of one camera is not read"),
        ("rs.json", json.dumps(REALSENSE), "RealSense's intrinsics have no fixed order of R"),
        ("cameras.txt", COLMAP, "COLMAP's list of cameras is not read"),
        ("one.yaml", ONE_LENS, "K and D are those of one camera, and R and T those of a pair"),
        ("orb.yaml", ORB, "Camera has distortion, .* Stereo.T_c1_c2 are missing"),
    ],
)
def test_other_formats_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_calibration(written(tmp_path / name, text))


def test_cameras_that_were_calibrated_one_by_one_are_named(tmp_path: Path) -> None:
    rig, files = a_rig(), []
    for side in (0, 1):
        alone = levelling_of(rig)
        for projection in alone.projections:
            projection[0, 3] = 0
        files.append(written(tmp_path / f"{side}.yaml", ros_text(rig, side, alone)))
    with pytest.raises(ValueError, match="calibrated one by one"):
        read_calibration(*files)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"T": [0.25, 0, 0]},
            "if R and T are those from the right to the left camera, invert them",
        ),
        ({"R": np.diag([-1.0, -1.0, 1.0]).tolist()}, "turned against each other by 180 degrees"),
    ],
)
def test_a_pose_of_another_kind_is_explained(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    names = {k: np.asarray(v).tolist() for k, v in opencv_names(a_rig()).items()}
    with pytest.raises(ValueError, match=message):
        read_calibration(written(tmp_path / "rig.json", json.dumps(names | change)))


def test_a_choice_of_cameras_that_is_not_needed_is_reported(tmp_path: Path) -> None:
    names = {k: np.asarray(v).tolist() for k, v in opencv_names(a_rig()).items()}
    path = written(tmp_path / "rig.json", json.dumps(names))
    chosen = read_calibration(path, choices=CalibrationChoices(cameras=(0, 1)))
    assert chosen.remark == "no cameras need to be chosen: the file has two"


def test_rows_that_differ_after_rectification_blame_the_calibration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right, _ = write_pair(tmp_path)
    write_rig(tmp_path / "wrong.toml", replace(a_rig(), rotation=a_rig().rotation.T))
    words = ["--calibration", str(tmp_path / "wrong.toml"), "--out", str(tmp_path / "out.png")]
    assert main(["render", left, right, *words]) == 0
    errors = capsys.readouterr().err
    assert "the calibration does not fit these views" in errors and "is not rectified" not in errors


@pytest.mark.opengl
@pytest.mark.parametrize("kind", ["EuRoC", "KITTI raw"])
def test_a_sequence_goes_through_window_render_and_batch_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    if kind == "EuRoC":
        place, size = tmp_path / "mav0", (320, 240)
        place.mkdir(exist_ok=True)
        euroc(place, a_rig())
        folders = [place / f"cam{side}" / "data" for side in (0, 1)]
        names = [f"14036365797{n}5555584.png" for n in (6, 7)]
    else:
        place, size = tmp_path / "2011_09_26_drive_0001_sync", (300, 200)
        kitti_raw(tmp_path / "calib_cam_to_cam.txt", a_rig(), size)
        folders = [place / f"image_0{number}" / "data" for number in range(4)]
        names = ["0000000000.png", "0000000001.png"]
    for seed, name in enumerate(names):
        left, right = textured(seed, size), np.roll(textured(seed, size), -8, axis=1)
        if kind == "EuRoC":  # whose views are not rectified
            left, right = pair_of_a_rig().left, pair_of_a_rig().right
        for number, folder in enumerate(folders):
            folder.mkdir(parents=True, exist_ok=True)
            Image.fromarray((left, right)[number % 2]).save(folder / name)
    lean = ["--variant", "cpu", "--disparities", "32", "--min-disparity", "-16"]
    rendered, out = tmp_path / "depth-%d.npy", tmp_path / "out"
    words = ["--view", "depth", "--frames", "2", "--values", str(rendered)]
    assert main(["render", "sgm", str(place), *lean, *words]) == 0
    assert main(["batch", str(place), "--out", str(out), *lean, "--depth", "npy"]) == 0
    written = sorted(out.rglob("*.npy"))
    assert len(written) == 2
    with OffscreenContext(None), running_app("sgm", str(place), *lean, "--view", "depth") as app:
        frame = app.session.frame_shown
        assert frame and frame.calibration
        assert frame.calibration.baseline == pytest.approx(a_rig().baseline)
        seen = [np.load(tmp_path / f"depth-{number}.npy") for number in (0, 1)]
        assert np.array_equal(app.session.values("depth"), seen[0], equal_nan=True)
    for one, other in zip(seen, map(np.load, written), strict=True):
        assert np.array_equal(one, other, equal_nan=True) and np.isfinite(one).mean() > 0.3
    capsys.readouterr()
    assert main(["evaluate", str(place), *lean]) == 2
    assert "no stereo pair with truth" in capsys.readouterr().err


def textured(seed: int, size: tuple[int, int]) -> NDArray[np.uint8]:
    """A picture with structure everywhere, of a width and height."""
    noise = np.random.default_rng(seed).integers(0, 256, (size[1], size[0]), np.uint8)
    return np.asarray(cv2.GaussianBlur(noise, (3, 3), 0), np.uint8)
