"""Time the drawing of point clouds and meshes, offscreen.

A smooth disparity image with random colours is drawn into a picture of the same size. The viewpoint
moves with every frame, near the left camera or at the side. The cases are points, a mesh, and the
reduced set of points that renderers on the CPU draw while the mouse moves. ``host`` is the time
until the calls that draw a frame return, ``frame`` the time until the frame is complete.
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
WARM = 40  # frames that are not timed, while the clocks of the GPU rise
PANE = Pane("disparity", 1 / 16, 0.0, 63.0, INVALID, "turbo")
CASES = (
    ("points, from the camera", Cloud(Pane("left")), False),
    ("points, turned", Cloud(Pane("left"), orbit=(25.0, 10.0, 1.2)), False),
    ("points, turned, with grid", Cloud(Pane("left"), orbit=(25.0, 10.0, 1.2), guides=True), False),
    ("points, turned, colour map", Cloud(PANE, orbit=(25.0, 10.0, 1.2)), False),
    ("mesh, turned", Cloud(Pane("left"), orbit=(25.0, 10.0, 1.2), surface="mesh"), False),
    ("points, turned, reduced", Cloud(Pane("left"), orbit=(25.0, 10.0, 1.2)), True),
)


def upload_images(display: "Display", width: int, height: int) -> int:
    """Upload the disparity of a hill with holes, and colours; return the number of points."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    far = ((x - width / 2) ** 2 + (y - height / 2) ** 2) / (0.05 * width * height)
    stored = np.rint((20 + 30 * np.exp(-far)) * 16).astype(np.int16)
    stored[::7, ::5] = INVALID
    colours = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
    display.upload_image("disparity", stored)
    display.upload_image("left", colours)
    return int(np.count_nonzero(stored != INVALID))


def times(display: "Display", cloud: Cloud, size: tuple[int, int], frames: int) -> list[float]:
    """Return the median milliseconds until drawing calls return, and until frames are complete.

    Args:
        size: width and height.
    """
    from OpenGL import GL

    called, drawn = [], []
    for number in range(-WARM, frames):
        yaw, pitch, distance = cloud.orbit
        moved = replace(cloud, orbit=(yaw + 0.01 * number, pitch, distance))
        begin = time.perf_counter()
        display.draw(Picture((PANE,), cloud=moved), *size)
        middle = time.perf_counter()
        GL.glFinish()
        called.append(middle - begin)
        drawn.append(time.perf_counter() - begin)
    return [1e3 * median(samples[WARM:]) for samples in (called, drawn)]


def main(*, size: Size = (1280, 720), frames: Count = 200) -> bool:
    """Draw each of ``CASES``; print a line with its times."""
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
                called, drawn = times(display, placed, size, frames)
                rate = f"{1e3 / drawn:8.1f} fps"
                print(f"{name:28} host {called:7.3f} ms   frame {drawn:8.3f} ms {rate}", flush=True)
    return True
