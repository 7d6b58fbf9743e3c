"""Create the input arrays of a pipeline from views, also if it converts or rectifies them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import Float32, Int16, Uint8
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines.nv12 import COEFFICIENTS, NV12, coefficients

OF_VIEW = {"raw_left": "left", "raw_right": "right", "left_map": "left", "right_map": "right"}
"""The view from which an input of rectification is made; any other input is a view itself."""
RAW = ("raw_left", "raw_right")
COLOURS = {"colour_left": "left", "colour_right": "right"}
"""The views with their colours, which some variants read, by name."""
CAMERA = "camera"
"""The input with the constants that convert disparities to depths."""


def inputs_of(
    pipeline: Pipeline,
    views: Mapping[str, Uint8],
    maps: Mapping[str, Int16] | None = None,
    camera: Float32 | None = None,
    more: Iterable[str] = (),
) -> dict[str, NDArray[Any]]:
    """Create the input arrays of a pipeline from the views of a frame.

    Args:
        views: (H, W) grey levels by name, ``left`` and perhaps ``right``; or (H, W, 3) RGB, if the
            pipeline rectifies; or (H, W) brightness, if it converts video without colours.
        maps: (H, W, 2) displacements by the name of the view; if absent, all are 0.
        camera: (2,) focal length times baseline, and offset, as the stage ``depth`` reads them; if
            absent, ``assumed_camera``.
        more: names of inputs besides the pipeline's own.

    Returns:
        The inputs by name, without those whose view is absent.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for name in (*pipeline.inputs, *more):
        if name == CAMERA:
            arrays[name] = assumed_camera(views["left"].shape[1]) if camera is None else camera
            continue
        if name in NV12.inputs:
            arrays[name] = _grey_video(name, views)
            continue
        view = views.get((OF_VIEW | COLOURS).get(name, name))
        if view is None:
            continue
        if name in COLOURS:
            arrays[name] = with_presence(view)
        elif name not in OF_VIEW:
            arrays[name] = view
        elif name in RAW:
            arrays[name] = with_presence(view)
        else:
            arrays[name] = maps[OF_VIEW[name]] if maps else np.zeros((*view.shape[:2], 2), np.int16)
    return arrays


def _grey_video(name: str, views: Mapping[str, Uint8]) -> NDArray[Any]:
    """Create luma, chroma or coefficients of a video whose conversion gives a certain grey view."""
    if name == COEFFICIENTS:
        return coefficients("bt601", full_range=True)
    side, part = name.split("_")
    height, width = views[side].shape
    half = -(-height // 2), -(-width // 2), 2
    return views[side] if part == "luma" else np.full(half, 128, np.uint8)


def assumed_camera(width: int) -> Float32:
    """Create the input ``camera`` with the image width as focal length and a baseline of 1."""
    return np.array((width, 0), np.float32)


def with_presence(view: Uint8, out: Uint8 | None = None) -> Uint8:
    """Convert grey levels or RGB to four channels, the last of which is 255 everywhere.

    Args:
        view: (H, W) or (H, W, 3).
        out: (H, W, 4) array for the result; a new one is allocated if absent.
    """
    import cv2  # NumPy takes twenty times as long to lay channels beside each other

    way = cv2.COLOR_GRAY2RGBA if view.ndim == 2 else cv2.COLOR_RGB2RGBA
    return np.asarray(cv2.cvtColor(view, way, dst=out), np.uint8)
