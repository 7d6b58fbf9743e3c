"""Compare the mean filter and Canny edges of variant ``cpu`` with OpenCV, alternating frames.

The mean filter runs with every radius on noise; the ratio to OpenCV is that of the fastest frames.
Canny runs without a Gaussian, with both norms, on a rendered scene and on noise, and also writes
the image of every stage; the ratio is that of the medians. The exit code is 1 if a result differs
or if a ratio exceeds 2. Set NUMBA_NUM_THREADS=1 and OPENCV_FOR_THREADS_NUM=1 for one core.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.programs import time_alternately
from benchmarks.runner import Count, Size
from wheatstone.gpu.cpu.cores import core_count
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.host import processor_name
from wheatstone.gpu.parameters import Params, controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines.canny import CANNY, CannyParams
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams

SLOWEST = 2.0  # largest allowed ratio of the program's time to OpenCV's
SCENE = Path(__file__).resolve().parent.parent / "assets" / "scenes" / "garden" / "left.png"
Pixels = NDArray[np.uint8]
Case = tuple[str, Execution, Callable[[], object], Pixels]
"""The name of a case, the program's execution, OpenCV's function, and the image that it writes."""


def main(
    filters: Annotated[tuple[str, ...], ("mean", "canny")] = ("mean", "canny"),
    *,
    size: Size = (1920, 1080),
    frames: Count = 100,
) -> bool:
    """Print a table for each filter; return whether results are equal and ratios small enough."""
    width, height = size
    print(f"{processor_name()}, {core_count()} cores, OpenCV {cv2.__version__}")
    print(f"{width}x{height}, {frames} frames, ms")
    noise = np.random.default_rng(1).integers(0, 256, (height, width), np.uint8)
    good = True
    if "mean" in filters:
        good &= _compare("fastest", "median", _mean_cases(noise), frames)
    if "canny" in filters:
        good &= _compare("median", "fastest", _canny_cases(noise), frames)
    return good


def _compare(first: str, second: str, cases: Iterator[Case], frames: int) -> bool:
    print(f"\n{f'{first} ({second})':12}  wheatstone         OpenCV             ratio")
    good = True
    for name, execution, opencv, expected in cases:
        times = time_alternately(execution, opencv, frames)
        same = np.array_equal(execution.download(execution.pipeline.output), expected)
        columns = [f"{getattr(t, first):7.3f} ({getattr(t, second):7.3f})" for t in times]
        ours, theirs = (getattr(each, first) for each in times)
        print(f"{name:16}  {'  '.join(columns)}  {ours / theirs:5.2f}{'' if same else '  DIFFERS'}")
        good = good and same and ours / theirs <= SLOWEST
    return good


def _mean_cases(noise: Pixels) -> Iterator[Case]:
    bounds = controls(MeanParams)["radius"]
    for radius in range(int(bounds.low), int(bounds.high) + 1):
        blurred, window = np.empty_like(noise), (2 * radius + 1, 2 * radius + 1)
        execution = _prepared(MEAN, MeanParams(radius), noise)
        yield (
            f"mean, radius {radius}",
            execution,
            partial(cv2.blur, noise, window, blurred),
            blurred,
        )


def _canny_cases(noise: Pixels) -> Iterator[Case]:
    scene: Any = cv2.imread(str(SCENE), cv2.IMREAD_GRAYSCALE)
    (height, width), own = noise.shape, scene.shape
    scene = np.tile(scene, (-(-height // own[0]), -(-width // own[1])))[:height, :width]
    for name, image in (("scene", np.ascontiguousarray(scene)), ("noise", noise)):
        for norm in ("l1", "l2"):
            params, edges = (
                CannyParams(sigma=0.0, low=50, high=150, norm=norm),
                np.empty_like(image),
            )
            opencv = partial(cv2.Canny, image, params.low, params.high, edges, 3, norm == "l2")
            yield f"canny {norm}, {name}", _prepared(CANNY, params, image), opencv, edges


def _prepared(pipeline: Pipeline, params: Params, image: Pixels) -> Execution:
    execution = prepare(pipeline, "cpu", params, *image.shape)
    execution.upload(left=image)
    return execution
