"""Rigs that tests share, files of them as other programs write them, and what they take."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from wheatstone.viewer.io.cameras.calibration_files import FoundCalibration
from wheatstone.viewer.io.cameras.formats.rig_toml import rig_sections
from wheatstone.viewer.io.cameras.rectification import RawPair, ViewMap
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model, Rig
from wheatstone.viewer.io.scenes.raycast import SceneMoment
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.rig_views import render_rig, views_of
from wheatstone.viewer.io.sources.scene import Scene

DISTORTION: Mapping[Model, tuple[float, ...]] = {
    "plumb-bob": (-0.3, 0.09, 0.001, -0.0007, 0.0),
    "rational": (0.1, 0.2, 0.0, 0.0, 0.01, 0.3, 0.1, 0.02),
    "fisheye": (0.02, -0.01, 0.003, 0.0),
}


def turned(*degrees: float) -> Matrix:
    """The rotation of Rodrigues' vector."""
    return np.asarray(cv2.Rodrigues(np.radians(np.array(degrees)))[0], np.float64)


def a_rig(model: Model = "plumb-bob", ratio: float = 1.0) -> Rig:
    """A rig of two cameras that differ, at ``ratio`` times 320x240; 0.25 m apart."""
    left = np.array([[260.0, 0, 159], [0, 261, 120], [0, 0, 1]])
    right = np.array([[263.0, 0, 162], [0, 262, 118], [0, 0, 1]])
    one, other = (Camera(matrix, DISTORTION[model], model) for matrix in (left, right))
    apart = np.array([-0.25, 0.004, -0.006])
    rig = Rig(one, other, turned(1.0, -1.5, 0.8), apart, (320, 240))
    return rig.scaled(round(320 * ratio), round(240 * ratio))


def write_opencv(path: Path, named: Mapping[str, Any]) -> Path:
    """Write named values with OpenCV's own writer; a tuple is a list, as of ``cv::Size``."""
    file = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    for name, value in named.items():
        if isinstance(value, tuple):
            file.startWriteStruct(name, cv2.FILE_NODE_SEQ + cv2.FILE_NODE_FLOW)
            for item in value:
                file.write("", item)
            file.endWriteStruct()
        else:
            file.write(name, value)
    file.release()
    return path


def opencv_names(rig: Rig) -> dict[str, Any]:
    """What OpenCV's sample of stereo calibration writes of a rig, in one file."""
    named: dict[str, Any] = {}
    for number, camera in enumerate(rig.cameras, 1):
        named |= {f"M{number}": camera.matrix, f"D{number}": camera.coefficients[None]}
    named |= {"R": rig.rotation, "T": rig.translation[:, None]}
    return named | ({"image_width": rig.size[0], "image_height": rig.size[1]} if rig.size else {})


def same(one: Rig, other: Rig, within: float = 1e-12) -> bool:
    """Whether two rigs have the same numbers."""
    parts = [
        (one.rotation, other.rotation),
        (one.translation, other.translation),
        *((a.matrix, b.matrix) for a, b in zip(one.cameras, other.cameras, strict=True)),
        *(
            (a.coefficients, b.coefficients)
            for a, b in zip(one.cameras, other.cameras, strict=True)
        ),
    ]
    models = [camera.model for camera in (*one.cameras, *other.cameras)]
    return (
        all(a.shape == b.shape and np.allclose(a, b, 0, within) for a, b in parts)
        and models[:2] == models[2:]
        and (one.size, one.unit) == (other.size, other.unit)
    )


SIZE = (320, 240)


def straight() -> Rig:
    """The rig that the built-in scenes are seen by at 320x240: rectified as it stands."""
    camera = Camera(np.array([[288.0, 0, 159.5], [0, 288, 119.5], [0, 0, 1]]))
    return Rig(camera, camera, np.eye(3), np.array([-0.25, 0, 0]), SIZE)


@cache
def stage() -> SceneMoment:
    """A moment of a scene, for rigs to take."""
    return Scene("corridor", 0, SIZE).stage(3)


def taken(rig: Rig) -> Frame:
    """What a rig takes of the scene."""
    return render_rig(stage(), views_of(FoundCalibration(rig, "test", (), SIZE), SIZE))


@cache
def pair_of_a_rig() -> RawPair:
    """What the usual rig takes of the scene."""
    raw = taken(a_rig()).raw
    assert raw
    return raw


def write_pair(folder: Path) -> tuple[str, str, str]:
    """Write two images that a rig took, left.png and right.png, and the rig, rig.toml."""
    raw = pair_of_a_rig()
    for name, pixels in (("left.png", raw.left), ("right.png", raw.right)):
        cv2.imwrite(str(folder / name), pixels[..., ::-1])
    write_rig(folder / "rig.toml", a_rig())
    return str(folder / "left.png"), str(folder / "right.png"), str(folder / "rig.toml")


def rig_text(rig: Rig) -> str:
    """Format a rig as the text of our own file, from which ``rig_of`` restores the same numbers."""
    lines = []
    for name, section in rig_sections(rig).items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in section.items()), ""]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    """Format a value as TOML, numbers with all digits; each row of a matrix in a line."""
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text.replace("], [", "],\n    [")


def write_rig(path: Path, rig: Rig) -> None:
    """Write a rig as TOML that ``--calibration`` reads."""
    path.write_text(rig_text(rig), encoding="utf-8")


def identity_map(width: int, height: int) -> ViewMap:
    """Make a map that does not change the view."""
    place = np.empty((height, width, 2), np.int16)
    place[..., 0], place[..., 1] = np.arange(width), np.arange(height)[:, None]
    return ViewMap(place, np.zeros((height, width), np.uint16))
