"""Check the kernels of a folder with NVIDIA's compute-sanitizer."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import gpu_number
from wheatstone.gpu.emulation.compiler import CompileFailed
from wheatstone.gpu.kernels.programs import Program, compile_all, target_of_gpu
from wheatstone.gpu.own_kernels.arena import layout_of
from wheatstone.gpu.own_kernels.calls import UNCHECKED, StageCall, request_of
from wheatstone.gpu.own_kernels.compiling import compile_failure
from wheatstone.gpu.own_kernels.contract import OwnKernels
from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.gpu.own_kernels.sanitizer import (
    HOW_TO_INSTALL,
    TOOLS,
    SanitizerFinding,
    find_sanitizer,
    run_sanitizer,
)
from wheatstone.viewer.run.kernels.calls import reference_calls, stage_call
from wheatstone.viewer.run.kernels.comparing import THOROUGH
from wheatstone.viewer.run.kernels.judging import KernelJudge

LINES = "-lineinfo"  # the option by which findings have lines
SEED = 0


@dataclass(frozen=True)
class SanitizerReport:
    """The errors that compute-sanitizer reported for one saved state of a kernel folder.

    Attributes:
        save: number of the saved state.
        seconds: duration of all tools.
    """

    save: int
    findings: tuple[SanitizerFinding, ...]
    seconds: float


def check_sanitizer() -> Path:
    """Return the path of compute-sanitizer; raise an error if it cannot be used.

    Raises:
        Unavailable: it is not installed, or kernels do not run on a GPU; the message says what to
            do.
    """
    path = find_sanitizer()
    if path is None:
        raise Unavailable(HOW_TO_INSTALL)
    if emulated():
        raise Unavailable(
            "compute-sanitizer needs a GPU; the emulation checks every access to memory already"
        )
    return path


def sanitized(
    kernels: OwnKernels, report: Callable[[float, str], None], stop: Callable[[], bool]
) -> SanitizerReport:
    """Run every tool of compute-sanitizer on the kernels, with the default parameters.

    Args:
        report: called with the share that is done, and the current step.
        stop: called often; True ends the check early.

    Raises:
        ValueError: a kernel does not compile, or cannot be launched.
        Unavailable: compute-sanitizer does not run here.
    """
    path, begin = check_sanitizer(), time.perf_counter()
    findings: list[SanitizerFinding] = []
    with TemporaryDirectory(prefix="wheatstone-") as name:
        try:
            requests, own = _write_requests(kernels, Path(name))
        except CompileFailed as failed:
            raise ValueError(str(failed)) from failed
        for number, tool in enumerate(TOOLS):
            report(number / len(TOOLS), f"compute-sanitizer: {tool}")
            for each in run_sanitizer(path, tool, requests, stop):
                if each.file in own or each.function in own:
                    findings.append(each)
    return SanitizerReport(kernels.version, tuple(findings), time.perf_counter() - begin)


def _write_requests(kernels: OwnKernels, folder: Path) -> tuple[Path, set[str]]:
    """Write the kernel calls to check; return the file, and the user's file and kernel names."""
    judge = KernelJudge(kernels, effort=replace(THOROUGH, cases=0))
    calls: list[dict[str, Any]] = []
    own = {own.file for own in kernels.stages}
    for case in judge.cases(0, SEED):
        for stage, reference in reference_calls(case, tuple(judge.functions)).items():
            for each in reference:
                call, images = stage_call(judge.functions[stage], each)
                calls.append(_request(call, images, folder / f"{len(calls)}.images"))
                own |= set(_files(call.own.text))
                own |= {launch.kernel.name for launch in call.launches}
    path = folder / "requests.json"
    path.write_text(json.dumps({"device": gpu_number(), "calls": calls}))
    return path, own


def _files(text: str) -> Iterator[str]:
    """Yield the names of the headers that are included in a program's text."""
    for line in text.splitlines():
        if line.startswith("#line "):
            yield line.split('"')[1]


def _request(call: StageCall, images: Sequence[NDArray[Any]], path: Path) -> dict[str, Any]:
    """Describe a kernel call for the sanitizer's process, and write its images to a file."""
    programs = {launch.kernel.program: Path() for launch in call.launches}
    programs = {program: _compiled(program) for program in programs}
    layout = layout_of(call.forms)
    memory = np.zeros(layout.nbytes, np.uint8)
    for offset, image in zip(layout.offsets, images, strict=True):
        memory[offset : offset + image.nbytes] = np.ascontiguousarray(image).view(np.uint8).ravel()
    memory.tofile(path)
    return request_of(call, programs, UNCHECKED) | {
        "memory": {"path": str(path), "nbytes": layout.nbytes},
        "offsets": layout.offsets,
        "first": call.first,
        "programs": [str(file) for file in programs.values()],
    }


def _compiled(program: Program) -> Path:
    """Compile a program with line information. Raises ``CompileFailed`` or ``Unavailable``."""
    with_lines = replace(program, options=(*program.options, LINES))
    try:
        return compile_all([with_lines], target_of_gpu())[with_lines]
    except Unavailable:
        raise
    except RuntimeError as error:
        raise compile_failure(program.file, error) from error
