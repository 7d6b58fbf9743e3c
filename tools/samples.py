"""Write frame 0 of every built-in scene at 320x240 into a folder, with its disparity times 256."""

import sys
from pathlib import Path

import cv2
import numpy as np

from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.scene import Scene

for name in SCENES:
    frame = Scene(name, 0, (320, 240)).render(0)
    folder = Path(sys.argv[1], name)
    folder.mkdir(parents=True, exist_ok=True)
    level = [cv2.IMWRITE_PNG_COMPRESSION, 9]
    for view, pixels in (("left", frame.left), ("right", frame.right)):
        cv2.imwrite(str(folder / f"{view}.png"), pixels[..., ::-1], level)
    stored = np.rint(frame.truth * 256).astype(np.uint16)
    cv2.imwrite(str(folder / "disparity.png"), stored, level)
