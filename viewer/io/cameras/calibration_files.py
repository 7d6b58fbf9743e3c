"""Reading of calibration files of pairs and rigs: from data sets, cameras, OpenCV, ROS, Kalibr."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.formats.detection import Size, load, understood
from wheatstone.viewer.io.cameras.rig import Rig, whole_ratio
from wheatstone.viewer.io.reading.named_values import LARGEST, read_named_values
from wheatstone.viewer.io.reading.regular_files import read_regular

MIDDLEBURY = "calib.txt"
"""The name of the file in a pair's folder at Middlebury and ETH3D."""
KITTI = ("calib_cam_to_cam", "calib")
"""KITTI's calibration folders of 2015 and 2012, next to the image folders; one file per pair."""
GREY_CAMERAS, COLOUR_CAMERAS = (0, 1), (2, 3)
KITTI_GREY = "image_0"
"""The folder of the left views of KITTI's grey cameras."""


@dataclass(frozen=True, eq=False)
class FoundCalibration:
    """A calibration that was read from files, of a rectified pair or of a rig.

    Attributes:
        cameras: a pair whose images are rectified already, or a rig whose images are not.
        form: the name of the format, such as ``OpenCV``.
        files: one, or two that belong together.
        size: of the images that it is for; None if it is not known.
        remark: a note for the user; empty: no note.
    """

    cameras: Calibration | Rig
    form: str
    files: tuple[Path, ...]
    size: Size | None = None
    remark: str = ""

    @property
    def rig(self) -> Rig | None:
        """Return the rig; None if the images are rectified already."""
        return self.cameras if isinstance(self.cameras, Rig) else None

    @property
    def calibration(self) -> Calibration | None:
        """Return the pair's calibration; None if the images have to be rectified first."""
        return self.cameras if isinstance(self.cameras, Calibration) else None

    @property
    def name(self) -> str:
        """Return the names of the files without their folders."""
        return ", ".join(path.name for path in self.files)

    def fitted(self, size: Size) -> "FoundCalibration":
        """Scale the calibration to images of a size.

        Raises:
            ValueError: the sizes do not differ by an integer factor or its inverse.
        """
        if isinstance(self.cameras, Rig):
            return replace(self, cameras=self.cameras.scaled(*size), size=size)
        ratio = whole_ratio(self.size, size) if self.size else 1.0
        return replace(self, cameras=self.cameras.scaled(ratio), size=size)


def read_calibration(
    *files: Path, size: Size | None = None, cameras: tuple[int, int] = COLOUR_CAMERAS
) -> FoundCalibration:
    """Read a calibration in any of the known formats.

    Rectified already:

    - Middlebury's and ETH3D's ``calib.txt``: cam0, baseline in millimetres, doffs;
    - KITTI's projection matrices, ``P_rect_02`` or ``P2``, in metres;
    - YAML, XML or JSON of OpenCV with the matrix ``Q`` alone.

    Rigs, whose images have to be rectified:

    - OpenCV's matrices and distortion of both cameras, R and T, in one file or in two;
    - ROS's camera_info, two files;
    - Kalibr's camchain; the ``.conf`` of a ZED camera; our own TOML.

    Args:
        files: one, or two that belong together, the left camera's first.
        size: of the images, to which the calibration is scaled; None: it is not scaled.
        cameras: numbers of the left and the right camera, if a file has more than two; if it
            does not have these, its first two are taken.

    Raises:
        OSError: a file cannot be read.
        ValueError: they hold none of these, or impossible values, or are for images of another
            size; the message is one line for the user.
    """
    if not 1 <= len(files) <= 2:
        raise ValueError(f"a calibration is one file, or two (got {len(files)})")
    loaded = [load(path) for path in files]
    called = ", ".join(map(str, files))
    try:
        form, found, own_size, remark = understood(loaded, size, cameras)
    except ValueError as error:
        raise ValueError(f"{called}: no calibration ({error})") from None
    known = FoundCalibration(found, form, files, own_size, remark)
    try:
        return known.fitted(size) if size else known
    except ValueError as error:
        raise ValueError(f"{called}: {error}") from None


def places_beside(left: Path) -> list[Path]:
    """List the paths where data sets put a left image's calibration; the first existing counts."""
    number = left.stem.split("_")[0]
    beside = [left.parent / MIDDLEBURY, left.parent.parent / MIDDLEBURY]
    return beside + [left.parent.parent / folder / f"{number}.txt" for folder in KITTI]


def calibration_of(
    left: Path, size: Size, given: Sequence[str] = ()
) -> tuple[FoundCalibration | None, tuple[str, ...]]:
    """Read a pair's calibration from the files given, else from the file of its data set.

    KITTI's files are in a folder of their own, named by the number that begins an image's name;
    those of its sequences are next to the folders of images.

    Args:
        size: of the images.

    Returns:
        The calibration, None if there is neither; and a note instead of an error if the data
        set's file cannot be used, because the user did not give it.

    Raises:
        OSError, ValueError: as ``read_calibration``, for the files given.
    """
    cameras = GREY_CAMERAS if left.parent.name == KITTI_GREY else COLOUR_CAMERAS
    if given:
        return read_calibration(*map(Path, given), size=size, cameras=cameras), ()
    found = next((path for path in places_beside(left) if os.path.isfile(path)), None)
    if found is None:
        return None, ()
    try:
        return read_calibration(found, size=size, cameras=cameras), ()
    except (OSError, ValueError) as error:
        why = str(error).removeprefix(f"{found}: ")
        return None, (f"{found.name}: left out, {why}",)


def searched_disparities(path: Path) -> int | None:
    """Read the number of disparities to search from a ``calib.txt``; None if it is not in the file.

    Raises:
        OSError, ValueError: the file cannot be read, or is damaged.
    """
    count = read_named_values(path).get("ndisp")
    return int(count) if isinstance(count, float) and count.is_integer() else None


def digest_of(files: Sequence[Path]) -> str:
    """Compute the SHA-256 of each file, as hexadecimal numbers separated by spaces."""
    return " ".join(hashlib.sha256(read_regular(path, LARGEST)).hexdigest() for path in files)
