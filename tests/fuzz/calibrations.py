"""Hostile calibrations: every format that is known, damaged, and what is made to do harm."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import NUMBERS, WORDS, mutated, mutated_text
from wheatstone.viewer.cli.evaluate.data_sets import calibrated_disparities
from wheatstone.viewer.io.cameras.calibration_files import (
    FoundCalibration,
    calibration_of,
    read_calibration,
)
from wheatstone.viewer.io.cameras.facts import facts, summary
from wheatstone.viewer.io.cameras.levelling import rectify_rig
from wheatstone.viewer.io.cameras.rig import Rig

MIB = 2**20
MIDDLEBURY = """cam0=[3997.684 0 1176.728; 0 3997.684 1011.728; 0 0 1]
cam1=[3997.684 0 1307.839; 0 3997.684 1011.728; 0 0 1]
doffs=131.111
baseline=193.001
width=2964
height=1988
ndisp=280
isint=0
vmin=31
vmax=257
"""
KITTI = """calib_time: 09-Jan-2012 13:57:47
P0: 7.215377e+02 0.0 6.095593e+02 0.0 0.0 7.215377e+02 1.728540e+02 0.0 0.0 0.0 1.0 0.0
P1: 7.215377e+02 0.0 6.095593e+02 -3.875744e+02 0.0 7.215377e+02 1.72e+02 0.0 0.0 0.0 1.0 0.0
P_rect_02: 721.5 0 609.5 44.8 0 721.5 172.8 0.2 0 0 1 0.003
P_rect_03: 721.5 0 609.5 -339.5 0 721.5 172.8 2.2 0 0 1 0.003
"""
ROS = """image_width: 640
image_height: 480
camera_name: left
camera_matrix:
  rows: 3
  cols: 3
  data: [500., 0., 320., 0., 501., 240., 0., 0., 1.]
distortion_model: plumb_bob
distortion_coefficients:
  rows: 1
  cols: 5
  data: [-0.3, 0.1, 0.001, 0.0, 0.0]
rectification_matrix:
  rows: 3
  cols: 3
  data: [1., 0., 0., 0., 1., 0., 0., 0., 1.]
projection_matrix:
  rows: 3
  cols: 4
  data: [480., 0., 320., 0., 0., 480., 240., 0., 0., 0., 1., 0.]
"""
KALIBR = """cam0:
  cam_overlaps: [1]
  camera_model: pinhole
  distortion_coeffs: [-0.28, 0.07, 0.0002, 1.7e-05]
  distortion_model: radtan
  intrinsics: [458.6, 457.3, 367.2, 248.4]
  resolution: [752, 480]
cam1:
  T_cn_cnm1:
  - [0.999997, 0.0023, 0.0003, -0.110073]
  - [-0.0023, 0.999898, 0.0140, 0.000399]
  - [-0.0003, -0.0140, 0.999901, -0.000853]
  - [0.0, 0.0, 0.0, 1.0]
  camera_model: pinhole
  distortion_coeffs: [-0.28, 0.07, -0.0001, -3.5e-05]
  distortion_model: radtan
  intrinsics: [457.5, 456.1, 379.9, 255.2]
  resolution: [752, 480]
"""
LENS = "fx=700.5\nfy=700.6\ncx=641.2\ncy=361.3\nk1=-0.17\nk2=0.02\np1=0\np2=0\nk3=0\n"
ZED = (
    f"[LEFT_CAM_HD]\n{LENS}\n[RIGHT_CAM_HD]\n{LENS}\n[LEFT_CAM_VGA]\n{LENS}\n[STEREO]\n"
    "Baseline=119.9\nTY=-0.2\nTZ=0.4\nCV_HD=0.009\nRX_HD=0.002\nRZ_HD=-0.001 ; turned\n"
)
OWN = """[rig]
size = [640, 480]
unit = "m"

[left]
matrix = [[500.0, 0, 320], [0, 500.0, 240], [0, 0, 1]]
distortion = [-0.3, 0.1, 0.0, 0.0]
model = "plumb-bob"

[right]
matrix = [[500.0, 0, 320], [0, 500.0, 240], [0, 0, 1]]
distortion = [0.1, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
model = "rational"

[stereo]
rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
translation = [-0.065, 0.0, 0.0]
"""
EUROC = """sensor_type: camera
T_BS:
  cols: 4
  rows: 4
  data: [0.0, -1.0, 0.0, -0.02, 1.0, 0.0, 0.0, 0.06, 0.0, 0.0, 1.0, 0.009, 0.0, 0.0, 0.0, 1.0]
resolution: [752, 480]
camera_model: pinhole
intrinsics: [458.6, 457.3, 367.2, 248.4]
distortion_model: radial-tangential
distortion_coefficients: [-0.28, 0.07, 0.0002, 1.7e-05]
"""
ORB_SLAM = """%YAML:1.0
Camera.type: "PinHole"
Camera1.fx: 458.6
Camera1.fy:457.3
Camera1.cx: 367.2
Camera1.cy: 248.4
Camera1.k1: -0.28
Camera2.fx: 457.5
Camera2.fy: 456.1
Camera2.cx: 379.9
Camera2.cy: 255.2
Camera.width: 752
Camera.height: 480
Stereo.T_c1_c2: !!opencv-matrix
  rows: 4
  cols: 4
  dt: f
  data: [1.0, 0.0, 0.0, 0.11, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
"""
OAK = """{"cameraData": [[1, {"cameraType": 0, "distortionCoeff": [0.1, 0.2, 0.0, 0.0, 0.0],
 "extrinsics": {"rotationMatrix": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
 "toCameraSocket": 2, "translation": {"x": -7.5, "y": 0.0, "z": 0.0}}, "width": 640, "height": 400,
 "intrinsicMatrix": [[400.0, 0.0, 320.0], [0.0, 400.0, 200.0], [0.0, 0.0, 1.0]]}],
 [2, {"width": 640, "height": 400, "distortionCoeff": [],
 "intrinsicMatrix": [[400.0, 0.0, 320.0], [0.0, 400.0, 200.0], [0.0, 0.0, 1.0]]}]],
 "stereoRectificationData": {"leftCameraSocket": 1, "rightCameraSocket": 2}}
"""
LENS_OF_BASALT = """{"camera_type": "kb4", "intrinsics": {"fx": 379.0, "fy": 378.9, "cx": 505.7,
 "cy": 509.9, "k1": 0.009, "k2": -0.009, "k3": 0.01, "k4": -0.003}}"""
BASALT = (
    '{"value0": {"T_imu_cam": [\n'
    '{"px": 0.1, "py": 0.0, "pz": 0.0, "qx": 0.0, "qy": 0.0, "qz": 0.7, "qw": 0.7},\n'
    '{"px": 0.1, "py": 0.1, "pz": 0.0, "qx": 0.0, "qy": 0.0, "qz": 0.7, "qw": 0.7}],\n'
    f'"intrinsics": [{LENS_OF_BASALT},\n{LENS_OF_BASALT}],\n'
    '"resolution": [[960, 960], [960, 960]]}}\n'
)
CITYSCAPES = """{"extrinsic": {"baseline": 0.209313, "pitch": 0.03},
 "intrinsic": {"fx": 2262.52, "fy": 2265.3, "u0": 1096.98, "v0": 513.1}}
"""
OST_OF_ONE = """# oST version 5.0 parameters

[image]

width
640

height
480

[narrow_stereo/left]

camera matrix
500.0 0.0 320.0
0.0 501.0 240.0
0.0 0.0 1.0

distortion
-0.3 0.1 0.001 0.0 0.0

rectification
1.0 0.0 0.0
0.0 1.0 0.0
0.0 0.0 1.0

projection
480.0 0.0 320.0 {}
0.0 480.0 240.0 0.0
0.0 0.0 1.0 0.0
"""
RIGS = {
    "cam.yaml": ROS,
    "camchain.yaml": KALIBR,
    "SN1.conf": ZED,
    "rig.toml": OWN,
    "sensor.yaml": EUROC,
    "slam.yaml": ORB_SLAM,
    "oak.json": OAK,
    "basalt.json": BASALT,
    "camera.json": CITYSCAPES,
    "ost.txt": OST_OF_ONE.format("0.0") + OST_OF_ONE.format("-48.0"),
    "K.txt": "754.6 0.0 489.3 0.0 754.6 265.1 0.0 0.0 1.0\n0.063\n",
}
"""Formats that are written by hand, each with a name that it may have."""
OPENCV = ("calib.yml", "calib.yaml", "calib.xml", "calib.json", "calib.yml.gz")


def opencv(random: Random, path: Path) -> bytes:
    """What OpenCV writes of a stereo rig."""
    sides = np.array([1.0, 0, 0, -320.5, 0, 1, 0, -240.25, 0, 0, 0, 500, 0, 0, 8.3, 0.1])
    file = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    file.write("M1", np.eye(3) * random.choice((500.0, 1e-3, 1e30)))
    file.write("D1", np.zeros((1, 5), random.choice((np.float32, np.float64))))
    if random.random() < 0.6:
        file.write("M2", np.eye(3) * 500)
        file.write("D2", np.zeros((1, random.choice((4, 5, 8, 12, 14)))))
        file.write("R", np.eye(random.choice((3, 3, 3, 2))))
        file.write("T", np.array([[random.choice((-0.1, 0.1, -1e-300, -1e300))], [0.0], [0.0]]))
    file.write("Q", sides.reshape(4, 4).astype(random.choice((np.float32, np.float64, np.int32))))
    file.write("size", random.randrange(1, 5000))
    file.write("calibration_time", "Mon 1 Jan 10:00:00 2024")
    file.startWriteStruct("more", random.choice((cv2.FILE_NODE_SEQ, cv2.FILE_NODE_MAP)))
    file.endWriteStruct()
    file.release()
    return path.read_bytes()


SIZES = ((640, 480), (2964, 1988), (1280, 720), (64, 48))
YAML = "%YAML:1.0\n---\n"
XML = '<?xml version="1.0"?>\n'
Q = "Q: !!opencv-matrix\n   rows: {}\n   cols: {}\n   dt: {}\n   data: [ {} ]\n"
BOMB = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9) or 'x'}]\n" for i in range(1, 12))
LAUGHS = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 9}">' for i in range(1, 12))
ATTACKS: tuple[tuple[str, Callable[[Random], str]], ...] = (
    ("calib.txt", lambda r: r.choice("\n \t\r\x0b;[]=:") * r.choice((1000, MIB))),
    ("calib.txt", lambda r: r.choice(("cam0=[", "cam0=[\n", "P0: ", "a=1\n")) * (MIB // 8)),
    ("calib.txt", lambda r: "cam0=[" + r.choice(("1 ", "1;", "9")) * 10_000 + "]\nbaseline=1\n"),
    ("calib.txt", lambda r: MIDDLEBURY.replace("193.001", r.choice(NUMBERS))),
    ("calib.txt", lambda r: MIDDLEBURY.replace("ndisp=280", f"ndisp={r.choice(NUMBERS)}")),
    ("calib.txt", lambda r: KITTI.replace("P0", f"P{'9' * r.choice((1, 4, 5, 5000))}")),
    ("calib.yml", lambda r: YAML + "a0: &a0 [1]\n" + BOMB),
    ("calib.yml", lambda r: YAML + "a: &a [*a, *a]\n<<: *a\n"),
    ("calib.yml", lambda r: r.choice(("[", "{", "- ", "? ", "a: [", "{a: ", "!!x ")) * 30_000),
    ("calib.yml", lambda r: "".join(" " * i + "a:\n" for i in range(600))),
    ("calib.yml", lambda r: "%YAML 1.2\n" + "".join(f"%TAG !a{i}! b\n" for i in range(9000))),
    ("calib.yml", lambda r: YAML + "a: " + r.choice(("'", '"', "|\n ", "&", "*", "!")) * 50_000),
    ("calib.yml", lambda r: YAML + "a: !!python/object/apply:os.system ['touch ../escaped']\n"),
    ("calib.yml", lambda r: YAML + Q.format(*_sides(r), r.choice("dfiuwzh"), _numbers(r))),
    ("calib.yml", lambda r: YAML + Q.format(4, 4, r.choice(("4d", "0d", "999u", "2if")), "1")),
    ("calib.yml", lambda r: YAML + Q.format(4, 4, "d", _numbers(r))),
    ("calib.xml", lambda r: f"{XML}<!DOCTYPE a [<!ENTITY a0 'ha'>{LAUGHS}]><a>&a11;</a>"),
    ("calib.xml", lambda r: f"{XML}<!DOCTYPE a [<!ENTITY b SYSTEM '{r.choice(WORDS[8:14])}'>]>"),
    ("calib.xml", lambda r: XML + "<opencv_storage>" + "<a>" * r.choice((40, 100_000))),
    ("calib.xml", lambda r: XML + "<opencv_storage>" + "<_/>" * 50_000 + "</opencv_storage>"),
    ("calib.xml", lambda r: XML + "<opencv_storage><" + "a" * 500_000),
    ("calib.xml", lambda r: XML.replace("1.0", "1.0' encoding='utf-16") + "<opencv_storage/>"),
    ("calib.json", lambda r: '{"Q":' * r.choice((40, 100_000))),
    ("calib.json", lambda r: '{"Q": {"type_id": "opencv-matrix", "rows": ' + r.choice(NUMBERS)),
    ("calib.json", lambda r: '{"Q": ' + r.choice(("NaN", "1e999", "9" * 400, "9" * 5000)) + "}"),
    ("calib.json", lambda r: '{"Q": 1, "Q": 2}'),
    ("calib.json", lambda r: '{"' + "\\" * 99_999),
    ("SN1.conf", lambda r: "[a]\n" * 100_000),
    ("SN1.conf", lambda r: "".join(f"[a{n}]\nb=1\n" for n in range(60_000))),
    ("SN1.conf", lambda r: r.choice(("#", "; ", " ", "[", "[a", "\n")) * MIB),
    ("SN1.conf", lambda r: ZED.replace("0.009", r.choice(NUMBERS))),
    ("SN1.conf", lambda r: ZED.replace("700.5", r.choice(NUMBERS))),
    ("rig.toml", lambda r: OWN.replace("-0.065", r.choice(NUMBERS))),
    ("rig.toml", lambda r: OWN.replace("500.0", r.choice(("1e308", "nan", "-1.0", "1e-300")))),
    ("rig.toml", lambda r: OWN.replace("-0.3", r.choice(("1e12", "-1e12", "inf", "1e-320")))),
    (
        "rig.toml",
        lambda r: OWN.replace("640, 480", r.choice(("1, 1", "0, 0", "32768, 1", "-1, 2"))),
    ),
    ("cam.yaml", lambda r: ROS.replace("480.", r.choice(("0", "1e-300", "1e300", "[", "{a: 1}")))),
    ("cam.yaml", lambda r: ROS.replace("plumb_bob", r.choice(("equidistant", "omni", "[1]")))),
    ("camchain.yaml", lambda r: KALIBR.replace("radtan", r.choice(("equidistant", "fov", "{}")))),
    ("camchain.yaml", lambda r: KALIBR.replace("0.999898", r.choice(("-0.999898", "[]", "1e9")))),
)


def _sides(random: Random) -> tuple[Any, Any]:
    sides = ("4", "0", "-1", "2147483648", "1e9", "4.5", "x", "65536", ".inf")
    return random.choice(sides), random.choice(sides)


def _numbers(random: Random) -> str:
    words = (*NUMBERS, "1.", ".5", "1e-5", ".Nan", "-.Inf", "0x10", "'3'")
    return ", ".join(random.choice(words) for _ in range(random.choice((1, 16, 17))))


def make(random: Random, folder: Path) -> None:
    """Write a calibration, most often a damaged one."""
    how = random.random()
    if how < 0.25:
        text = random.choice((MIDDLEBURY, KITTI))
        content = mutated_text(random, text) if random.random() < 0.95 else text.encode()
        (folder / "calib.txt").write_bytes(content)
    elif how < 0.5:
        _damaged_rig(random, folder)
    elif how < 0.55:
        _archive(random, folder / "stereo.npz")
    elif how < 0.87:
        _damaged_opencv(random, folder / random.choice(OPENCV))
    elif how < 0.97:
        name, attack = random.choice(ATTACKS)
        (folder / name).write_bytes(attack(random).encode("utf-8", "surrogatepass"))
    else:
        _no_file(random, folder / "calib.txt")


def _damaged_rig(random: Random, folder: Path) -> None:
    """Write a rig in one of the formats that are written by hand; of ROS's two files."""
    name = random.choice(tuple(RIGS))
    content = RIGS[name].encode()
    if random.random() < 0.9:
        content = mutated_text(random, RIGS[name])
    (folder / name).write_bytes(content)
    if name == "sensor.yaml":
        (folder / "sensor1.yaml").write_text(EUROC.replace("0.06", random.choice(("-0.05", "0.2"))))
    if name == "cam.yaml":
        right = ROS.replace("320., 0., 0., 480.", f"320., {random.choice((-48, 48, 0))}., 0., 480.")
        (folder / "right.yaml").write_bytes(
            mutated_text(random, right) if random.random() < 0.3 else right.encode()
        )


def _damaged_opencv(random: Random, path: Path) -> None:
    content = opencv(random, path)
    packed = path.suffix == ".gz"
    if packed and random.random() < 0.5:
        path.write_bytes(mutated(random, content))
        return
    text = (gzip.decompress(content) if packed else content).decode()
    result = mutated_text(random, text) if random.random() < 0.95 else text.encode()
    if random.random() < 0.02:
        result = result.replace(b"1", b"0" * 200_000)
    path.write_bytes(gzip.compress(result, 1) if packed else result)


def _archive(random: Random, path: Path) -> None:
    """Write an archive of NumPy, most often a damaged one."""
    turned, lens = np.eye(3), np.zeros(random.choice((0, 4, 5, 8, 14)))
    along = np.array([random.choice((-0.1, 0.1, np.nan, -1e300)), 0, 0])
    arrays: dict[str, Any] = {
        "K1": turned * 500,
        "D1": lens,
        "K2": turned * 500,
        "D2": lens,
        "R": turned,
    }
    arrays |= {"T": along, "size": np.array([640, 480]), "map": np.zeros(random.choice((1, 10**4)))}
    for name in ("K1", "K2"):
        arrays[name][2, 2] = 1
    np.savez_compressed(path, **arrays)
    if random.random() < 0.9:
        path.write_bytes(mutated(random, path.read_bytes()))


def _no_file(random: Random, path: Path) -> None:
    """Put something where a file should be."""
    match random.randrange(4):
        case 0:
            os.mkfifo(path)
        case 1:
            path.mkdir()
        case 2:
            path.symlink_to(path)
        case _:
            path.symlink_to(random.choice(("/dev/zero", "/dev/tty", "/proc/self/mem", "absent")))


def read(folder: Path) -> None:
    """Read what was written, as a calibration beside an image and as one that was given."""
    files = sorted(folder.iterdir())
    path, size = files[0], SIZES[len(files[0].name) % len(SIZES)]
    neighbours, remarks = calibration_of(folder / "im0.png", size)
    for remark in remarks:
        if "\n" in remark or len(remark) > 1000:
            raise AssertionError(f"a remark of {len(remark)} characters: {remark[:80]!r}")
    cameras = (0, 1) if len(path.suffix) % 2 else (2, 3)
    if path.name == "calib.txt":
        calibrated_disparities(path)
    calibration = read_calibration(*files, cameras=cameras)
    texts = [*facts(calibration), ("summary", summary(calibration))]
    if any("\n" in value or len(value) > 1000 for _, value in texts):
        raise AssertionError(f"facts that no line holds: {texts!r:.300}")
    known = (
        calibration.calibration or rectify_rig(_rig(calibration), *_drawn(calibration)).calibration
    )
    if not (known.focal > 0 and np.isfinite(known.focal * known.baseline + known.offset)):
        raise AssertionError(f"no calibration: {known}")
    if (
        path.name == "calib.txt"
        and calibration.calibration
        and not calibration.size
        and neighbours is None
    ):
        raise AssertionError("read where given, but not beside an image")


def _rig(calibration: FoundCalibration) -> Rig:
    assert calibration.rig
    return calibration.rig


def _drawn(calibration: FoundCalibration) -> tuple[int, int]:
    """Choose the size at which maps are made: the rig's own, if it is small."""
    if calibration.size and max(calibration.size) <= 1000:
        return calibration.size
    raise ValueError("the maps of so large a rig are left out here")


KINDS = [FuzzKind("calibrations", make, read, weight=2.0)]
