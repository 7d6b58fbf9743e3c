"""Every calibration format is read with every camera model that it can hold, and its units."""

import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.rigs import DISTORTION, a_rig, opencv_names, same, write_opencv, write_rig
from tests.test_rig_files import ros_text
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.calibration_files import FoundCalibration, read_calibration
from wheatstone.viewer.io.cameras.formats.detection import CalibrationChoices
from wheatstone.viewer.io.cameras.levelling import levelling_of, rectify_rig
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model, RectifiedCameras, Rig
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.frame_ref import FrameRef

SIZE = (320, 240)
BODY = np.array([[0.0, -1, 0, 0.03], [1, 0, 0, -0.02], [0, 0, 1, 0.01], [0, 0, 0, 1]])
"""A pose of the left camera in the body."""


def rig_with(model: Model, count: int) -> Rig:
    """The usual rig with so many coefficients of a model."""
    lens = (*DISTORTION[model], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)[:count]
    left, right = (replace(camera, distortion=lens) for camera in a_rig(model).cameras)
    return replace(a_rig(model), left=left, right=right)


def pose_of(rig: Rig) -> Matrix:
    return np.vstack([np.column_stack([rig.rotation, rig.translation]), [0.0, 0, 0, 1]])


def to_body(rig: Rig) -> tuple[Matrix, Matrix]:
    """The poses from the left and the right camera to the body."""
    return BODY, BODY @ np.linalg.inv(pose_of(rig))


def intrinsics(camera: Camera) -> list[float]:
    return [float(camera.matrix[at]) for at in ((0, 0), (1, 1), (0, 2), (1, 2))]


def rows(matrix: Matrix) -> str:
    return "\n".join(f"  - {row}" for row in matrix.tolist())


def chain_text(rig: Rig, pose: str, poses: tuple[Matrix | None, Matrix | None]) -> str:
    """A camera chain whose cameras have a pose of a name."""
    text = ""
    for number, camera in enumerate(rig.cameras):
        text += f"cam{number}:\n"
        if (message := poses[number]) is not None:
            text += f"  {pose}:\n{rows(message)}\n"
        model = "equidistant" if camera.model == "fisheye" else "radtan"
        text += (
            f"  camera_model: pinhole\n  distortion_coeffs: {list(camera.distortion)}\n"
            f"  distortion_model: {model}\n  intrinsics: {intrinsics(camera)}\n"
            "  resolution: [320, 240]\n"
        )
    return text


def kalibr(folder: Path, rig: Rig) -> list[Path]:
    return [written(folder / "camchain.yaml", chain_text(rig, "T_cn_cnm1", (None, pose_of(rig))))]


def kalibr_imu(folder: Path, rig: Rig) -> list[Path]:
    left, right = (np.asarray(np.linalg.inv(pose), np.float64) for pose in to_body(rig))
    return [written(folder / "camchain.yaml", chain_text(rig, "T_cam_imu", (left, right)))]


def open_vins(folder: Path, rig: Rig) -> list[Path]:
    text = "%YAML:1.0\n\n" + chain_text(rig, "T_imu_cam", to_body(rig))
    return [written(folder / "kalibr_imucam_chain.yaml", text)]


def euroc(folder: Path, rig: Rig) -> list[Path]:
    files = []
    for number, (camera, pose) in enumerate(zip(rig.cameras, to_body(rig), strict=True)):
        model = "equidistant" if camera.model == "fisheye" else "radial-tangential"
        (folder / f"cam{number}").mkdir()
        text = (
            "# General sensor definitions.\nsensor_type: camera\ncomment: VI-Sensor cam0\n\n"
            f"T_BS:\n  cols: 4\n  rows: 4\n  data: {pose.ravel().tolist()}\n"
            "rate_hz: 20\nresolution: [320, 240]\ncamera_model: pinhole\n"
            f"intrinsics: {intrinsics(camera)} #fu, fv, cu, cv\ndistortion_model: {model}\n"
            f"distortion_coefficients: {list(camera.distortion)}\n"
        )
        files.append(written(folder / f"cam{number}" / "sensor.yaml", text))
    return files


def orb_slam(folder: Path, rig: Rig) -> list[Path]:
    fisheye = rig.left.model == "fisheye"
    keys = ("k1", "k2", "k3", "k4") if fisheye else ("k1", "k2", "p1", "p2", "k3")
    kind = "KannalaBrandt8" if fisheye else "PinHole"
    text = f'%YAML:1.0\n\nFile.version: "1.0"\n\nCamera.type: "{kind}"\n'
    for number, camera in enumerate(rig.cameras, 1):
        names = ("fx", "fy", "cx", "cy", *keys)
        for name, value in zip(names, [*intrinsics(camera), *camera.distortion], strict=False):
            text += f"Camera{number}.{name}: {value!r}\n"
    text += "Camera.width: 320\nCamera.height: 240\nCamera.fps: 20\nStereo.ThDepth: 60.0\n"
    data = np.linalg.inv(pose_of(rig)).ravel().tolist()
    text += f"Stereo.T_c1_c2: !!opencv-matrix\n  rows: 4\n  cols: 4\n  dt: d\n  data: {data}\n"
    return [written(folder / "EuRoC.yaml", text)]


def quaternion(rotation: Matrix) -> dict[str, float]:
    """The quaternion of a rotation whose w is not 0."""
    w = np.sqrt(1 + np.trace(rotation)) / 2
    x = (rotation[2, 1] - rotation[1, 2]) / (4 * w)
    y = (rotation[0, 2] - rotation[2, 0]) / (4 * w)
    z = (rotation[1, 0] - rotation[0, 1]) / (4 * w)
    return dict(zip(("qx", "qy", "qz", "qw"), map(float, (x, y, z, w)), strict=True))


BASALT = {
    "plumb-bob": ("pinhole", ()),
    "rational": ("pinhole-radtan8", ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6")),
    "fisheye": ("kb4", ("k1", "k2", "k3", "k4")),
}


def basalt(folder: Path, rig: Rig) -> list[Path]:
    kind, keys = BASALT[rig.left.model]
    poses = [
        dict(zip(("px", "py", "pz"), map(float, pose[:3, 3]), strict=True))
        | quaternion(pose[:3, :3])
        for pose in to_body(rig)
    ]
    lenses = [
        dict(zip(("fx", "fy", "cx", "cy"), intrinsics(camera), strict=True))
        | dict(zip(keys, camera.distortion, strict=False))
        for camera in rig.cameras
    ]
    content = {
        "T_imu_cam": poses,
        "intrinsics": [{"camera_type": kind, "intrinsics": lens} for lens in lenses],
        "resolution": [[320, 240], [320, 240]],
        "vignette": [],
    }
    return [written(folder / "calibration.json", json.dumps({"value0": content}))]


def depthai(folder: Path, rig: Rig) -> list[Path]:
    """An OAK camera's: a colour camera in socket 0, left 1 to right 2 to colour 0, centimetres."""

    def section(camera: Camera, to: int, pose: Matrix) -> dict[str, Any]:
        place = dict(zip("xyz", (pose[:3, 3] * 100).tolist(), strict=True))
        return {
            "cameraType": int(camera.model == "fisheye"),
            "distortionCoeff": [*camera.distortion, *[0.0] * 14][:14],
            "extrinsics": {
                "rotationMatrix": pose[:3, :3].tolist(),
                "specTranslation": {"x": -7.5, "y": 0.0, "z": 0.0},
                "toCameraSocket": to,
                "translation": place,
            },
            "width": 320,
            "height": 240,
            "intrinsicMatrix": camera.matrix.tolist(),
            "lensPosition": 0,
        }

    colour = section(rig.left, -1, np.zeros((4, 4))) | {"width": 1920, "height": 1080}
    content = {
        "boardName": "OAK-D",
        "cameraData": [
            [2, section(rig.right, 0, BODY)],
            [1, section(rig.left, 2, pose_of(rig))],
            [0, colour],
        ],
        "stereoRectificationData": {"leftCameraSocket": 1, "rightCameraSocket": 2},
    }
    return [written(folder / "oak.json", json.dumps(content))]


def ros(folder: Path, rig: Rig) -> list[Path]:
    levelling = levelling_of(rig)
    texts = (ros_text(rig, side, levelling) for side in (0, 1))
    names = ("left.yaml", "right.yaml")
    return [written(folder / name, text) for name, text in zip(names, texts, strict=True)]


def ost(folder: Path, rig: Rig) -> list[Path]:
    """Write a pair as ROS's calibrator does in ``ost.txt``, with rounded numbers."""
    levelling, text = levelling_of(rig), ""
    for side, name in enumerate(("left", "right")):
        text += "# oST version 5.0 parameters\n\n\n[image]\n\nwidth\n320\n\nheight\n240\n\n"
        text += f"[narrow_stereo/{name}]\n\n"
        camera = rig.cameras[side]
        for title, matrix in (
            ("camera matrix", camera.matrix),
            ("distortion", camera.coefficients[None]),
            ("rectification", levelling.rotations[side]),
            ("projection", levelling.projections[side]),
        ):
            lines = [" ".join(f"{number:.15g}" for number in row) for row in matrix.tolist()]
            text += "\n".join([title, *lines, "", ""])
    return [written(folder / "ost.txt", text)]


def opencv(folder: Path, rig: Rig) -> list[Path]:
    return [write_opencv(folder / "rig.yml", opencv_names(rig) | model_of(rig))]


def model_of(rig: Rig) -> dict[str, str]:
    """Name the model of a rig whose four coefficients could be those of either."""
    names = {"plumb-bob": "plumb_bob", "fisheye": "fisheye"}
    return {"distortion_model": names[rig.left.model]} if len(rig.left.distortion) == 4 else {}


def npz(folder: Path, rig: Rig) -> list[Path]:
    names = opencv_names(rig)
    arrays = {
        "cameraMatrix1": names["M1"],
        "distCoeffs1": names["D1"],
        "cameraMatrix2": names["M2"],
        "distCoeffs2": names["D2"],
        "R": names["R"],
        "T": names["T"],
        "imageSize": np.array(SIZE),
        "objpoints": np.zeros((400, 54, 3), np.float32),
    }
    arrays |= {name: np.array(text) for name, text in model_of(rig).items()}
    np.savez(folder / "stereo.npz", **arrays)
    return [folder / "stereo.npz"]


def own(folder: Path, rig: Rig) -> list[Path]:
    write_rig(folder / "rig.toml", rig)
    return [folder / "rig.toml"]


def zed(folder: Path, rig: Rig) -> list[Path]:
    import cv2

    keys = {4: ("k1", "k2", "k3", "k4"), 5: ("k1", "k2", "p1", "p2", "k3")}
    keys[8] = (*keys[5], "k4", "k5", "k6")
    text = ""
    for side, camera in zip(("LEFT", "RIGHT"), rig.cameras, strict=True):
        by_key = dict(zip(("fx", "fy", "cx", "cy"), intrinsics(camera), strict=True))
        text += f"[{side}_CAM_HD]\n" + "".join(f"{k}={v!r}\n" for k, v in by_key.items())
        lens = zip(keys[len(camera.distortion)], camera.distortion, strict=True)
        text += f"[{side}_DISTO]\n" + "".join(f"{key}={value!r}\n" for key, value in lens)
    x, y, z = (rig.translation * 1000).tolist()
    rx, ry, rz = cv2.Rodrigues(rig.rotation)[0].ravel().tolist()
    text += f"[STEREO]\nBaseline={-x!r}\nTY={y!r}\nTZ={z!r}\n"
    text += f"RX_HD={rx!r}\nCV_HD={ry!r}\nRZ_HD={rz!r}\n"
    return [written(folder / "SN1.conf", text)]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Writer:
    """A format: what writes it, what it holds, and the unit that its lengths are in."""

    write: Callable[[Path, Rig], list[Path]]
    form: str
    models: tuple[tuple[Model, int], ...]
    unit: str = "m"


RADTAN: tuple[Model, int] = ("plumb-bob", 4)
FISHEYE: tuple[Model, int] = ("fisheye", 4)
PLAIN: tuple[Model, int] = ("plumb-bob", 5)
ALL: tuple[tuple[Model, int], ...] = (RADTAN, PLAIN, ("rational", 8), FISHEYE)
WRITERS = (
    Writer(kalibr, "Kalibr", (RADTAN, FISHEYE)),
    Writer(kalibr_imu, "Kalibr", (RADTAN, FISHEYE)),
    Writer(open_vins, "Kalibr", (RADTAN, FISHEYE)),
    Writer(euroc, "EuRoC", (RADTAN, FISHEYE)),
    Writer(orb_slam, "ORB-SLAM", (PLAIN, FISHEYE)),
    Writer(basalt, "Basalt", (("rational", 8), FISHEYE)),
    Writer(depthai, "DepthAI", (("rational", 14), FISHEYE), "cm"),
    Writer(ros, "ROS", ALL),
    Writer(ost, "ROS", (PLAIN, ("rational", 8))),
    Writer(opencv, "OpenCV", (*ALL, ("rational", 12), ("rational", 14))),
    Writer(npz, "OpenCV", ALL),
    Writer(own, "wheatstone", ALL),
    Writer(zed, "ZED", (PLAIN, ("rational", 8), FISHEYE), "mm"),
)
CASES = [
    pytest.param(writer, model, count, id=f"{writer.write.__name__}-{model}-{count}")
    for writer in WRITERS
    for model, count in writer.models
]


@pytest.mark.parametrize(("writer", "model", "count"), CASES)
def test_a_format_holds_its_camera_models(
    tmp_path: Path, writer: Writer, model: Model, count: int
) -> None:
    rig = rig_with(model, count)
    known = read_calibration(*writer.write(tmp_path, rig))
    expected = replace(rig, size=(1280, 720)) if writer.form == "ZED" else rig
    assert known.form == writer.form and not known.remark
    assert known.rig and same(known.rig, expected, 1e-9)
    assert rectify_rig(known.rig, *expected.size or SIZE).calibration.baseline == pytest.approx(
        rig.baseline
    )


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.write.__name__)
@pytest.mark.parametrize("way", ["option", "file"])
def test_a_unit_is_given_for_every_format(tmp_path: Path, writer: Writer, way: str) -> None:
    rig = rig_with(*writer.models[0])
    files = writer.write(tmp_path, rig)
    if way == "file":
        files[0].with_name(f"{files[0].name}.unit").write_text("mm\n")
    choices = CalibrationChoices(unit="mm" if way == "option" else None)
    known = read_calibration(*files, choices=choices)
    natural = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}[writer.unit]
    assert known.rig and known.rig.baseline == pytest.approx(rig.baseline / natural * 1e-3)
    assert not known.remark


@pytest.mark.parametrize("write", [kalibr, open_vins, euroc, orb_slam, ros])
def test_a_key_names_the_unit_in_yaml(
    tmp_path: Path, write: Callable[[Path, Rig], list[Path]]
) -> None:
    rig = rig_with(*PLAIN)
    files = write(tmp_path, rig)
    for path in files:
        path.write_text(f"{path.read_text()}unit: mm\n")
    known = read_calibration(*files)
    assert known.rig and known.rig.baseline == pytest.approx(rig.baseline / 1000)
    assert not known.remark


def remark_of(folder: Path, baseline: float, **choices: Any) -> str:
    rig = replace(a_rig(), translation=np.array([-baseline, 0, 0]))
    return read_calibration(*opencv(folder, rig), choices=CalibrationChoices(**choices)).remark


def test_an_unusual_baseline_is_questioned_in_both_units(tmp_path: Path) -> None:
    assert not remark_of(tmp_path, 0.01) and not remark_of(tmp_path, 1.0)
    endoscope = remark_of(tmp_path, 4.2)
    assert "4.2 m, with lengths in m; in mm it would be 4.2 mm" in endoscope
    assert "--calibration-unit mm" in endoscope
    assert "60 m, with lengths in m; in mm it would be 0.06 m" in remark_of(tmp_path, 60.0)
    assert "a baseline of 4.2 mm" in remark_of(tmp_path, 0.0042)
    assert not remark_of(tmp_path, 4.2, unit="m") and not remark_of(tmp_path, 4.2, unit="mm")


def test_a_unit_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    path = kalibr(tmp_path, rig_with(*RADTAN))[0]
    path.with_name("camchain.yaml.unit").write_text("feet")
    with pytest.raises(ValueError, match=r"camchain\.yaml\.unit: unit must be one of mm, cm, m"):
        read_calibration(path)


def test_rectified_formats_take_the_unit_too(tmp_path: Path) -> None:
    content = {"intrinsic": {"fx": 2262.5, "fy": 2265.3, "u0": 1096.9, "v0": 513.1}}
    content["extrinsic"] = {"baseline": 0.209313, "pitch": 0.038, "x": 1.7}
    camera = written(tmp_path / "camera.json", json.dumps(content))
    known = read_calibration(camera)
    assert known.form == "Cityscapes" and not known.remark
    assert known.calibration == Calibration(2262.5, 0.209313, (1096.9, 513.1))
    k = written(tmp_path / "K.txt", "754.66 0.0 489.37 0.0 754.66 265.16 0.0 0.0 1.0\n0.063\n")
    known = read_calibration(k)
    assert known.form == "FoundationStereo"
    assert known.calibration == Calibration(754.66, 0.063, (489.37, 265.16))
    k.write_text(k.read_text().replace("0.063", "63"))
    inch = read_calibration(k, choices=CalibrationChoices(unit="mm")).calibration
    assert inch and inch.baseline == pytest.approx(0.063)


def calibration(expected: FoundCalibration) -> Calibration:
    assert expected.calibration
    return expected.calibration


@pytest.mark.parametrize(
    ("more", "remark"),
    [
        ('Camera.type: "PinHole"\nCamera.bf: 60.0\n', "taken as rectified"),
        ('Camera.type: "Rectified"\nStereo.b: 0.12\n', ""),
        ("Camera.bf: 60.0\nCamera.k1: 0.0\n", "taken as rectified"),
    ],
)
def test_orb_slams_rectified_pairs_have_b_or_bf(tmp_path: Path, more: str, remark: str) -> None:
    text = "%YAML:1.0\nCamera.fx: 500.0\nCamera.fy: 500.0\nCamera.cx: 320.0\nCamera.cy:240.0\n"
    known = read_calibration(written(tmp_path / "KITTI.yaml", text + more))
    assert known.form == "ORB-SLAM" and remark in known.remark
    assert calibration(known) == Calibration(500.0, 0.12, (320.0, 240.0))
    bent = written(tmp_path / "bent.yaml", f"{text}Camera.bf: 60.0\nCamera.k1: -0.3\n")
    with pytest.raises(ValueError, match=r"for which Camera2 .* are missing"):
        read_calibration(bent)


def test_orb_slams_older_files_have_tlr(tmp_path: Path) -> None:
    rig = rig_with(*FISHEYE)
    path = orb_slam(tmp_path, rig)[0]
    text = path.read_text().replace("Camera1.", "Camera.").replace("Stereo.T_c1_c2", "Tlr")
    path.write_text(text)
    known = read_calibration(path)
    assert known.rig and same(known.rig, rig, 1e-9)


def test_files_of_several_cameras_need_a_choice(tmp_path: Path) -> None:
    rig = rig_with(*RADTAN)
    text = chain_text(rig, "T_cn_cnm1", (None, pose_of(rig)))
    third = text.split("cam1:")[1]
    path = written(tmp_path / "camchain.yaml", f"{text}cam2:{third}")
    with pytest.raises(ValueError, match=r"cameras 0, 1, 2: choose .*such as cameras 0,1"):
        read_calibration(path)
    chosen = read_calibration(path, choices=CalibrationChoices(cameras=(0, 1)))
    assert chosen.rig and same(chosen.rig, rig)
    ends = read_calibration(path, choices=CalibrationChoices(cameras=(0, 2))).rig
    twice = pose_of(rig) @ pose_of(rig)
    assert ends and np.allclose(ends.translation, twice[:3, 3])
    assert np.allclose(ends.rotation, twice[:3, :3])
    with pytest.raises(ValueError, match="depth would be negative"):
        read_calibration(path, choices=CalibrationChoices(cameras=(1, 0)))


def test_basalts_pinhole_has_no_distortion_and_others_are_refused(tmp_path: Path) -> None:
    rig = rig_with("plumb-bob", 0)
    rig = replace(
        rig,
        **{side: replace(getattr(rig, side), distortion=(0.0,) * 4) for side in ("left", "right")},
    )
    path = basalt(tmp_path, rig)[0]
    known = read_calibration(path)
    assert known.rig and same(known.rig, rig, 1e-9)
    path.write_text(path.read_text().replace('"pinhole"', '"ds"'))
    with pytest.raises(ValueError, match="camera_type 'ds' is not known; calibrate with one of"):
        read_calibration(path)


def test_an_oak_camera_without_stereo_pair_needs_a_choice(tmp_path: Path) -> None:
    rig = rig_with("rational", 14)
    path = depthai(tmp_path, rig)[0]
    path.write_text(path.read_text().replace("stereoRectificationData", "other"))
    with pytest.raises(ValueError, match="such as cameras 0,1"):
        read_calibration(path)
    result = read_calibration(path, choices=CalibrationChoices(cameras=(1, 2))).rig
    assert result and same(result, rig, 1e-9)


def test_the_rectified_blocks_of_both_cameras_are_enough(tmp_path: Path) -> None:
    straight = np.eye(3)
    left = np.array([[480.0, 0, 320, 0], [0, 480, 240, 0], [0, 0, 1, 0]])
    right = left.copy()
    right[0, 3] = -52.8
    matrix = np.array([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]])
    named: dict[str, Any] = {}
    for side, projection in (("LEFT", left), ("RIGHT", right)):
        named |= {f"{side}.width": 640, f"{side}.height": 480, f"{side}.K": matrix}
        named |= {f"{side}.D": np.array([[-0.1, 0.02, 0, 0, 0]]), f"{side}.R": straight}
        named |= {f"{side}.P": projection}
    lines = ["%YAML:1.0", "---"]
    for name, value in named.items():
        if isinstance(value, int):
            lines.append(f"{name}: {value}")
        else:
            height, width = value.shape
            lines.append(f"{name}: !!opencv-matrix\n   rows: {height}\n   cols: {width}\n   dt: d")
            lines.append(f"   data: {value.ravel().tolist()}")
    known = read_calibration(written(tmp_path / "rig.yml", "\n".join(lines)))
    assert known.size == (640, 480) and "follow from P1 and P2" in known.remark
    assert known.rig and known.rig.baseline == pytest.approx(0.11)
    assert known.rig.levelling and rectify_rig(known.rig, 640, 480).calibration.focal == 480


def test_projections_alone_are_a_rectified_pair(tmp_path: Path) -> None:
    left = np.array([[480.0, 0, 320, 0], [0, 480, 240, 0], [0, 0, 1, 0]])
    right = left.copy()
    right[0, 3] = -48
    known = read_calibration(write_opencv(tmp_path / "p.yml", {"P1": left, "P2": right}))
    assert calibration(known) == Calibration(480.0, 0.1, (320.0, 240.0))
    assert "taken as rectified" in known.remark


def test_what_opencvs_file_lacks_is_assumed_and_reported(tmp_path: Path) -> None:
    names = opencv_names(a_rig())
    without = {name: value for name, value in names.items() if name not in ("D1", "D2")}
    known = read_calibration(write_opencv(tmp_path / "rig.yml", without))
    assert known.remark == "D1 and D2 are missing: taken as no distortion"
    assert known.rig and known.rig.left.distortion == (0.0,) * 4
    empty = names | {"D1": np.zeros((0, 0)), "D2": np.zeros((0, 0))}
    known = read_calibration(write_opencv(tmp_path / "empty.yml", empty))
    assert known.rig and known.rig.right.distortion == (0.0,) * 4


def test_a_rectification_of_another_baseline_gives_way_to_t(tmp_path: Path) -> None:
    rig = a_rig()
    levelling = levelling_of(rig)
    sides = dict(zip(("R1", "R2"), levelling.rotations, strict=True))
    left, right = levelling.projections
    wrong = right.copy()
    wrong[0, 3] *= 2
    named = opencv_names(rig) | sides | {"P1": left, "P2": wrong}
    known = read_calibration(write_opencv(tmp_path / "rig.yml", named))
    assert "by T, but" in known.remark and "T is used" in known.remark
    assert known.rig and rectify_rig(known.rig, *SIZE).calibration.baseline == pytest.approx(
        rig.baseline
    )


@pytest.mark.parametrize(
    ("lost", "remark"),
    [
        ("distortion_model", ""),
        ("image_width", ""),
        ("rectification_matrix", "R is missing: taken as the identity"),
        ("distortion_coefficients", "D is missing: taken as no distortion"),
    ],
)
def test_a_camera_info_may_lack_what_follows(tmp_path: Path, lost: str, remark: str) -> None:
    camera = Camera(np.array([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]]))
    rig = Rig(camera, camera, np.eye(3), np.array([-0.1, 0, 0]), (640, 480))
    files = []
    for side, name in enumerate(("left.yaml", "right.yaml")):
        levelling = levelling_of(rig)
        straight = RectifiedCameras((np.eye(3), np.eye(3)), levelling.projections)
        lines = ros_text(rig, side, straight).split("\n")
        first = next(n for n, line in enumerate(lines) if line.startswith(lost))
        last = first + 1
        while lines[last].startswith(" "):
            last += 1
        files.append(written(tmp_path / name, "\n".join(lines[:first] + lines[last:])))
    known = read_calibration(*files)
    assert known.rig and known.rig.baseline == pytest.approx(0.1) and known.remark == remark


def test_camera_infos_without_k_are_a_rectified_pair_and_without_p_refused(tmp_path: Path) -> None:
    files = []
    for name, along in (("l.yaml", 0.0), ("r.yaml", -50.0)):
        text = f"image_width:640\nimage_height:480\nP:[500, 0, 320, {along}, 0, 500, 240, 0, "
        text += "0, 0, 1, 0]\n"
        files.append(written(tmp_path / name, text))
    known = read_calibration(*files)
    assert calibration(known) == Calibration(500.0, 0.1, (320.0, 240.0))
    for path in files:
        path.write_text("camera_matrix: [500, 0, 320, 0, 500, 240, 0, 0, 1]\n")
    with pytest.raises(ValueError, match="where the cameras stand is not known"):
        read_calibration(*files)


def test_values_may_follow_without_a_space(tmp_path: Path) -> None:
    rig = rig_with(*PLAIN)
    path = orb_slam(tmp_path, rig)[0]
    path.write_text(re.sub(r": (?=[-\d!\[])", ":", path.read_text()))
    known = read_calibration(path)
    assert known.rig and same(known.rig, rig, 1e-9)


def test_older_zed_files_lack_ty_and_tz(tmp_path: Path) -> None:
    path = zed(tmp_path, rig_with(*PLAIN))[0]
    text = "\n".join(line for line in path.read_text().split("\n") if line[:2] not in ("TY", "TZ"))
    path.write_text(text)
    known = read_calibration(path)
    assert known.rig and known.rig.translation[1:].tolist() == [0, 0]
    assert known.remark == "TY, TZ missing: taken as 0"


@pytest.mark.parametrize("how", ["cut", "object", "bomb", "text"])
def test_a_damaged_archive_is_refused_in_one_line(tmp_path: Path, how: str) -> None:
    path = tmp_path / "stereo.npz"
    if how == "object":
        np.savez(path, R=np.array([{}, 1], object), allow_pickle=True)
    elif how == "bomb":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("R.npy", b"\0" * 2**24)
    else:
        npz(tmp_path, rig_with(*PLAIN))
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] if how == "cut" else b"no archive at all")
    with pytest.raises(ValueError, match=r"stereo\.npz: no ") as error:
        read_calibration(path)
    assert "\n" not in str(error.value)


def tum_vi() -> Rig:
    """A fisheye rig of 195 degrees, as of the TUM-VI data set: 190.98 px at 512x512."""
    lens = (0.0034, 0.0007, -0.0020, 0.0002)
    left = Camera(np.array([[190.98, 0, 254.93], [0, 190.97, 256.90], [0, 0, 1]]), lens, "fisheye")
    right = replace(left, matrix=np.array([[190.44, 0, 252.60], [0, 190.43, 254.92], [0, 0, 1]]))
    return Rig(left, right, np.eye(3), np.array([-0.101, 0.0019, 0.0013]), (512, 512))


def test_fisheye_views_keep_the_resolution_at_their_centre(tmp_path: Path) -> None:
    rig = tum_vi()
    maps = rectify_rig(rig, 512, 512)
    assert maps.calibration.focal == pytest.approx(190.7, abs=0.3)
    assert maps.calibration.baseline == pytest.approx(rig.baseline)
    assert maps.left.outside == maps.right.outside == 0
    row, column = maps.left.at(256, 256)
    assert abs(row - 256) < 3 and abs(column - 256) < 3
    valid, everything = (
        rectify_rig(replace(rig, balance=balance), 512, 512).calibration.focal
        for balance in (0.0, 1.0)
    )
    assert everything <= valid < 70


def test_balance_shows_more_of_views_with_distortion(tmp_path: Path) -> None:
    rig = a_rig()
    usual, valid, everything = (
        levelling_of(replace(rig, balance=balance)).projections[0][0, 0]
        for balance in (None, 0.0, 1.0)
    )
    assert usual == valid > everything
    files = ros(tmp_path, rig)
    known = read_calibration(*files, choices=CalibrationChoices(balance=0.5))
    assert "balance is not used" in known.remark


def test_doctor_takes_the_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    path = kalibr(tmp_path, rig_with(*FISHEYE))[0]
    assert main(["doctor", str(path)]) == 0
    output = capsys.readouterr().out
    assert "fisheye, 4 coefficients" in output and "0.2501 m" in output
    assert main(["doctor", str(path), "--calibration-unit", "cm", "--balance", "1"]) == 0
    assert "0.002501 m" in capsys.readouterr().out
    assert main(["doctor", str(path), "--cameras", "0,5"]) == 2
    assert "camera 5 is not in the file" in capsys.readouterr().err
    assert main(["doctor", str(path), "--cameras", "left"]) == 2
    assert "cameras must be two different numbers" in capsys.readouterr().err


def test_the_file_of_a_unit_belongs_to_the_inputs_of_a_frame(tmp_path: Path) -> None:
    ref = FrameRef("im0", tmp_path / "im0.png", tmp_path / "im1.png")
    inputs = ref.inputs(SourceSpec("im0.png", calibration=str(tmp_path / "rig.yml")))
    assert {f"{tmp_path}/calib.txt.unit", f"{tmp_path}/rig.yml.unit"} <= set(inputs)
