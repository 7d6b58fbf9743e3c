"""Time variant ``fast`` of the edge detector: whole frames and each of its launches.

Prints a Markdown table in microseconds. A frame is timed alone, between two events, and back to
back: many frames in one graph, divided by their number. The time of a launch is how much longer
frames back to back take if they end after it instead of before it, since a launch needs the results
of earlier ones. Edges are compared with variant ``cpu``; a difference ends with exit code 1.
"""

from itertools import product
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.fast_sgm import chained_steps
from benchmarks.runner import Count, Size
from wheatstone.gpu.analysis.measurement import (
    lap,
    nothing_milliseconds,
    time_frames,
)
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.pipelines.canny import CANNY, CannyParams
from wheatstone.viewer.io.files.markdown import markdown

Pixels = NDArray[np.uint8]

PAIR = Path(__file__).resolve().parent.parent / "docs" / "images" / "pair.png"
SIZES = ((1920, 1080), (3840, 2160))
WIDE = 4  # width of the spiral's line, and of the gaps between its turns, in pixels
LAUNCHES = ("packed_gaussian", "packed_edges", "packed_seams", "packed_hysteresis")
PLAIN = CannyParams(sigma=0.0, norm="l1", aperture=3)
L2 = PLAIN.changed(norm="l2")
CASES: tuple[tuple[str, str, CannyParams], ...] = (  # name, image, parameters
    ("photograph 50/150", "photograph", PLAIN.changed(low=50, high=150)),
    ("photograph 20/100", "photograph", PLAIN.changed(low=20, high=100)),
    ("photograph 50/150, L2", "photograph", L2.changed(low=50, high=150)),
    ("photograph, defaults", "photograph", CannyParams()),
    ("photograph, sigma 6", "photograph", CannyParams(sigma=6.0, low=5, high=10)),
    ("photograph, aperture 5", "photograph", PLAIN.changed(low=600, high=1800, aperture=5)),
    ("photograph, aperture 7", "photograph", PLAIN.changed(low=8000, high=24000, aperture=7)),
    ("photograph, aperture 7, L2", "photograph", L2.changed(aperture=7, low=8000, high=24000)),
    ("noise 200/600", "noise", PLAIN.changed(low=200, high=600)),
    ("noise 20/1200", "noise", PLAIN.changed(low=20, high=1200)),
    ("spiral", "spiral", PLAIN.changed(low=200, high=1010)),
)


def photograph(height: int, width: int) -> Pixels:
    """Return the left view of a screenshot, cropped and enlarged."""
    screen = cv2.imread(str(PAIR), cv2.IMREAD_GRAYSCALE)
    assert screen is not None
    left = screen[:, : screen.shape[1] // 2]
    left = left[20 : 20 + left.shape[1] * 9 // 16]
    enlarged = cv2.resize(left, (width, height), interpolation=cv2.INTER_LANCZOS4)
    return np.asarray(enlarged, np.uint8)


def spiral(height: int, width: int) -> Pixels:
    """Draw a spiral from the corner to the centre that gets brighter and has a white end."""
    image = np.zeros((height, width), np.uint8)
    lengths = [height - WIDE, width - WIDE]
    segments, y, x, (dy, dx) = list[tuple[int, int, int, int, int]](), 0, 0, (0, 1)
    while min(lengths) > 2 * WIDE:
        length = lengths[dx != 0]
        segments.append((y, x, dy, dx, length))
        y, x = y + length * dy, x + length * dx
        lengths[dx != 0] -= 2 * WIDE if len(segments) > 1 else 0  # the first two are not shorter
        dy, dx = dx, -dy
    levels = np.linspace(60, 140, sum(segment[-1] for segment in segments))
    levels[-2 * WIDE :] = 255  # the only strong edges of the spiral, corners included
    for y, x, dy, dx, length in segments:
        drawn, levels = levels[:length], levels[length:]
        if dx:
            first = x if dx > 0 else x - length + 1
            image[y : y + WIDE, first : first + length] = drawn[::dx]
        else:
            first = y if dy > 0 else y - length + 1
            image[first : first + length, x : x + WIDE] = drawn[::dy, None]
    return image


def picture(name: str, height: int, width: int) -> Pixels:
    """Return the image with this name in ``CASES``."""
    if name == "noise":
        return np.random.default_rng(1).integers(0, 256, (height, width), np.uint8)
    return {"photograph": photograph, "spiral": spiral}[name](height, width)


def measure(image: Pixels, params: CannyParams, frames: int) -> tuple[tuple[str, ...], int]:
    """Time a case; return table cells, and the number of pixels unlike variant ``cpu``."""
    execution = prepare(CANNY, "fast", params, *image.shape)
    execution.upload(left=image)
    lap(execution)  # compiles
    expected = compute(CANNY, "cpu", params, left=image)
    wrong = int(np.count_nonzero(execution.download("edges") != expected))
    single = time_frames(execution, frames)[0].median
    chained = chained_steps(execution)
    wrong += int(np.count_nonzero(execution.download("edges") != expected))
    launches = (f"{1e3 * chained[name]:.1f}" if name in chained else "" for name in LAUNCHES)
    whole = f"**{1e3 * sum(chained.values()):.1f}**"
    return (f"{1e3 * single:.1f}", whole, *launches, f"{wrong}"), wrong


def main(
    *,
    size: tuple[Size, ...] = SIZES,
    only: Annotated[str, "measure only cases whose name contains this text"] = "",
    frames: Annotated[Count, "frames that are timed alone"] = 200,
) -> bool:
    """Time all cases and print a table; return whether no pixel differs from variant ``cpu``."""
    rows, same = [], True
    for (width, height), (name, image, params) in product(size, CASES):
        if only in name:
            cells, wrong = measure(picture(image, height, width), params, frames)
            rows.append((name, f"{width}x{height}", *cells))
            same = same and not wrong
    device = open_device("cuda")
    overhead = 1e3 * nothing_milliseconds(device)
    print(f"Microseconds on {device.name}; alone, an empty frame reads {overhead:.1f}.\n")
    header = ("Image", "Size", "Alone", "Back to back", *LAUNCHES, "Differ")
    print(markdown(header, rows))
    return same
