"""Left and right view of a frame by name, in colour and in grey levels as pipelines read them."""

import numpy as np
from numpy.typing import NDArray

from viewer.sources.frame import Frame

SOURCE_IMAGES = ("left", "right")
"""Names of the images that come from the source and are shown as they are."""


def views(frame: Frame) -> dict[str, NDArray[np.uint8]]:
    """List the views that a frame has, by name: a single image has no right one."""
    found = zip(SOURCE_IMAGES, (frame.left, frame.right), strict=True)
    return {name: pixels for name, pixels in found if pixels is not None}


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
