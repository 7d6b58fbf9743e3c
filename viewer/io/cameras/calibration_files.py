"""Reading of calibration files of pairs and rigs: from data sets, cameras, OpenCV, ROS, Kalibr."""

import hashlib
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.formats.content import Pair, Size, is_central
from wheatstone.viewer.io.cameras.formats.detection import (
    CalibrationChoices,
    checked_unit,
    load,
    understood,
)
from wheatstone.viewer.io.cameras.formats.rectified import COLOUR_CAMERAS
from wheatstone.viewer.io.cameras.rig import OtherSize, Rig, similar, size_ratio
from wheatstone.viewer.io.reading.named_values import LARGEST, read_named_values
from wheatstone.viewer.io.reading.plain_text import in_shell
from wheatstone.viewer.io.reading.regular_files import read_regular

MIDDLEBURY = "calib.txt"
"""The name of the file in a pair's folder at Middlebury and ETH3D."""
KITTI = ("calib_cam_to_cam", "calib")
"""KITTI's calibration folders of 2015 and 2012, next to the image folders; one file per pair."""
DRIVING_STEREO = {f"left-image-{size}-size": f"{size}-image-calib" for size in ("half", "full")}
"""DrivingStereo's image folders, and next to each the folder with a calibration per sequence."""
CITYSCAPES = "leftImg8bit", "camera"
"""Cityscapes' folder of left images, and that of calibrations; files also end with them."""
KITTI_RAW = "calib_cam_to_cam.txt"
"""The name of the file of KITTI's raw drives, in the folder of their day or their own."""
EUROC, SENSOR = ("cam0", "cam1"), "sensor.yaml"
"""The folders of EuRoC's cameras, and the name of the file in each."""
NUMBER, CAMERA = "\0", "\1"
"""Stand for the number and the camera's name of an image, in paths, which hold no such byte."""
GREY_CAMERAS = (0, 1)
KITTI_FOLDER = re.compile(r"(?:image|colored)_0?([0-3])", re.ASCII)
"""A folder of one camera's images in KITTI: ``image_0`` or ``image_00``; ``colored_0`` is 2."""
UNIT_SUFFIX = ".unit"
"""The suffix of a file next to a calibration with the unit of its lengths, ``rig.yaml.unit``."""
LARGEST_UNIT = 64  # bytes of such a file
OFF_CENTRE = "calibration centre"
"""The finding on a calibration without a size that may be for images of another one."""
NO_CHOICES = CalibrationChoices()


@dataclass(frozen=True, eq=False)
class FoundCalibration:
    """A calibration that was read from files, of a rectified pair or of a rig.

    Attributes:
        cameras: a pair whose images are rectified already, or a rig whose images are not.
        form: the name of the format, such as ``OpenCV``.
        files: one, or two that belong together.
        size: of the images that it is for; None if it is not known.
        remarks: notes for the user.
    """

    cameras: Calibration | Rig
    form: str
    files: tuple[Path, ...]
    size: Size | None = None
    remarks: tuple[str, ...] = ()

    @property
    def rig(self) -> Rig | None:
        """Return the rig that the files describe; None if they describe a rectified pair."""
        return self.cameras if isinstance(self.cameras, Rig) else None

    @property
    def calibration(self) -> Calibration | None:
        """Return the calibration of a rectified pair; None if the files describe a rig."""
        return self.cameras if isinstance(self.cameras, Calibration) else None

    @property
    def remark(self) -> str:
        """Return all remarks on the calibration in one line; empty without any."""
        return "; ".join(self.remarks)

    @property
    def name(self) -> str:
        """Return the names of the calibration files without their folders."""
        return names_of(self.files)

    def fitted(self, size: Size, *, by_any: bool = False) -> "FoundCalibration":
        """Scale the calibration to images of a size; add a remark if it was made for another size.

        Args:
            by_any: allow every ratio of the sizes; see ``size_ratio``.

        Raises:
            OtherSize: the sizes do not differ by an integer factor or its inverse.
        """
        remarks = (*self.remarks, *self._remark_of_size(size))
        if isinstance(self.cameras, Rig):
            cameras: Calibration | Rig = self.cameras.scaled(*size, by_any=by_any)
        else:
            ratio = size_ratio(self.size, size, by_any=by_any) if self.size else 1.0
            cameras = self.cameras.scaled(ratio)
        return replace(self, cameras=cameras, size=size, remarks=remarks)

    def _remark_of_size(self, size: Size) -> tuple[str, ...]:
        """Return a remark if the calibration has to be scaled, or seems to be for another size."""
        width, height = size
        if self.size == size:
            return ()
        if self.size:
            before = dict(zip(("width", "height"), self.size, strict=True))
            return (Finding("calibration scaled", **before),)
        column, row = self.cameras.principal
        if is_central((column, row), size):
            return ()
        values = {"column": column, "row": row, "width": width, "height": height}
        return (Finding(OFF_CENTRE, **values),)


def read_calibration(
    *files: Path,
    size: Size | None = None,
    cameras: Pair | None = None,
    choices: CalibrationChoices = NO_CHOICES,
) -> FoundCalibration:
    """Read a calibration in any of the known formats, which ``FORMATS`` lists.

    Lengths are in metres: those of the files are in the unit that the user chose, else in that of
    a file next to them (``NAME.unit``), else in that of their key ``unit``, else in their format's.

    Args:
        files: one, or two that belong together, the left camera's first.
        size: of the images, to which the calibration is scaled; None: it is not scaled.
        cameras: numbers of the left and the right camera in KITTI's files, if the file has them;
            None: the colour cameras.
        choices: the user's answers to what the files leave open.

    Raises:
        OSError: a file cannot be read.
        ValueError: they hold no calibration, or impossible values, or are for images of another
            size; the message is one line for the user.
    """
    if not 1 <= len(files) <= 2:
        raise ValueError(f"a calibration is one file, or two (got {len(files)})")
    loaded = [load(path) for path in files]
    unit = next((unit for path in files if (unit := _unit_beside(path))), None)
    called = ", ".join(map(str, files))
    try:
        form, content = understood(loaded, choices, size, cameras, unit)
    except ValueError as error:
        raise ValueError(f"{called}: no calibration ({error})") from None
    known = FoundCalibration(content.cameras, form, files, content.size, content.remarks)
    try:
        return known.fitted(size, by_any=choices.scale == "any") if size else known
    except OtherSize as error:
        raise OtherSize(error.calibrated, error.images, files) from None
    except ValueError as error:
        raise ValueError(f"{called}: {error}") from None


def names_of(files: Sequence[Path]) -> str:
    """Join the names of files, with the last folder of each if several names are the same."""
    names = [path.name for path in files]
    if len(set(names)) < len(names):
        names = ["/".join(path.parts[-2:]) for path in files]
    return ", ".join(names)


def unit_file(path: str | Path) -> str:
    """Return the path of the optional file next to a calibration that names its unit."""
    return f"{path}{UNIT_SUFFIX}"


def _unit_beside(path: Path) -> str | None:
    """Read the unit from the file next to a calibration; None if there is no such file."""
    named = Path(unit_file(path))
    if not os.path.lexists(named):
        return None
    text = read_regular(named, LARGEST_UNIT).decode("utf-8", errors="replace")
    try:
        return checked_unit(text.strip())
    except ValueError as error:
        raise ValueError(f"{named}: {error}") from None


def kitti_cameras(left: Path) -> Pair | None:
    """Return KITTI's camera numbers by the folder of a left image; None for other folders."""
    for folder in (left.parent.name, left.parent.parent.name):
        if match := KITTI_FOLDER.fullmatch(folder):
            grey = folder.startswith("image") and int(match[1]) < 2
            return GREY_CAMERAS if grey else COLOUR_CAMERAS
    return None


def places_beside(left: Path) -> list[str]:
    """List every path at which a known data set would store the calibration of a left image."""
    return list(dict.fromkeys(path for files in _files_beside(left) for path in files))


@lru_cache(maxsize=64)  # asked several times of each image
def _files_beside(left: Path) -> list[tuple[str, ...]]:
    """List the groups of files that may calibrate a left image, in the order to try them."""
    stem = left.stem
    number, camera = stem.split("_")[0], stem.replace(*CITYSCAPES)
    return [
        tuple(path.replace(NUMBER, number).replace(CAMERA, camera) for path in files)
        for files in _files_beside_folder(left.absolute().parent)
    ]


@lru_cache(maxsize=64)
def _files_beside_folder(within: Path) -> list[tuple[str, ...]]:
    """List the groups of files that may calibrate the images in a folder, in the order to try.

    ``NUMBER`` and ``CAMERA`` stand for those of an image.
    """
    above, folders = within.parent, (within, *within.parents)[:3]
    candidates: list[tuple[Path, ...]] = [(within / MIDDLEBURY,), (above / MIDDLEBURY,)]
    candidates += [(above / folder / f"{NUMBER}.txt",) for folder in KITTI]
    if KITTI_FOLDER.fullmatch(above.name):
        candidates += [(folder / KITTI_RAW,) for folder in above.absolute().parents[:2]]
    if one := next((folder for folder in folders[:2] if folder.name == EUROC[0]), None):
        candidates.append(tuple(one.parent / camera / SENSOR for camera in EUROC))
    images, cameras = CITYSCAPES
    for folder in folders:
        if calibrations := DRIVING_STEREO.get(folder.name):
            candidates.append((folder.parent / calibrations / f"{NUMBER}.txt",))
        if folder.name == images:
            place = folder.parent / cameras / within.relative_to(folder) / f"{CAMERA}.json"
            candidates.append((place,))
    return [tuple(map(str, files)) for files in candidates]


def calibration_of(
    left: Path, size: Size, given: Sequence[str] = (), choices: CalibrationChoices = NO_CHOICES
) -> tuple[FoundCalibration | None, tuple[str, ...]]:
    """Read a pair's calibration from given files, else from the file that its data set has for it.

    KITTI's files are in a folder of their own, named by the number that begins an image's name;
    those of its sequences are next to the folders of images.

    Args:
        size: of the images.
        choices: as for ``read_calibration``.

    Returns:
        The calibration, None if there is neither; and, for the data set's file, a note instead of
        an error if it cannot be used, because the user did not give it.

    Raises:
        OSError, ValueError: as ``read_calibration``, for the files given.
    """
    cameras = kitti_cameras(left)
    if given:
        files = map(Path, given)
        return read_calibration(*files, size=size, cameras=cameras, choices=choices), ()
    candidates = (files for files in _files_beside(left) if all(map(os.path.isfile, files)))
    existing = tuple(map(Path, next(candidates, ())))
    if not existing:
        return None, ()
    name, named = names_of(existing), ", ".join(map(str, existing))
    try:
        read = read_calibration(*existing, size=size, cameras=cameras, choices=choices)
    except OtherSize as error:
        return None, (error.finding,)
    except (OSError, ValueError) as error:
        return None, (f"{name}: ignored, {str(error).removeprefix(f'{named}: ')}",)
    for remark in read.remarks:
        if isinstance(remark, Finding) and remark.name == OFF_CENTRE:
            words = in_shell(map(str, existing))
            return None, (Finding("calibration left out", name, **remark.values, files=words),)
    return read, ()


def searched_disparities(path: Path, images: tuple[int, int] | None = None) -> int | None:
    """Read the number of disparities to search from Middlebury's ``calib.txt``.

    Args:
        images: width and height of the images; the number is scaled to the width.

    Returns:
        None if the file does not state a number, or is for images of another shape.

    Raises:
        OSError, ValueError: the file cannot be read, or is damaged.
    """
    values = read_named_values(path)
    count, width, height = (values.get(name) for name in ("ndisp", "width", "height"))
    if not (isinstance(count, float) and count.is_integer()):
        return None
    if images and isinstance(width, float) and width > 0:
        if isinstance(height, float) and not similar((width, height), images):
            return None
        count = count * images[0] / width
    return math.ceil(count)


def digest_of(files: Sequence[Path]) -> str:
    """Compute the SHA-256 of each file, as hexadecimal numbers separated by spaces."""
    return " ".join(hashlib.sha256(read_regular(path, LARGEST)).hexdigest() for path in files)
