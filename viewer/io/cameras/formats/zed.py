"""The factory calibration of ZED cameras, ``SN1234.conf``, with values for each resolution.

The format is known from published programs of the manufacturer: ``[LEFT_CAM_HD]`` and similar
have fx, fy, cx and cy, and k1, k2, p1, p2, k3 unless ``[LEFT_DISTO]`` has those of all
resolutions, up to k6, or k1 to k4 alone for fisheye lenses. ``[STEREO]`` has ``Baseline``, the
right camera's distance, and the rest of the translation, ``TY`` and ``TZ``, in millimetres;
``RX_HD``, ``CV_HD`` and ``RZ_HD`` are the rotation as Rodrigues vector. OpenCV's T is
(-Baseline, TY, TZ). What older files lack of these is 0. Not tested with a camera.
"""

import numpy as np

from wheatstone.viewer.io.cameras.formats.content import FileContent
from wheatstone.viewer.io.cameras.formats.distortion import camera_of
from wheatstone.viewer.io.cameras.formats.numbers import Named, camera_matrix, number, table
from wheatstone.viewer.io.cameras.rig import Camera, Rig, size_ratio

RESOLUTIONS = {
    "4k": (3840, 2160),
    "2k": (2208, 1242),
    "fhd1200": (1920, 1200),
    "fhd": (1920, 1080),
    "hd": (1280, 720),
    "svga": (960, 600),
    "vga": (672, 376),
}
"""Width and height of every resolution named in files."""
PLUMB_BOB, MORE = ("k1", "k2", "p1", "p2", "k3"), ("k4", "k5", "k6")
FISHEYE = ("k1", "k2", "k3", "k4")


def is_zed(named: Named) -> bool:
    """Return whether a file is the calibration of a ZED camera."""
    return "stereo" in named and any(f"left_cam_{name}" in named for name in RESOLUTIONS)


def zed_rig(named: Named, size: tuple[int, int] | None) -> FileContent:
    """Make a rig from a ZED calibration, with the values for the images' resolution.

    Args:
        size: width and height of the images; None: the largest resolution in the file.

    Raises:
        ValueError: no resolution fits, or a value is missing.
    """
    name = _resolution(named, size)
    stereo = table(named, "stereo")
    keys = [f"{axis}_{name}" for axis in ("rx", "cv", "rz")]
    keys = [next((k for k in (key, _long(key)) if k in stereo), key) for key in keys]
    lacking = [key for key in ("ty", "tz", *keys) if key not in stereo]
    y, z, *turned = (0.0 if key in lacking else number(stereo, key) for key in ("ty", "tz", *keys))
    left, right = (_camera(named, side, name) for side in ("left", "right"))
    import cv2

    rotation = np.asarray(cv2.Rodrigues(np.array(turned, np.float64))[0], np.float64)
    along = np.array([-number(stereo, "baseline"), y, z], np.float64)
    rig = Rig(left, right, rotation, along, RESOLUTIONS[name])
    remarks: tuple[str, ...] = (
        (f"{', '.join(lacking).upper()} missing: taken as 0",) if lacking else ()
    )
    known = [label for label in RESOLUTIONS if f"left_cam_{label}" in named]
    if size is None and len(known) > 1:
        listed = ", ".join(known).upper()
        remarks += (f"values of {name.upper()}, the largest of {listed}; images choose theirs",)
    return FileContent(rig, rig.size, "mm", remarks)


def _long(key: str) -> str:
    """Convert a key such as ``rx_vga`` to the form in some older files, ``rx_resolution_vga``."""
    axis, _, name = key.partition("_")
    return f"{axis}_resolution_{name}"


def _resolution(named: Named, size: tuple[int, int] | None) -> str:
    """Choose the resolution in the file of the images' size, or at an integer ratio to it."""
    known = {name: side for name, side in RESOLUTIONS.items() if f"left_cam_{name}" in named}
    if size is None:
        return next(iter(known))
    for name in sorted(known, key=lambda name: known[name] != size):
        try:
            size_ratio(known[name], size)
        except ValueError:
            continue
        return name
    sizes = ", ".join(f"{width}x{height}" for width, height in known.values())
    raise ValueError(f"calibrated at {sizes}, images are {size[0]}x{size[1]}")


def _camera(named: Named, side: str, name: str) -> Camera:
    own, common = table(named, f"{side}_cam_{name}"), f"{side}_disto"
    sides = camera_matrix(own)
    lens = table(named, common) if common in named else own
    if all(key in lens for key in FISHEYE) and "p1" not in lens:
        return camera_of(sides, _listed(lens, FISHEYE), "fisheye")
    keys = PLUMB_BOB + MORE if all(key in lens for key in MORE) else PLUMB_BOB
    return camera_of(sides, _listed(lens, keys))


def _listed(lens: Named, keys: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return distortion coefficients; k1 and k2 are required, other missing ones are 0."""
    return np.array(
        [number(lens, key) if key in lens or key in keys[:2] else 0.0 for key in keys], np.float64
    )
