"""Compare semi-global matching of variant ``cpu`` with OpenCV, alternating frames.

Preset ``balanced`` is compared with ``cv2.StereoSGBM`` and the same number of paths: mode HH for 8,
HH4 for 4. The result of ``cpu`` is first compared with the reference; a difference ends the run
with exit code 1. With ``--cores``, the times of the stages of ``cpu`` by number of cores are
printed instead.
"""

import statistics
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from numba import config
from numpy.typing import NDArray

from benchmarks.runner import Count, Size, WrongInput
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
    """Return a pair of smoothed noise in horizontal stripes of different disparities."""
    random = np.random.default_rng(1)
    noise = random.integers(0, 256, (height, width + disparities))
    texture = ((noise + np.roll(noise, 1, 1) + np.roll(noise, 1, 0)) // 3).astype(np.uint8)
    left = np.ascontiguousarray(texture[:, :width])
    shifts = np.arange(height) * 8 // height * (disparities - 1) // 8
    right = np.stack([row[d : d + width] for row, d in zip(texture, shifts, strict=True)])
    return left, right


def differing(
    params: SgmParams, pair: Pair, variants: tuple[str, str] = ("cpu", "reference")
) -> int:
    """Count the pixels in which the results of two variants differ."""
    left, right = pair
    one, other = (compute(SGM, name, params, left=left, right=right) for name in variants)
    return int(np.count_nonzero(one != other))


def time_variants(executions: dict[str, Execution], frames: int) -> dict[str, Times]:
    """Time frames of several variants, alternating between them; return the times by variant."""
    rounds = [{name: lap(e)[0] for name, e in executions.items()} for _ in range(frames)]
    return {name: summarize([one[name] for one in rounds]) for name in executions}


def report(params: SgmParams, pair: Pair, frames: int) -> None:
    """Time variant ``cpu`` and OpenCV with the same number of paths; print a row for each."""
    executions = {name: prepare(SGM, name, params, *pair[0].shape) for name in VARIANTS}
    for execution in executions.values():
        execution.upload(left=pair[0], right=pair[1])
        execution.run()
    times = time_variants(executions, frames)
    base = times["opencv-sgbm"].fastest
    for name, label in zip(VARIANTS, ("cpu", f"OpenCV {MODES[path_count(params)]}"), strict=True):
        low, middle = times[name].fastest, times[name].median
        print(f"{params.paths:5}  {label:10}  {low:8.1f}  {middle:8.1f}  {base / low:8.2f}")


def scaling(counts: Sequence[int], params: SgmParams, pair: Pair, frames: int) -> None:
    """Print the median milliseconds of a frame and its stages for each number of cores."""
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


def settings(disparities: int, paths: int) -> SgmParams:
    """Return preset ``balanced`` with other disparities and paths."""
    base = SGM.preset("balanced")
    assert isinstance(base, SgmParams)
    try:
        return replace(base, paths=paths, disparities=disparities)
    except ValueError as error:
        raise WrongInput(error) from None


def main(
    *,
    size: Size = (640, 480),
    disparities: int = 64,
    paths: Annotated[tuple[int, ...], MODES] = (4, 8),
    frames: Count = 30,
    cores: Annotated[tuple[Count, ...], "time only variant cpu, with these numbers of cores"] = (),
) -> bool:
    """Time variant ``cpu`` and print a table; return whether it agrees with the reference."""
    width, height = size
    choices = [settings(disparities, count) for count in paths]
    pair = textured_pair(height, width, disparities)
    print(f"{processor_name()}; {width}x{height}, {disparities} disparities")
    if not cores:
        print(f"paths  {'program':10}  {'min ms':>8}  {'median':>8}  {'speed':>8}")
    for params in choices:
        if wrong := differing(params, pair):
            print(f"cpu differs from reference in {wrong} pixels")
            return False
        if cores:
            scaling(cores, params, pair, frames)
        else:
            report(params, pair, frames)
    return True
