"""Measure the times of the user's kernels by stage, and the GPU resources that they use."""

import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from statistics import median

from wheatstone.gpu.analysis.roofline import StagePoint, peaks
from wheatstone.gpu.device import open_device
from wheatstone.gpu.image import nbytes
from wheatstone.gpu.own_kernels.process import resources
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.viewer.run.engine import prepare_run
from wheatstone.viewer.run.kernels.calls import (
    called,
    default_launches,
    first_wrong,
    reference_calls,
    stage_call,
)
from wheatstone.viewer.run.kernels.verdict import KernelTime, KernelUse
from wheatstone.viewer.run.parity.cases import Case
from wheatstone.viewer.run.parity.checking import variants_here
from wheatstone.viewer.run.run import Run

TIMED, SMALLER = (480, 640), (240, 320)  # heights and widths at which times are measured
MOST_BYTES = 2**25  # of the images of a call of the larger size
REPEATS = 20  # of a measurement
SECONDS = 0.3  # after which a measurement is not repeated, except that it is made three times


def measured(function: OwnFunction) -> KernelTime | None:
    """Measure the time of a stage in the user's kernel and in the built-in variants.

    Each timed call gets other images than the one before, and outputs that hold a pattern. What it
    writes is compared; None if it is wrong, or the stage does not run with the default parameters.
    """
    pipeline = function.contract.pipeline
    stage, params = function.own.stage, function.contract.example()[0]
    declared = function.contract.stage
    images = [pipeline.image(name) for name in (*declared.reads, *declared.writes)]
    large = sum(nbytes(image.shape(*TIMED, params), image.dtype) for image in images) > MOST_BYTES
    size = SMALLER if large else TIMED
    cases = [
        Case(number, number, pipeline, params, *size, "shifted", again=False) for number in range(2)
    ]
    calls = [reference_calls(case, (stage,))[stage] for case in cases]
    times: list[float] = []
    ends = time.perf_counter() + SECONDS
    for number in range(REPEATS):
        if times[2:] and time.perf_counter() > ends:
            break
        total = 0.0
        for call in calls[number % 2]:
            begin = time.perf_counter()
            written, report = called(function, call)
            taken = (time.perf_counter() - begin) * 1e3
            if any(first_wrong(n, written[n], call.expected[n]) for n in call.expected):
                return None
            total += taken if report.milliseconds is None else report.milliseconds
        times.append(total)
    if not any(calls):
        return None
    own = median(times)
    moved = sum(
        nbytes(f.shape, f.dtype) for c in calls[0] for f in stage_call(function, c)[0].forms
    )
    rate = StagePoint(stage, own, moved, None).gigabytes_per_second or 0.0
    device = open_device("cuda")
    with device.active():
        copied = peaks(device).copy_gigabytes_per_second
    return KernelTime(*size, own, variant_times(cases[0], stage), rate, copied)


@lru_cache(maxsize=32)
def variant_times(case: Case, stage: str) -> Mapping[str, float]:
    """Measure the time of a stage in each built-in GPU variant; cached for later checks."""
    return dict(_variant_times(case, stage))


def _variant_times(case: Case, stage: str) -> Iterator[tuple[str, float]]:
    for variant in variants_here(case.pipeline):
        steps = [step for step in variant.fused if stage in step.covers]
        alone = all(step.covers == (stage,) for step in steps)
        if not variant.on_gpu or variant.functions or not alone:
            continue
        run = Run(case.pipeline, variant.name, case.params, bands=1)
        execution = prepare_run(run, case.height, case.width)
        execution.upload(**case.inputs())
        taken = []
        for _ in range(REPEATS):
            execution.run(stages=True)
            times = execution.stage_milliseconds()
            names = [step.name for step in steps] or [stage]
            taken.append(sum(times.get(name, 0.0) for name in names))
        if any(taken):
            yield variant.name, median(taken)


def used(function: OwnFunction) -> Iterator[KernelUse]:
    """Yield the GPU resources that each kernel of a stage uses."""
    launches = {launch.kernel: launch for launch in default_launches(function, TIMED)}
    uses = resources(function.own.stage, list(launches.values()))
    for kernel, taken in zip(launches, uses, strict=True):
        yield KernelUse(kernel.name, **taken)
