"""OpenCV's YAML, XML and JSON of both cameras, with the various names used for its matrices.

No standard defines the names: ``M1`` and ``D1`` of OpenCV's own sample, ``K1``, ``KL``,
``cameraMatrix1``, ``camera_matrix_left`` and ``left_camera_matrix`` are the same here. A camera is
numbered 1 and 2, or 0 and 1. NumPy's archives (``.npz``) have the same names.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from wheatstone.viewer.io.cameras.formats.content import FileContent
from wheatstone.viewer.io.cameras.formats.distortion import assumed_lens, camera_of, plain
from wheatstone.viewer.io.cameras.formats.numbers import Named, flat, numbers, pair_of_whole
from wheatstone.viewer.io.cameras.formats.poses import rig_of_rectified
from wheatstone.viewer.io.cameras.formats.rectified import pair_of_projections
from wheatstone.viewer.io.cameras.formats.ros import ASSUMED
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, RectifiedCameras, Rig
from wheatstone.viewer.io.reading.matrices import Value
from wheatstone.viewer.io.reading.typed_values import shown

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
AGREEING = 0.01
"""Relative difference up to which two baselines of a file are the same."""


class Names:
    """A look-up of the names that a file uses for OpenCV's values, in any common spelling."""

    def __init__(self, named: Named) -> None:
        self._spelled = {plain(name): name for name in reversed(list(named))}
        # A k1 or p1 that is a single number is a coefficient, no matrix.
        self._lists = {
            spelled: name
            for spelled, name in self._spelled.items()
            if not isinstance(named[name], float | str)
        }
        self._sides = SIDES[1] if _marked(self._lists, MATRIX, ["0"]) else SIDES[0]

    def single(self, stems: Iterable[str]) -> str | None:
        """Return the name in the file for a value of the pair, such as ``T``; None if missing."""
        return next((self._spelled[stem] for stem in stems if stem in self._spelled), None)

    def of_side(self, stems: Iterable[str], side: int) -> str | None:
        """Return the name in the file for a camera's value, such as ``M1``; None if missing."""
        return _marked(self._lists, stems, [m for m, n in self._sides.items() if n == side])

    def number_of_left(self, stems: Iterable[str]) -> str | None:
        """Return the name in the file for a left camera's number, such as ``LEFT.width``."""
        return _marked(self._spelled, stems, [m for m, n in self._sides.items() if n == 0])


def _marked(names: Mapping[str, str], stems: Iterable[str], marks: list[str]) -> str | None:
    """Return the first existing name of a stem with a camera's mark, as ``K_left``; else None."""
    spelled = (name for m in marks for stem in stems for name in (f"{stem}{m}", f"{m}{stem}"))
    return next((names[name] for name in spelled if name in names), None)


def know_cameras(files: Sequence[Named]) -> bool:
    """Return whether any file has a camera matrix, under any of the names for it in ``MATRIX``."""
    return any(names.of_side(MATRIX, side) for names in map(Names, files) for side in (0, 1))


def opencv_rig(files: Sequence[Named]) -> FileContent:
    """Make a rig from the results of ``cv2.stereoCalibrate`` and ``cv2.stereoRectify``.

    Without R and T, the pose of the cameras follows from both P, as in ROS's camera_info.

    Raises:
        ValueError: a value is missing, which the message names, or is invalid.
    """
    named = _merged(files)
    names = Names(named)
    levelling = _levelling(named, names)
    m1, m2, d1, d2 = (names.of_side(stems, n) for stems in (MATRIX, DISTORTION) for n in (0, 1))
    r, t = names.single(ROTATION), names.single(TRANSLATION)
    lacking = {"M1": m1, "M2": m2, "D1": d1, "D2": d2, "R": r, "T": t}
    remarks: tuple[str, ...] = ()
    if not d1 and not d2:
        remarks += (f"D1 and D2 are missing: taken as {ASSUMED['D']}",)
        del lacking["D1"], lacking["D2"]
    projections = _projections(named, names)
    if not r and not t and projections:
        del lacking["R"], lacking["T"]
    if absent := [usual for usual, name in lacking.items() if not name]:
        raise ValueError(f"{', '.join(absent)} missing next to {m1 or m2}")
    left, right = (_camera(named, names, str(m), d) for m, d in ((m1, d1), (m2, d2)))
    if not _model(named, names):
        remarks += assumed_lens(left, right)
    size = _size(named, names)
    if not r and not t and projections:
        remarks += ("R and T are missing: they follow from P1 and P2",)
        if not levelling:
            remarks += (f"R1 and R2 are missing: taken as {ASSUMED['R']}",)
        turned = levelling.rotations if levelling else (np.eye(3), np.eye(3))
        rig = rig_of_rectified((left, right), turned, projections, size)
        return FileContent(rig, size, "m", remarks)
    if projections and not levelling:
        remarks += ("P1 and P2 without R1 and R2 are not used",)
    along = numbers(named, str(t), (3,))
    levelling, agreed = _with_baseline(levelling, float(np.linalg.norm(along)))
    rig = Rig(left, right, _rotation(numbers(named, str(r), (3, 9))), along, size, levelling)
    return FileContent(rig, size, "m", remarks + agreed)


def _merged(files: Sequence[Named]) -> Named:
    """Merge the values of two files, such as ``intrinsics.yml`` and ``extrinsics.yml``."""
    both: dict[str, Value] = {}
    for one in files:
        if twice := [key for key in one if key in both and not isinstance(one[key], float | str)]:
            raise ValueError(f"both files have {shown(twice[0])}")
        both.update(one)
    return both


def has_projections(named: Named) -> bool:
    """Return whether a file has P1 and P2, by any of their names."""
    return _projections(named, Names(named)) is not None


def opencv_projections(named: Named) -> FileContent:
    """Make a rectified pair from P1 and P2 of a file without M1 and M2."""
    names = Names(named)
    matrices = _projections(named, names)
    assert matrices
    remarks = ("P1 and P2 without M1 and M2: taken as rectified",)
    return FileContent(pair_of_projections(*matrices), _size(named, names), "m", remarks)


def _with_baseline(
    levelling: RectifiedCameras | None, baseline: float
) -> tuple[RectifiedCameras | None, tuple[str, ...]]:
    """Set the baseline in P1 and P2 to the length of T if they differ; return a remark on that."""
    if not levelling or not levelling.projections[0][0, 0] > 0:
        return levelling, ()
    left, right = (projection.copy() for projection in levelling.projections)
    signed = float(left[0, 3] - right[0, 3]) / float(left[0, 0])
    if not signed or abs(signed - baseline) <= AGREEING * baseline:
        return levelling, ()
    for projection in (left, right):
        projection[0, 3] *= baseline / abs(signed)
    remark = f"baseline {baseline:g} by T, but {abs(signed):g} by P1 and P2: T is used"
    return RectifiedCameras(levelling.rotations, (left, right)), (remark,)


def _camera(named: Named, names: Names, matrix: str, distortion: str | None) -> Camera:
    sides = numbers(named, matrix, (9,)).reshape(3, 3)
    lens = numbers(named, distortion) if distortion else np.zeros(0)
    if lens.size and distortion:
        lens = numbers(named, distortion, COUNTS)
    return camera_of(sides, lens, _model(named, names))


def _model(named: Named, names: Names) -> str:
    if name := names.single(("fisheye", "isfisheye")):
        value = named[name]
        return "fisheye" if value not in (0.0, "0", "false", "False", "no", "none") else ""
    name = names.single(MODEL) or names.number_of_left(MODEL)
    return str(named[name]) if name else ""


def _rotation(rotation: Matrix) -> Matrix:
    """Make a rotation matrix from nine numbers, or from the three of a Rodrigues vector."""
    if rotation.size == 9:
        return rotation.reshape(3, 3)
    import cv2

    return np.asarray(cv2.Rodrigues(rotation)[0], np.float64)


def _size(named: Named, names: Names) -> tuple[int, int] | None:
    width, height = (
        names.single(stems) or names.number_of_left(stems) for stems in (WIDTH, HEIGHT)
    )
    if width and height:
        return pair_of_whole({"image size": [named[width], named[height]]}, "image size")
    if (shape := names.single(SHAPE)) and len(flat(named[shape], shape)) >= 2:
        rows, columns = pair_of_whole({shape: list(flat(named[shape], shape))[:2]}, shape)
        return columns, rows
    return _listed_size(named, names.single(SIZE))


def _listed_size(named: Named, name: str | None) -> tuple[int, int] | None:
    """Return the image size that a file gives as a list or a table; None for a single number."""
    if name is None or isinstance(value := named[name], float | str):
        return None
    if isinstance(value, dict) and "width" in value and "height" in value:
        return pair_of_whole({name: [value["width"], value["height"]]}, name)
    return pair_of_whole(named, name)


def _projections(named: Named, names: Names) -> tuple[Matrix, Matrix] | None:
    """Return the projections P1 and P2 of a file; None if either is missing."""
    left, right = (names.of_side(PROJECTION, side) for side in (0, 1))
    if not left or not right:
        return None
    one, other = (numbers(named, name, (12,)).reshape(3, 4) for name in (left, right))
    return one, other


def _levelling(named: Named, names: Names) -> RectifiedCameras | None:
    """Return the rectification R1, R2, P1 and P2 of a file; None if a matrix is missing."""
    projections = _projections(named, names)
    left, right = (names.of_side(TURNED, side) for side in (0, 1))
    if not projections or not left or not right:
        return None
    r1, r2 = (numbers(named, name, (9,)).reshape(3, 3) for name in (left, right))
    return RectifiedCameras((r1, r2), projections)
