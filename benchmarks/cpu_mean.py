"""Our mean filter on the CPU beside cv2.blur, frame by frame in turns, for every radius.

    python -m benchmarks.cpu_mean [--size WxH] [--frames N]

Ratios are of the fastest frames, ours over OpenCV's. The run ends with exit code 1 if a result
differs, or if a ratio exceeds 2. Set NUMBA_NUM_THREADS=1 for one core.
"""

import argparse
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.measurement import Times, lap, summarize
from wheatstone.gpu.cpu.cores import core_count
from wheatstone.gpu.execution import prepare, wall_milliseconds
from wheatstone.gpu.host import processor_name
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams

SLOWEST = 2.0  # times as long as OpenCV


def times(image: NDArray[np.uint8], radius: int, frames: int) -> tuple[Times, Times, bool]:
    """Measure our frames and OpenCV's, and whether the results are equal."""
    execution = prepare(MEAN, "cpu", MeanParams(radius), *image.shape)
    execution.upload(left=image)
    window = (2 * radius + 1, 2 * radius + 1)
    blurred = np.empty_like(image)
    opencv = partial(cv2.blur, image, window, blurred)
    ours, theirs = [], []
    for _ in range(frames + 1):
        ours.append(lap(execution)[0])
        theirs.append(wall_milliseconds(opencv))
    same = np.array_equal(execution.download("mean"), blurred)
    return summarize(ours[1:]), summarize(theirs[1:]), same


def size(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT as height and width."""
    width, height = text.split("x")
    return int(height), int(width)


def main() -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cpu_mean")
    parser.add_argument("--size", type=size, default="1920x1080", help="default: 1920x1080")
    parser.add_argument("--frames", type=int, default=100, help="default: 100")
    options = parser.parse_args()
    image = np.random.default_rng(1).integers(0, 256, options.size, np.uint8)
    print(f"{processor_name()}, {core_count()} cores, OpenCV {cv2.__version__}")
    print(f"{options.size[1]}x{options.size[0]}, {options.frames} frames, ms: fastest (median)")
    print("radius  wheatstone         cv2.blur           ratio")
    bounds = controls(MeanParams)["radius"]
    good = True
    for radius in range(int(bounds.low), int(bounds.high) + 1):
        ours, theirs, same = times(image, radius, options.frames)
        columns = [f"{t.fastest:7.3f} ({t.median:7.3f})" for t in (ours, theirs)]
        ratio = ours.fastest / theirs.fastest
        print(f"{radius:6}  {'  '.join(columns)}  {ratio:5.2f}{'' if same else '  DIFFERS'}")
        good = good and same and ratio <= SLOWEST
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
