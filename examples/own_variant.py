"""Replace a stage by a function of your own: ``python own_variant.py [LEFT RIGHT]``.

The new variant is compared bit by bit with the reference on random images, and then timed.
Without files, a built-in scene is used.
"""

import sys
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

import wheatstone as ws

Image = NDArray[Any]


@ws.variant("sgm", "sobel", base="cpu", help="The horizontal gradient by OpenCV.")
def horizontal_gradient(left: Image, right: Image, left_out: Image, right_out: Image) -> None:
    """Write the horizontal Sobel gradient of both views, clipped to -31..31, plus 31."""
    for view, gradient in ((left, left_out), (right, right_out)):
        slope = cv2.Sobel(view, cv2.CV_16S, 1, 0, borderType=cv2.BORDER_REPLICATE)
        gradient[:] = np.clip(slope, -31, 31) + 31


def main(*files: str) -> None:
    """Check the new variant and time it."""
    print(ws.check("sgm", "sobel", cases=5))
    pair = ws.open(*files) if files else ws.open("scene:garden", size=(320, 240))
    for timing in ws.bench("sgm", ["cpu", "sobel"], pair, frames=5):
        same = "identical" if timing.identical else "DIFFERENT"
        print(f"{timing.variant}: {timing.milliseconds:.2f} ms, {same}")


if __name__ == "__main__":
    main(*sys.argv[1:])
