"""OpenCV's YAML, XML and JSON of both cameras, with the various names used for its matrices.

No standard defines the names: ``M1`` and ``D1`` of OpenCV's own sample, ``K1``, ``KL``,
``cameraMatrix1``, ``camera_matrix_left`` and ``left_camera_matrix`` are the same here. A camera is
numbered 1 and 2, or 0 and 1. Lengths are in metres unless ``unit`` says ``mm`` or ``cm``.
"""

import re
from collections.abc import Iterable

import numpy as np

from wheatstone.viewer.io.cameras.formats.distortion import camera_of
from wheatstone.viewer.io.cameras.formats.numbers import Named, flat, numbers, pair_of_whole
from wheatstone.viewer.io.cameras.formats.rectified import METRES
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, RectifiedCameras, Rig

MATRIX = "m k mtx cameramatrix cammatrix intrinsic intrinsics intrinsicmatrix matrix".split()
DISTORTION = (
    "d dist distcoeffs distcoeff distortion distortioncoefficients distortioncoeffs".split()
)
DISTORTION += ["distcoefs", "distcoefficients", "distortioncoefficient", "dcoeffs"]
ROTATION = "r rot rotation rotationmatrix om stereor rstereo relativerotation".split()
TRANSLATION = (
    "t trans translation translationvector tvec stereot tstereo relativetranslation".split()
)
TURNED = "r rect rectification rectificationmatrix rectificationtransform".split()
PROJECTION = "p proj projection projectionmatrix".split()
SIZE = "imagesize imgsize size resolution imageresolution calibrationsize".split()
SHAPE = ("imageshape", "imgshape", "shape")
"""Sizes in NumPy's order: height, then width."""
WIDTH, HEIGHT = ("imagewidth", "width", "imgwidth"), ("imageheight", "height", "imgheight")
MODEL = ("distortionmodel", "model", "cameramodel", "distortiontype")
SIDES = ({"left": 0, "l": 0, "1": 0, "right": 1, "r": 1, "2": 1}, {"0": 0, "1": 1})
"""Marks of the left (0) and the right (1) camera in a name; the second if they count from 0."""
COUNTS = (4, 5, 8, 12, 14)


class Names:
    """The names in a file, independent of their spelling."""

    def __init__(self, named: Named) -> None:
        self._spelled = {_plain(name): name for name in reversed(list(named))}
        # A k1 or p1 that is a single number is a coefficient, no matrix.
        self._lists = {
            plain: name
            for plain, name in self._spelled.items()
            if not isinstance(named[name], float | str)
        }
        self._sides = SIDES[0] if not self._one(MATRIX, "0") else SIDES[1]

    def single(self, stems: Iterable[str]) -> str | None:
        """Return the file's name of a single value, such as ``T``; None if it is not there."""
        return next((self._spelled[stem] for stem in stems if stem in self._spelled), None)

    def of_side(self, stems: Iterable[str], side: int) -> str | None:
        """Return the file's name of a camera's value, such as ``M1``; None if it is not there."""
        marks = [mark for mark, number in self._sides.items() if number == side]
        return next((found for mark in marks if (found := self._one(stems, mark))), None)

    def _one(self, stems: Iterable[str], mark: str) -> str | None:
        spelled = (name for stem in stems for name in (f"{stem}{mark}", f"{mark}{stem}"))
        return next((self._lists[name] for name in spelled if name in self._lists), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def knows_cameras(named: Named) -> bool:
    """Return whether a file has the matrix of either camera, by any of its names."""
    names = Names(named)
    return any(names.of_side(MATRIX, side) for side in (0, 1))


def opencv_rig(named: Named) -> Rig:
    """Make a rig from the results of ``cv2.stereoCalibrate`` and ``cv2.stereoRectify``.

    Raises:
        ValueError: a value is missing, which the message names, or is invalid.
    """
    names = Names(named)
    found = [names.of_side(stems, side) for stems in (MATRIX, DISTORTION) for side in (0, 1)]
    found += [names.single(ROTATION), names.single(TRANSLATION)]
    lacking = [
        usual
        for usual, name in zip(("M1", "M2", "D1", "D2", "R", "T"), found, strict=True)
        if not name
    ]
    if lacking:
        raise ValueError(f"{', '.join(lacking)} missing beside {found[0] or found[1]}")
    m1, m2, d1, d2, r, t = map(str, found)
    metres = _metres(named)
    levelling = _levelling(named, names, metres)
    return Rig(
        _camera(named, names, m1, d1),
        _camera(named, names, m2, d2),
        _rotation(numbers(named, r, (3, 9))),
        numbers(named, t, (3,)) * metres,
        _size(named, names),
        levelling,
    )


def _camera(named: Named, names: Names, matrix: str, distortion: str) -> Camera:
    sides = numbers(named, matrix, (9,)).reshape(3, 3)
    return camera_of(sides, numbers(named, distortion, COUNTS), _model(named, names))


def _model(named: Named, names: Names) -> str:
    if name := names.single(("fisheye", "isfisheye")):
        said = named[name]
        return "fisheye" if said not in (0.0, "0", "false", "False", "no", "none") else ""
    name = names.single(MODEL)
    return str(named[name]) if name else ""


def _rotation(found: Matrix) -> Matrix:
    """Make a rotation matrix from nine numbers, or from the three of a Rodrigues vector."""
    if found.size == 9:
        return found.reshape(3, 3)
    import cv2

    return np.asarray(cv2.Rodrigues(found)[0], np.float64)


def _metres(named: Named) -> float:
    said = str(next((named[name] for name in ("unit", "units") if name in named), "m"))
    if said not in METRES:
        raise ValueError(f"unit must be one of {', '.join(METRES)} (got {said!r})")
    return METRES[said]


def _size(named: Named, names: Names) -> tuple[int, int] | None:
    width, height = names.single(WIDTH), names.single(HEIGHT)
    if width and height:
        return pair_of_whole({"image size": [named[width], named[height]]}, "image size")
    if (shape := names.single(SHAPE)) and len(flat(named[shape], shape)) >= 2:
        rows, columns = pair_of_whole({shape: list(flat(named[shape], shape))[:2]}, shape)
        return columns, rows
    return _listed_size(named, names.single(SIZE))


def _listed_size(named: Named, name: str | None) -> tuple[int, int] | None:
    """Return a size that is a list or a table; None for a single number, which is no image size."""
    if name is None or isinstance(said := named[name], float | str):
        return None
    if isinstance(said, dict) and "width" in said and "height" in said:
        return pair_of_whole({name: [said["width"], said["height"]]}, name)
    return pair_of_whole(named, name)


def _levelling(named: Named, names: Names, metres: float) -> RectifiedCameras | None:
    """Return R1, R2, P1 and P2; None if any of them is missing."""
    found = [names.of_side(stems, side) for stems in (TURNED, PROJECTION) for side in (0, 1)]
    if not all(found):
        return None
    r1, r2, p1, p2 = map(str, found)
    left, right = (numbers(named, name, (12,)).reshape(3, 4) for name in (p1, p2))
    for projection in (left, right):
        projection[:, 3] *= metres
    rotations = (
        numbers(named, r1, (9,)).reshape(3, 3),
        numbers(named, r2, (9,)).reshape(3, 3),
    )
    return RectifiedCameras(rotations, (left, right))
