"""Measure the time of the user's kernel of a stage, and the resources of the GPU that it takes."""

import time
from collections.abc import Iterator
from statistics import median

from wheatstone.gpu.own_kernels.process import resources
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.viewer.run.engine import prepare_run
from wheatstone.viewer.run.kernels.calls import (
    called,
    default_launches,
    first_wrong,
    reference_calls,
)
from wheatstone.viewer.run.kernels.verdict import KernelTime, KernelUse
from wheatstone.viewer.run.parity.cases import Case
from wheatstone.viewer.run.parity.checking import variants_here
from wheatstone.viewer.run.run import Run

TIMED = (480, 640)  # height and width at which times are measured
REPEATS = 20  # of a measurement


def measured(function: OwnFunction) -> KernelTime | None:
    """Measure the times of a stage: of the user's kernel, and in the built-in variants.

    Each timed call gets other images than the one before, and outputs that hold a pattern. What it
    writes is compared; None if it is wrong, or the stage does not run with the default parameters.
    """
    pipeline = function.contract.pipeline
    stage, params = function.own.stage, function.contract.example()[0]
    cases = [
        Case(number, number, pipeline, params, *TIMED, "shifted", again=False)
        for number in range(2)
    ]
    calls = [reference_calls(case, (stage,))[stage] for case in cases]
    times = []
    for number in range(REPEATS):
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
    return KernelTime(*TIMED, median(times), dict(_variant_times(cases[0], stage)))


def _variant_times(case: Case, stage: str) -> Iterator[tuple[str, float]]:
    """Yield the names of the built-in GPU variants, and their times of a stage."""
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
    """Yield the resources of the GPU that each kernel of a stage takes."""
    launches = {launch.kernel: launch for launch in default_launches(function, TIMED)}
    uses = resources(function.own.stage, list(launches.values()))
    for kernel, taken in zip(launches, uses, strict=True):
        yield KernelUse(kernel.name, **taken)
