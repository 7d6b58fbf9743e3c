"""Replace OpenCV's StereoSGBM in a script: ``python opencv_drop_in.py [LEFT RIGHT]``.

Only the line that creates the matcher changes. Without files, a built-in scene is used.
"""

import sys
from typing import Any

import cv2
import numpy as np

import wheatstone as ws


def main(*files: str) -> None:
    """Write the disparities of OpenCV's matcher and its replacement as pictures."""
    if files:
        left, right = (cv2.imread(file) for file in files)
    else:
        frame = ws.open("scene:garden", size=(320, 240)).frame(0)
        left, right = (cv2.cvtColor(view, cv2.COLOR_RGB2BGR) for view in (frame.left, frame.right))
    settings = {"numDisparities": 64, "blockSize": 3, "P1": 72, "P2": 288, "uniquenessRatio": 5}
    matchers: dict[str, Any] = {
        "opencv": cv2.StereoSGBM.create(**settings),
        "wheatstone": ws.StereoSGBM_create(**settings),  # the line that changes
    }
    for name, matcher in matchers.items():
        disparity = matcher.compute(left, right).astype(np.float32) / 16
        cv2.imwrite(f"{name}.png", np.clip(disparity * 4, 0, 255).astype(np.uint8))
        print(f"{name}.png: {100 * (disparity >= 0).mean():.1f} % of the pixels have a disparity")


if __name__ == "__main__":
    main(*sys.argv[1:])
