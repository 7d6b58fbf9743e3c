"""Kalibr's format: ``cam0`` and ``cam1`` of a ``camchain.yaml``, lengths in metres."""

from wheatstone.viewer.cameras.formats.distortion import camera_of
from wheatstone.viewer.cameras.formats.numbers import Named, matrix, numbers, pair_of_whole, table
from wheatstone.viewer.cameras.rig import Camera, Rig
from wheatstone.viewer.reading.typed_values import shown

MODELS = ("radtan", "equidistant", "none")


def is_camera_chain(named: Named) -> bool:
    """Return whether a file is a Kalibr camera chain."""
    return isinstance(named.get("cam0"), dict)


def kalibr_rig(named: Named) -> Rig:
    """Make a rig of the first two cameras; ``T_cn_cnm1`` of the second maps from the first to it.

    Raises:
        ValueError: a value is missing, or a model is not known.
    """
    first, second = table(named, "cam0"), table(named, "cam1")
    sizes = [pair_of_whole(camera, "resolution") for camera in (first, second)]
    if sizes[0] != sizes[1]:
        raise ValueError(f"cam0 and cam1 must have one resolution (got {sizes[0]} and {sizes[1]})")
    pose = matrix(second, "T_cn_cnm1", 4, 4)
    if pose[3].tolist() != [0, 0, 0, 1]:
        raise ValueError("the last row of T_cn_cnm1 must be 0 0 0 1")
    return Rig(_camera(first), _camera(second), pose[:3, :3], pose[:3, 3], sizes[0])


def _camera(named: Named) -> Camera:
    projection, model = (str(named.get(name, "")) for name in ("camera_model", "distortion_model"))
    if projection not in ("pinhole", ""):
        raise ValueError(
            f"camera_model {shown(repr(projection))} is not known; only pinhole cameras are"
        )
    if model not in MODELS:
        raise ValueError(
            f"distortion_model {shown(repr(model))} is not known; {' and '.join(MODELS[:2])} are"
        )
    fu, fv, pu, pv = numbers(named, "intrinsics", (4,)).tolist()
    sides = numbers({"K": [fu, 0.0, pu, 0.0, fv, pv, 0.0, 0.0, 1.0]}, "K").reshape(3, 3)
    return camera_of(sides, numbers(named, "distortion_coeffs"), model)
