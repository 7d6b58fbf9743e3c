"""Convert colours to grey levels by OpenCV."""

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


def grey_levels(
    rectified_left: Pixels, rectified_right: Pixels, left: Pixels, right: Pixels
) -> None:
    """Write what ``cv2.cvtColor`` makes of each view."""
    for colours, grey in ((rectified_left, left), (rectified_right, right)):
        cv2.cvtColor(colours, cv2.COLOR_RGBA2GRAY, grey)
