"""Read calibrations of pairs and rigs from the files of data sets, of cameras, and of OpenCV."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.viewer.cameras.calibration import Calibration
from wheatstone.viewer.cameras.formats.telling import Size, load, understood
from wheatstone.viewer.cameras.rig import Rig, whole_ratio
from wheatstone.viewer.reading.named_values import LARGEST, read_named_values
from wheatstone.viewer.reading.regular_files import read_regular

MIDDLEBURY = "calib.txt"
"""What Middlebury and ETH3D call the file beside a pair."""
KITTI = ("calib_cam_to_cam", "calib")
"""KITTI's folders of calibrations, beside those of images, of 2015 and 2012; a file a pair."""
GREY_CAMERAS, COLOUR_CAMERAS = (0, 1), (2, 3)
KITTI_GREY = "image_0"
"""The folder of the left views of KITTI's grey cameras."""


@dataclass(frozen=True, eq=False)
class FoundCalibration:
    """What calibration files say of a pair of cameras.

    Attributes:
        cameras: a pair whose images are rectified already, or a rig whose images are not.
        form: whose format it is, such as ``OpenCV``.
        files: one, or two that belong together.
        size: of the images that it is for; None where that is not known.
        remark: what the user should know of it; empty: nothing.
    """

    cameras: Calibration | Rig
    form: str
    files: tuple[Path, ...]
    size: Size | None = None
    remark: str = ""

    @property
    def rig(self) -> Rig | None:
        """Look up the rig; None where the images are rectified already."""
        return self.cameras if isinstance(self.cameras, Rig) else None

    @property
    def calibration(self) -> Calibration | None:
        """Look up the pair's calibration; None where the images have to be rectified first."""
        return self.cameras if isinstance(self.cameras, Calibration) else None

    @property
    def name(self) -> str:
        """Name the files, without their folders."""
        return ", ".join(path.name for path in self.files)

    def fitted(self, size: Size) -> "FoundCalibration":
        """Scale what was found to images of a size.

        Raises:
            ValueError: the sizes differ by something else than a whole ratio.
        """
        if isinstance(self.cameras, Rig):
            return replace(self, cameras=self.cameras.scaled(*size), size=size)
        ratio = whole_ratio(self.size, size) if self.size else 1.0
        return replace(self, cameras=self.cameras.scaled(ratio), size=size)


def read_calibration(
    *files: Path, size: Size | None = None, cameras: tuple[int, int] = COLOUR_CAMERAS
) -> FoundCalibration:
    """Read a calibration in any of the formats that are known.

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
        size: of the images, to which what was found is scaled; None: it stays as it is.
        cameras: numbers of the left and the right camera, where a file knows more than two; if it
            does not know these, its first two are taken.

    Raises:
        OSError: a file cannot be read.
        ValueError: they hold none of these, or what no cameras can have, or for images of another
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
    """List where data sets put the calibration of a left image; the first that is there counts."""
    number = left.stem.split("_")[0]
    beside = [left.parent / MIDDLEBURY, left.parent.parent / MIDDLEBURY]
    return beside + [left.parent.parent / folder / f"{number}.txt" for folder in KITTI]


def calibration_of(
    left: Path, size: Size, given: Sequence[str] = ()
) -> tuple[FoundCalibration | None, tuple[str, ...]]:
    """Find and read a pair's calibration: the files given, else the one beside the left image.

    KITTI's files lie in a folder of their own, by the number that begins an image's name; those of
    its sequences beside the folders of images.

    Args:
        size: of the images.

    Returns:
        The calibration, None if there is neither; and a remark if the one beside the image cannot
        be used, for nobody asked for it.

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
    """Read how many disparities a ``calib.txt`` says to search; None if the file does not say.

    Raises:
        OSError, ValueError: the file cannot be read, or is damaged.
    """
    count = read_named_values(path).get("ndisp")
    return int(count) if isinstance(count, float) and count.is_integer() else None


def digest_of(files: Sequence[Path]) -> str:
    """Compute the SHA-256 of each file, as hexadecimal numbers with blanks between them."""
    return " ".join(hashlib.sha256(read_regular(path, LARGEST)).hexdigest() for path in files)
