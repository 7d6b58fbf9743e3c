"""Our CPU matcher beside OpenCV's, frame by frame in turns.

    python -m benchmarks.cpu_sgm [--size WxH] [--disparities N] [--paths 4 8] [--cores 1 2 4]

Preset ``balanced`` against ``cv2.StereoSGBM`` with as many paths: mode HH for 8, HH4 for 4. First
our result is compared with the reference; a difference ends the run with exit code 1. With
``--cores``, the milliseconds of our stages by number of cores instead.
"""

import argparse
import statistics
import sys
from dataclasses import replace

import numpy as np
from numba import config
from numpy.typing import NDArray

from wheatstone.gpu.analysis.measurement import Times, lap, summarize
from wheatstone.gpu.cpu.cores import core_count
from wheatstone.gpu.execution import Execution, compute, prepare
from wheatstone.gpu.host import processor_name
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.params import path_count

VARIANTS = ("cpu", "opencv-sgbm")
MODES = {8: "HH", 4: "HH4"}

Pair = tuple[NDArray[np.uint8], NDArray[np.uint8]]


def textured_pair(height: int, width: int, disparities: int) -> Pair:
    """Noise seen from two places: horizontal stripes, each at a disparity of its own."""
    random = np.random.default_rng(1)
    noise = random.integers(0, 256, (height, width + disparities))
    texture = ((noise + np.roll(noise, 1, 1) + np.roll(noise, 1, 0)) // 3).astype(np.uint8)
    left = np.ascontiguousarray(texture[:, :width])
    shifts = np.arange(height) * 8 // height * (disparities - 1) // 8
    right = np.stack([row[d : d + width] for row, d in zip(texture, shifts, strict=True)])
    return left, right


def differing(params: SgmParams, pair: Pair) -> int:
    """How many pixels of our result are not the reference's."""
    ours, reference = (
        compute(SGM, name, params, left=pair[0], right=pair[1]) for name in ("cpu", "reference")
    )
    return int(np.count_nonzero(ours != reference))


def timed(executions: dict[str, Execution], frames: int) -> dict[str, Times]:
    """Time frames by variant; the variants take turns."""
    rounds = [{name: lap(e)[0] for name, e in executions.items()} for _ in range(frames)]
    return {name: summarize([one[name] for one in rounds]) for name in executions}


def report(params: SgmParams, pair: Pair, frames: int) -> None:
    """Print the rows for one number of paths."""
    executions = {name: prepare(SGM, name, params, *pair[0].shape) for name in VARIANTS}
    for execution in executions.values():
        execution.upload(left=pair[0], right=pair[1])
        execution.run()
    times = timed(executions, frames)
    base = times["opencv-sgbm"].fastest
    for name, label in zip(VARIANTS, ("cpu", f"OpenCV {MODES[path_count(params)]}"), strict=True):
        low, middle = times[name].fastest, times[name].median
        print(f"{params.paths:5}  {label:10}  {low:8.1f}  {middle:8.1f}  {base / low:8.2f}")


def scaling(counts: list[int], params: SgmParams, pair: Pair, frames: int) -> None:
    """Print our median milliseconds, of the frame and by stage, for each number of cores."""
    execution = prepare(SGM, "cpu", params, *pair[0].shape)
    execution.upload(left=pair[0], right=pair[1])
    names = [step.stage.name for step in execution.steps]
    print("paths  cores     frame  " + "  ".join(names))
    for count in counts:
        config.NUMBA_NUM_THREADS = count
        execution.run()
        times = []
        for _ in range(frames):
            execution.run(stages=True)
            times.append(list(execution.stage_milliseconds().values()))
        whole = statistics.median(map(sum, times))
        stages = map(statistics.median, zip(*times, strict=True))
        columns = [f"{time:{len(name)}.1f}" for name, time in zip(names, stages, strict=True)]
        print(f"{params.paths:5}  {core_count():5}  {whole:8.1f}  " + "  ".join(columns))


def size(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT as height and width."""
    width, height = map(int, text.split("x"))
    if min(height, width) < 1:
        raise ValueError(f"width and height must be at least 1 (got {text})")
    return height, width


def positive(text: str) -> int:
    """Read a number that is at least 1."""
    if int(text) < 1:
        raise ValueError(f"must be at least 1 (got {text})")
    return int(text)


def settings(disparities: int, paths: int) -> SgmParams:
    """Preset ``balanced`` with these; ``ValueError`` if out of bounds."""
    base = SGM.preset("balanced")
    assert isinstance(base, SgmParams)
    return replace(base, paths=paths, disparities=disparities)


def arguments() -> tuple[argparse.Namespace, list[SgmParams]]:
    """Read the command line's options, and the parameters for each number of paths."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cpu_sgm")
    parser.add_argument("--size", type=size, default="640x480", help="default: 640x480")
    parser.add_argument("--disparities", type=int, default=64, help="default: 64")
    parser.add_argument("--paths", type=int, nargs="+", choices=MODES, default=[4, 8])
    parser.add_argument("--frames", type=positive, default=30, help="timed frames; default: 30")
    parser.add_argument(
        "--cores", type=positive, nargs="+", metavar="N", help="ours alone, on N cores"
    )
    options = parser.parse_args()
    try:
        return options, [settings(options.disparities, paths) for paths in options.paths]
    except ValueError as error:
        parser.error(str(error))


def main() -> int:
    """Run the command line; return its exit code."""
    options, choices = arguments()
    height, width = options.size
    pair = textured_pair(height, width, options.disparities)
    print(f"{processor_name()}; {width}x{height}, {options.disparities} disparities")
    if not options.cores:
        print(f"paths  {'program':10}  {'min ms':>8}  {'median':>8}  {'speed':>8}")
    for params in choices:
        wrong = differing(params, pair)
        if wrong:
            print(f"cpu differs from reference in {wrong} pixels", file=sys.stderr)
            return 1
        if options.cores:
            scaling(options.cores, params, pair, options.frames)
        else:
            report(params, pair, options.frames)
    return 0


if __name__ == "__main__":
    sys.exit(main())
