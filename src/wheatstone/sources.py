"""Open sources of stereo frames for programs and notebooks."""

import os
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.sources.arrays import ArraySource
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec

PathLike = str | os.PathLike[str]
SCENE = "scene:"
"""Prefix of the names of built-in scenes."""


def open(
    left: PathLike | NDArray[Any] = "scene:orbit",
    right: PathLike | NDArray[Any] | None = None,
    *,
    calibration: PathLike | Sequence[PathLike] | Calibration | None = None,
    calibration_unit: str | None = None,
    cameras: str | None = None,
    calibration_scale: str | None = None,
    balance: float | None = None,
    baseline: float | None = None,
    layout: str | None = None,
    rectify: str | None = None,
    tone: str | None = None,
    truth: PathLike | NDArray[np.float32] | None = None,
    truth_scale: float | None = None,
    size: tuple[int, int] | None = None,
    seed: int = 0,
) -> Source:
    """Open a source of stereo frames, such as a pair of images, a video or a camera.

        >>> garden = open("scene:garden", size=(96, 64))
        >>> garden.frame(0).left.shape
        (64, 96, 3)

    Args:
        left: an image, a folder of pairs, a video, the address of a camera or stream, the name of
            a built-in scene such as ``scene:garden``, or an array: (H, W) grey levels or (H, W, 3)
            RGB, uint8, uint16, or float in 0..1 or 0..255.
        right: the right view, of the same kind; None if one file holds both views.
        calibration: one calibration file, two that belong together, or the calibration of a
            rectified pair. Without it, a calibration file next to the left image is used.
        calibration_unit: ``mm``, ``cm`` or ``m``: unit of the lengths in a calibration file that
            does not name it.
        cameras: numbers of the left and the right camera, such as ``0,1``, for a calibration file
            with several.
        calibration_scale: ``any`` to use a calibration for images of any similar size, scaled.
        balance: 0 to 1: how much rectified views show, from only pixels inside the images to all
            of them. By default 0, but fisheye cameras keep their focal length.
        baseline: metres between the cameras, if no calibration says it; without any, the focal
            length is taken to be the image's width.
        layout: where both views lie in one image, such as ``side-by-side``; detected by default.
        rectify: ``auto`` to rectify by features, ``off`` to leave the images as they are.
        tone: how 16-bit images become 8 bits: ``linear`` (default), ``percentile`` or ``clahe``.
        truth: ground truth: a file, or (H, W) float32 disparity in pixels, NaN where unknown.
        truth_scale: stored values per pixel of disparity, for files that do not define it.
        size: (width, height) of a built-in scene in pixels.
        seed: layout, colours and textures of a built-in scene; 0 or more.

    Returns:
        The source. ``source.frame(index)`` returns a frame, ``source.notes`` lists remarks on how
        the files were read. Close it with ``source.close()``.

    Raises:
        OSError: a file is missing or cannot be read.
        TypeError, ValueError: a file or an array cannot be used; the message says why.
        Unavailable: a video is named, and PyAV is not installed.
    """
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return _of_arrays(left, right, calibration, truth, tone)
    if isinstance(calibration, Calibration) or isinstance(truth, np.ndarray):
        raise TypeError("with files, calibration and truth are files as well")
    first, second = _calibrations(calibration)
    options = SourceSpec(
        right=_path(right),
        calibration=first,
        calibration_right=second,
        calibration_unit=calibration_unit,
        cameras=cameras,
        calibration_scale=calibration_scale,
        balance=balance,
        baseline=baseline,
        layout=layout,
        rectify=rectify,
        tone=tone,
        truth=_path(truth),
        truth_scale=truth_scale,
    )
    name = os.fspath(left)
    if name.startswith(SCENE):
        scene = name.removeprefix(SCENE)
        return open_source(options.changed(scene=scene, seed=seed, size=size))
    return open_source(options.changed(left=name))


def _of_arrays(
    left: Any, right: Any, calibration: Any, truth: Any, tone: str | None
) -> ArraySource:
    """Create a source from arrays. Raises ``TypeError`` for a mixture of arrays and files."""
    if calibration is not None and not isinstance(calibration, Calibration):
        kind = type(calibration).__name__
        raise TypeError(f"with arrays, calibration is a wheatstone.Calibration (got {kind})")
    if calibration and not (0 < calibration.focal < inf and 0 < calibration.baseline < inf):
        given = f"focal {calibration.focal}, baseline {calibration.baseline}"
        raise ValueError(f"focal length and baseline must be above 0 and finite (got {given})")
    if truth is not None and not isinstance(truth, np.ndarray):
        raise TypeError(f"with arrays, truth is an array (got {type(truth).__name__})")
    return ArraySource(left, right, calibration, truth, tone)


def _path(path: Any) -> str | None:
    return None if path is None else os.fspath(path)


def _calibrations(
    files: PathLike | Sequence[PathLike] | None,
) -> tuple[str | None, str | None]:
    """Return the paths of one or two calibration files; None for each that is missing."""
    if files is None:
        return None, None
    paths = [files] if isinstance(files, str | os.PathLike) else [*files]
    if not 1 <= len(paths) <= 2:
        raise ValueError(f"a calibration is one file, or two (got {len(paths)})")
    return _path(paths[0]), _path(paths[1]) if paths[1:] else None
