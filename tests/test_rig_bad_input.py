"""Rigs that cannot be end in one line that names what is wrong, and exit code 2."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.rigs import a_rig, opencv_names, rig_text, turned, write_opencv
from tests.test_rig_files import KALIBR, ros_text, zed_text
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.cameras.calibration_files import read_calibration
from wheatstone.viewer.io.cameras.checks import checked_rig
from wheatstone.viewer.io.cameras.levelling import levelling_of, rectify_rig
from wheatstone.viewer.io.cameras.rig import Matrix, RectifiedCameras, Rig


def changed(matrix: Matrix, **places: float) -> Matrix:
    """A copy of a matrix with other numbers, each named by row and column, such as ``at01``."""
    result = matrix.copy()
    for name, value in places.items():
        result[int(name[2]), int(name[3])] = value
    return result


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
    "swapped": (lambda: moved(0.25, 0, 0), "depth would be negative; if R and T"),
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
    make, text = IMPOSSIBLE[name]
    with pytest.raises(ValueError, match=text):
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
    with pytest.raises(
        ValueError, match=rf"rig\.yml: no calibration \({name} missing next to M1\)"
    ):
        read_calibration(path)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "M1": ({"M1": np.eye(2)}, r"M1 must have 9 numbers \(got 4\)"),
    "D1": ({"D1": np.zeros((1, 3))}, r"D1 must have 4 or 5 or 8 or 12 or 14 numbers"),
    "T": ({"T": np.zeros((2, 1))}, "T must have 3 numbers"),
    "unit": ({"unit": "ft"}, "unit must be one of mm, cm, m"),
    "model": ({"distortion_model": "omni"}, "distortion model 'omni' is not known"),
    "size": ({"image_width": 320.5}, "image size must be an integer"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_file_of_opencv_has_wrong_is_named(tmp_path: Path, name: str) -> None:
    more, text = WRONG[name]
    path = write_opencv(tmp_path / "rig.yml", opencv_names(a_rig()) | more)
    with pytest.raises(ValueError, match=rf"rig\.yml: no calibration \({text}"):
        read_calibration(path)


def test_q_of_swapped_cameras_is_refused(tmp_path: Path) -> None:
    q = np.array([[1.0, 0, 0, -160], [0, 1, 0, -120], [0, 0, 0, 260], [0, 0, -4, 0]])
    with pytest.raises(ValueError, match="by Q depth would be negative: exchange"):
        read_calibration(write_opencv(tmp_path / "q.yml", {"Q": q}))


def test_one_camera_info_is_not_enough_and_two_swapped_are_reported(tmp_path: Path) -> None:
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
    ("before", "after", "message"),
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
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    text = KALIBR.format(d0=[0.1, 0.0, 0.0, 0.0], model="radtan", pose=POSE)
    path = tmp_path / "camchain.yaml"
    path.write_text(text)
    assert read_calibration(path).form == "Kalibr" and before in text
    path.write_text(text.replace(before, after))
    with pytest.raises(ValueError, match=rf"camchain\.yaml: no calibration \({message}"):
        read_calibration(path)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("Baseline = 120.0", "", "baseline is missing"),
        ("Baseline = 120.0", "Baseline = wide", "baseline must be a number"),
        ("[RIGHT_CAM_HD]", "[RIGHT_CAM_XL]", "right_cam_hd is missing"),
        ("k1=-0.17", "", "k1 is missing"),
    ],
)
def test_a_zed_file_that_lacks_something_is_refused(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    path = tmp_path / "SN1.conf"
    assert before in zed_text()
    path.write_text(zed_text().replace(before, after))
    with pytest.raises(ValueError, match=rf"SN1\.conf: no calibration \({message}"):
        read_calibration(path)


@pytest.mark.parametrize(
    ("before", "after", "message"),
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
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    text = rig_text(a_rig())
    assert before in text
    (tmp_path / "rig.toml").write_text(text.replace(before, after, 1))
    with pytest.raises(ValueError, match=message) as error:
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
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1 and words[0] in lines[0]
