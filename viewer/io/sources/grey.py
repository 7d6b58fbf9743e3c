"""Access to the views of a frame by name, in colour and in the grey levels that pipelines read."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.io.sources.frame import Frame

Pixels = NDArray[np.uint8]

_VIEWS: Mapping[str, Callable[[Frame], Pixels | None]] = {
    "left": lambda frame: frame.left,
    "right": lambda frame: frame.right,
    "raw_left": lambda frame: frame.raw.left if frame.raw else frame.left,
    "raw_right": lambda frame: frame.raw.right if frame.raw else frame.right,
}


def view_of(frame: Frame, name: str) -> Pixels | None:
    """Return a frame's view by its name in pipelines, such as ``left``; None for an unknown name.

    Images that a pipeline computes are no views; a single image has no right view.
    """
    return _VIEWS[name](frame) if name in _VIEWS else None


def from_source(pipeline: Pipeline, image: str) -> bool:
    """Return whether a pipeline's image is a view of the source that no stage changes."""
    return image in _VIEWS and not any(image in stage.writes for stage in pipeline.stages)


def views(frame: Frame) -> dict[str, NDArray[np.uint8]]:
    """Return the rectified views of a frame by name; a single image has no right view."""
    converted = {name: view_of(frame, name) for name in ("left", "right")}
    return {name: pixels for name, pixels in converted.items() if pixels is not None}


def grey_levels(
    pixels: NDArray[np.uint8], out: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Convert an image to grey levels as OpenCV does; return a grey image as it is.

    Args:
        pixels: (H, W) grey levels, or (H, W, 3) RGB.
        out: (H, W), overwritten with the result instead of allocating an array; unchanged if the
            image is grey.
    """
    if pixels.ndim == 2:
        return pixels
    import cv2

    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY, dst=out), np.uint8)


def grey_views(frame: Frame) -> dict[str, NDArray[np.uint8]]:
    """Convert the rectified views of a frame to grey levels, by name."""
    return {name: grey_levels(pixels) for name, pixels in views(frame).items()}
