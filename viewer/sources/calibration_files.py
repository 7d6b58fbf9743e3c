"""Read calibrations from the files of data sets and of OpenCV."""

import re
from pathlib import Path

from viewer.sources.calibration import Calibration
from viewer.sources.decoding import silent_opencv
from viewer.sources.images import read_bytes

MIDDLEBURY = "calib.txt"
"""What Middlebury and ETH3D call the file beside a pair."""
KITTI = ("calib_cam_to_cam", "calib")
"""KITTI's folders of calibrations, beside those of images, of 2015 and 2012; a file a pair."""
GREY_CAMERAS, COLOUR_CAMERAS = (0, 1), (2, 3)
KITTI_GREY = "image_0"
"""The folder of the left views of KITTI's grey cameras."""
METRES = {"mm": 1e-3, "m": 1.0}


def read_calibration(path: Path, cameras: tuple[int, int] = COLOUR_CAMERAS) -> Calibration:
    """Read a calibration in any of three formats.

    - Middlebury's and ETH3D's ``calib.txt``: cam0, baseline in millimetres, doffs;
    - KITTI's projection matrices, ``P_rect_02`` or ``P2``, in metres;
    - YAML or XML of OpenCV with the matrix ``Q`` of ``cv2.stereoRectify``: lengths are in the
      unit of the calibration pattern, taken for metres.

    Args:
        cameras: numbers of the left and the right camera, where a file knows more than two; if it
            does not know these, its first two are taken.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file holds none of these; the message is one line for the user.
    """
    text = read_bytes(path).decode("utf-8", errors="replace")
    found = re.search(r"^\s*cam0\s*=\s*\[(.+?)\]", text, re.MULTILINE | re.DOTALL)
    projections = _projections(text)
    try:
        if found:
            return _middlebury(text, found[1])
        return _kitti(projections, cameras) if projections else _opencv(path)
    except (KeyError, ValueError, IndexError) as error:
        raise ValueError(
            f"{path}: no calibration ({error}); expected a calib.txt as Middlebury's, "
            "KITTI's projection matrices, or OpenCV's YAML or XML with Q"
        ) from None


def calibration_of(left: Path, given: str | None) -> Calibration | None:
    """Find and read a pair's calibration: the file given, else the one beside the left image.

    None if there is neither.

    KITTI's files lie in a folder of their own, by the number that begins an image's name; those of
    its sequences beside the folders of images.

    Raises:
        OSError, ValueError: as ``read_calibration``.
    """
    cameras = GREY_CAMERAS if left.parent.name == KITTI_GREY else COLOUR_CAMERAS
    if given is not None:
        return read_calibration(Path(given), cameras)
    number = left.stem.split("_")[0]
    beside = [left.parent / MIDDLEBURY, left.parent.parent / MIDDLEBURY]
    beside += [left.parent.parent / folder / f"{number}.txt" for folder in KITTI]
    found = next((path for path in beside if path.is_file()), None)
    return read_calibration(found, cameras) if found else None


def _middlebury(text: str, matrix: str) -> Calibration:
    """Make a calibration of a ``calib.txt``, whose ``cam0`` is [f 0 cx; 0 f cy; 0 0 1]."""
    camera = [float(number) for number in re.split(r"[\s;,]+", matrix.strip())]
    named = dict(re.findall(r"^\s*(\w+)\s*=\s*([-+.\deE]+)\s*$", text, re.MULTILINE))
    baseline = float(named["baseline"]) * METRES["mm"]
    offset = float(named.get("doffs", 0.0))
    return _checked(Calibration(camera[0], baseline, (camera[2], camera[5]), offset))


def _projections(text: str) -> dict[int, list[float]]:
    """Find KITTI's projection matrices in a text: rows one after the other, by camera."""
    lines = re.findall(r"^P_?(?:rect_)?(\d+):([-+.\deE \t]+)$", text, re.MULTILINE)
    return {int(camera): [float(number) for number in rest.split()] for camera, rest in lines}


def _kitti(projections: dict[int, list[float]], cameras: tuple[int, int]) -> Calibration:
    """Make a calibration of projection matrices.

    Each is [f 0 cx -f*X; 0 f cy 0; 0 0 1 0], X being the camera's place along the baseline.
    """
    if not set(cameras) <= set(projections):
        cameras = tuple(sorted(projections))[:2]  # type: ignore[assignment]
    left, right = (projections[camera] for camera in cameras)
    focal, middle, row = left[0], left[2], left[6]
    baseline = (left[3] - right[3]) / focal if focal else 0.0
    return _checked(Calibration(focal, baseline, (middle, row), right[2] - middle))


def _opencv(path: Path) -> Calibration:
    """Make a calibration of OpenCV's Q.

    Q is [1 0 0 -cx; 0 1 0 -cy; 0 0 0 f; 0 0 -1/Tx (cx - cx')/Tx].
    """
    import cv2

    with silent_opencv():
        try:
            file = cv2.FileStorage(str(path), cv2.FILE_STORAGE_READ)
            q = file.getNode("Q").mat()
            file.release()
        except (cv2.error, SystemError):
            q = None
    if q is None or q.shape != (4, 4) or q[3, 2] == 0:
        raise ValueError("neither cam0 nor Q")
    per_baseline = float(q[3, 2])  # -1 / Tx, and Tx is negative
    principal = (-float(q[0, 3]), -float(q[1, 3]))
    offset = float(q[3, 3]) / per_baseline
    return _checked(Calibration(float(q[2, 3]), 1 / abs(per_baseline), principal, offset))


def _checked(calibration: Calibration) -> Calibration:
    """Return a calibration; raise ``ValueError`` unless focal length and baseline are positive."""
    if not (calibration.focal > 0 and calibration.baseline > 0):
        raise ValueError(
            "focal length and baseline must be positive "
            f"(got {calibration.focal:g} and {calibration.baseline:g})"
        )
    return calibration
