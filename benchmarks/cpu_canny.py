"""Our Canny edges on the CPU beside cv2.Canny, frame by frame in turns.

    python -m benchmarks.cpu_canny [--size WxH] [--frames N]

Without a Gaussian, both norms, on a rendered scene and on noise. Ratios are of the medians, ours
over OpenCV's; ours writes every stage's image, too. The run ends with exit code 1 if a result
differs, or if a ratio exceeds 2. Set NUMBA_NUM_THREADS=1 and OPENCV_FOR_THREADS_NUM=1 for one core.
"""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.measurement import Times, lap, summarize
from wheatstone.gpu.cpu.cores import core_count
from wheatstone.gpu.execution import prepare, wall_milliseconds
from wheatstone.gpu.host import processor_name
from wheatstone.gpu.pipelines.canny import CANNY, CannyParams

SLOWEST = 2.0  # times as long as OpenCV
SCENE = Path(__file__).resolve().parent.parent / "assets" / "scenes" / "garden" / "left.png"


def times(image: NDArray[np.uint8], params: CannyParams, frames: int) -> tuple[Times, Times, bool]:
    """Measure our frames and OpenCV's, and whether the results are equal."""
    execution = prepare(CANNY, "cpu", params, *image.shape)
    execution.upload(left=image)
    edges = np.empty_like(image)
    opencv = partial(cv2.Canny, image, params.low, params.high, edges, 3, params.norm == "l2")
    ours, theirs = [], []
    for _ in range(frames + 1):
        ours.append(lap(execution)[0])
        theirs.append(wall_milliseconds(opencv))
    same = np.array_equal(execution.download("edges"), edges)
    return summarize(ours[1:]), summarize(theirs[1:]), same


def images(height: int, width: int) -> dict[str, NDArray[np.uint8]]:
    """Make what is measured: the scene, repeated to the size, and noise."""
    scene: Any = cv2.imread(str(SCENE), cv2.IMREAD_GRAYSCALE)
    repeats = (-(-height // scene.shape[0]), -(-width // scene.shape[1]))
    return {
        "scene": np.ascontiguousarray(np.tile(scene, repeats)[:height, :width]),
        "noise": np.random.default_rng(1).integers(0, 256, (height, width), np.uint8),
    }


def size(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT as height and width."""
    width, height = text.split("x")
    return int(height), int(width)


def main() -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cpu_canny")
    parser.add_argument("--size", type=size, default="1920x1080", help="default: 1920x1080")
    parser.add_argument("--frames", type=int, default=100, help="default: 100")
    options = parser.parse_args()
    print(f"{processor_name()}, {core_count()} cores, OpenCV {cv2.__version__}")
    print(f"{options.size[1]}x{options.size[0]}, {options.frames} frames, ms: median (fastest)")
    print("image  norm  wheatstone         cv2.Canny          ratio")
    good = True
    for name, image in images(*options.size).items():
        for norm in ("l1", "l2"):
            params = CannyParams(sigma=0.0, low=50, high=150, norm=norm)
            ours, theirs, same = times(image, params, options.frames)
            columns = [f"{t.median:7.3f} ({t.fastest:7.3f})" for t in (ours, theirs)]
            ratio = ours.median / theirs.median
            verdict = "" if same else "  DIFFERS"
            print(f"{name:5}  {norm:4}  {'  '.join(columns)}  {ratio:5.2f}{verdict}")
            good = good and same and ratio <= SLOWEST
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
