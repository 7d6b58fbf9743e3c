"""Time the drawing of views in space without a window: points, milliseconds, frames a second.

A smooth disparity image of that size, coloured by a photo, is drawn into a picture of the same size
from a place that moves with every frame: from near the left camera and from the side, as points and
as a mesh, and as thinned points, which renderers on the CPU draw while the mouse moves. ``host`` is
what the thread that draws takes to ask for a frame, ``frame`` is all of it.
"""

import time
from contextlib import closing
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.programs import offscreen
from benchmarks.runner import Count, Size
from wheatstone.viewer.display.picture.panes import Cloud, Pane, Picture
from wheatstone.viewer.display.screen.opengl import describe_gl
from wheatstone.viewer.io.cameras.calibration import Calibration

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.display import Display

INVALID = -16
WARM = 40  # frames that do not count: clocks rise meanwhile
PANE = Pane("disparity", 1 / 16, 0.0, 63.0, INVALID, "turbo")
CASES = (
    ("points, from the camera", Cloud(Pane("left")), False),
    ("points, turned", Cloud(Pane("left"), orbit=(25.0, 10.0, 1.2)), False),
    ("points, turned, with grid", Cloud(Pane("left"), orbit=(25.0, 10.0, 1.2), guides=True), False),
    ("points, turned, colour map", Cloud(PANE, orbit=(25.0, 10.0, 1.2)), False),
    ("mesh, turned", Cloud(Pane("left"), orbit=(25.0, 10.0, 1.2), surface="mesh"), False),
    ("points, turned, in a hurry", Cloud(Pane("left"), orbit=(25.0, 10.0, 1.2)), True),
)


def upload_images(display: "Display", width: int, height: int) -> int:
    """Give a display the disparity of a hill with holes, and a photo; count the points."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    far = ((x - width / 2) ** 2 + (y - height / 2) ** 2) / (0.05 * width * height)
    stored = np.rint((20 + 30 * np.exp(-far)) * 16).astype(np.int16)
    stored[::7, ::5] = INVALID
    photo = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
    display.upload_image("disparity", stored)
    display.upload_image("left", photo)
    return int(np.count_nonzero(stored != INVALID))


def times(display: "Display", cloud: Cloud, size: tuple[int, int], frames: int) -> list[float]:
    """Measure how long frames take to be asked for and to be drawn: two medians in milliseconds.

    Args:
        size: width and height.
    """
    from OpenGL import GL

    asked, drawn = [], []
    for number in range(-WARM, frames):
        yaw, pitch, distance = cloud.orbit
        moved = replace(cloud, orbit=(yaw + 0.01 * number, pitch, distance))
        begin = time.perf_counter()
        display.draw(Picture((PANE,), cloud=moved), *size)
        middle = time.perf_counter()
        GL.glFinish()
        asked.append(middle - begin)
        drawn.append(time.perf_counter() - begin)
    return [1e3 * median(samples[WARM:]) for samples in (asked, drawn)]


def main(*, size: Size = (1280, 720), frames: Count = 200) -> bool:
    """Draw every case and print a line for each."""
    width, height = size
    with offscreen():
        from wheatstone.viewer.display.screen.display import Display

        with closing(Display()) as display:
            points = upload_images(display, width, height)
            print(f"{describe_gl()['renderer']}: {points:,} points of {width}x{height}")
            known = Calibration(0.7 * width, 0.1, (width / 2, height / 2))
            for name, cloud, hurries in CASES:
                display.hurries = hurries
                placed = replace(cloud, calibration=known, pivot=known.depth(30.0))
                asked, drawn = times(display, placed, size, frames)
                rate = f"{1e3 / drawn:8.1f} fps"
                print(f"{name:28} host {asked:7.3f} ms   frame {drawn:8.3f} ms {rate}", flush=True)
    return True
