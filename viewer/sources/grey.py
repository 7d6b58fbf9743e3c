"""The views of a frame by name, in colour and in grey levels as pipelines read them."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.sources.frame import Frame

Pixels = NDArray[np.uint8]

_VIEWS: Mapping[str, Callable[[Frame], Pixels | None]] = {
    "left": lambda frame: frame.left,
    "right": lambda frame: frame.right,
    "raw_left": lambda frame: frame.raw.left if frame.raw else frame.left,
    "raw_right": lambda frame: frame.raw.right if frame.raw else frame.right,
}


def view_of(frame: Frame, name: str) -> Pixels | None:
    """Look up a view of a frame by the name that pipelines have for it; None if there is none.

    What is no view of a source has none, and neither has the right view of a single image.
    """
    return _VIEWS[name](frame) if name in _VIEWS else None


def from_source(pipeline: Pipeline, image: str) -> bool:
    """Tell whether an image of a pipeline comes from the source, and is shown as it is."""
    return image in _VIEWS and not any(image in stage.writes for stage in pipeline.stages)


def views(frame: Frame) -> dict[str, NDArray[np.uint8]]:
    """List the rectified views that a frame has, by name: a single image has no right one."""
    found = {name: view_of(frame, name) for name in ("left", "right")}
    return {name: pixels for name, pixels in found.items() if pixels is not None}


def grey_levels(
    pixels: NDArray[np.uint8], out: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Convert an image to grey levels as OpenCV does; return a grey image as it is.

    Args:
        pixels: (H, W) grey levels, or (H, W, 3) RGB.
        out: (H, W), overwritten with the result instead of allocating an array; left alone if the
            image is grey.
    """
    if pixels.ndim == 2:
        return pixels
    import cv2

    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY, dst=out), np.uint8)


def grey_views(frame: Frame) -> dict[str, NDArray[np.uint8]]:
    """Convert the views that a frame has to grey levels, by name."""
    return {name: grey_levels(pixels) for name, pixels in views(frame).items()}
