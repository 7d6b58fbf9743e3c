"""MATLAB's ``stereoParameters`` in JSON, as ``jsonencode(toStruct(stereoParams))`` writes it.

Places count from 1 there, and points are rows: K, R and the rotation are transposed.
"""

import numpy as np

from wheatstone.viewer.io.cameras.formats.content import FileContent, one_size
from wheatstone.viewer.io.cameras.formats.distortion import camera_of
from wheatstone.viewer.io.cameras.formats.numbers import (
    Named,
    matrix,
    numbers,
    pair_of_whole,
    table,
)
from wheatstone.viewer.io.cameras.rig import Camera, Rig

CAMERAS = ("CameraParameters1", "CameraParameters2")


def is_matlab(named: Named) -> bool:
    """Return whether a file has the parameters of both cameras of MATLAB."""
    return all(isinstance(named.get(name), dict) for name in CAMERAS)


def matlab(named: Named) -> FileContent:
    """Make a rig from MATLAB's ``stereoParameters``, whose lengths are usually in millimetres.

    Raises:
        ValueError: a value is missing or invalid.
    """
    sections = [table(named, name) for name in CAMERAS]
    sizes = [
        pair_of_whole(section, "ImageSize")[::-1] if section.get("ImageSize") else None
        for section in sections
    ]
    left, right = map(_camera, sections)
    turned = matrix(named, "RotationOfCamera2", 3, 3).T
    along = numbers(named, "TranslationOfCamera2", (3,))
    rig = Rig(left, right, turned, along, one_size(sizes, CAMERAS))
    return FileContent(rig, rig.size, "mm")


def _camera(section: Named) -> Camera:
    sides = matrix(section, "IntrinsicMatrix", 3, 3).T.copy()
    sides[:2, 2] -= 1
    radial = numbers(section, "RadialDistortion", (2, 3)).tolist()
    tangential = numbers(section, "TangentialDistortion", (2,)).tolist()
    return camera_of(sides, np.array([*radial[:2], *tangential, *radial[2:]]), "radtan")
