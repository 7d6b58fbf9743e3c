"""Open a source: image files, a folder, or a built-in scene."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from viewer.scenes import SCENES
from viewer.sources.calibrated import NOTHING_GIVEN, WORDS, GivenCalibration
from viewer.sources.frame import Source


def open_source(
    left: str | None,
    right: str | None = None,
    *,
    size: tuple[int, int] | None = None,
    scene: str = SCENES[0],
    seed: int = 0,
    calibration: GivenCalibration = NOTHING_GIVEN,
    truth: str | None = None,
    truth_scale: float | None = None,
    rectify: str | None = None,
) -> Source:
    """Open image files, folders or, without ``left``, a built-in scene.

    Args:
        left: an image, or a folder; None for the built-in scene.
        right: the right image or folder; None for a single image or a folder that holds both views.
        size: (width, height) of the built-in scene in pixels; unless told 640x480, or what the rig
            given was calibrated with; files keep their own.
        scene: one of ``SCENES``.
        seed: changes layout, colours and textures of the scene; 0 or more.
        calibration: of all frames; without files, ``calib.txt`` beside a left image is that
            image's. The scene knows its own, but may be seen as a rig would see it.
        truth: the file of a pair's ground truth; without it, what lies where data sets put it.
        truth_scale: stored values per pixel of disparity in it, where it does not say.
        rectify: how pairs of files are rectified: ``auto``, by their features; ``off`` or None: not
            at all, or as their calibration says.

    Raises:
        FileNotFoundError, OSError: a path is missing or cannot be read.
        ValueError: what was found cannot be used. Every message is one line for the user.
    """
    if left is None and right is not None:
        raise ValueError(f"a right image needs a left one (got only {right}); give LEFT RIGHT")
    if left is None and rectify is not None:
        raise ValueError(f"the built-in scene is rectified, or taken by a rig (got {rectify})")
    if rectify == "auto" and calibration.files:
        said = "a pair is rectified by its calibration or by its features, not by both"
        raise ValueError(f"{said} (got {calibration.files[0]} and rectify {rectify})")
    if rectify == "auto" and right is None and not Path(str(left)).is_dir():
        raise ValueError(f"a pair is rectified, not a single image ({left}): give LEFT RIGHT")
    if truth is not None and (right is None or Path(str(left)).is_dir()):
        raise ValueError(f"ground truth in a file goes with two images: give LEFT RIGHT ({truth})")
    if left is None:
        from viewer.sources.scene import SceneSource

        return SceneSource(scene, seed, size, calibration)
    require_same_kind(left, right)
    if Path(left).is_dir():
        from viewer.sources.folder import FolderSource

        return FolderSource(left, right, calibration, truth_scale, rectify)
    from viewer.sources.still import StillSource

    return StillSource(left, right, calibration, truth, truth_scale, rectify)


def said_beside(said: Mapping[str, Any]) -> dict[str, Any]:
    """Pick what was said of calibration, rectifying and truth as arguments of ``open_source``.

    Args:
        said: the source as a recipe or a command line describes it.

    Raises:
        ValueError: a second file of a calibration without the first.
    """
    first, second, digest = (said.get(name) for name in WORDS)
    if second and not first:
        raise ValueError(f"the right camera's calibration goes with the left one's ({second})")
    files = tuple(str(file) for file in (first, second) if file)
    scale = said.get("truth_scale")
    return {
        "calibration": GivenCalibration(files, str(digest or "")),
        "truth": said.get("truth"),
        "rectify": said.get("rectify"),
        "truth_scale": None if scale is None else float(scale),
    }


def require_same_kind(left: str, right: str | None) -> None:
    """Raise ``OSError`` if a path is missing, ``ValueError`` if one is a folder and one a file."""
    for path in (left, right):
        if path is not None and not Path(path).exists():
            raise FileNotFoundError(f"{path}: no such file or folder; check the path")
    if right is not None and Path(left).is_dir() != Path(right).is_dir():
        folder, file = (left, right) if Path(left).is_dir() else (right, left)
        raise ValueError(
            f"{folder} is a folder but {file} is a file; give two images or two folders"
        )
