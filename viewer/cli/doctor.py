"""``wheatstone doctor``: check this machine for everything that the program needs.

Given one or two calibration files, it prints the calibration instead.
"""

import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import ClassVar

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.environment import check_compiler, describe, versions
from wheatstone.gpu.device import gpu_number, open_device, why_unavailable
from wheatstone.gpu.emulation.compiler import gxx_version
from wheatstone.gpu.installation import install_command
from wheatstone.gpu.peers.runtime import network_device, providers
from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.package_imports import (
    EXTRAS,
    PackageImport,
    declared_packages,
    import_packages,
)
from wheatstone.viewer.cli.requests import CalibrationAnswers, VerbRequest
from wheatstone.viewer.display.screen.opengl import APT
from wheatstone.viewer.io.cameras.calibration_files import (
    FoundCalibration,
    read_calibration,
    searched_disparities,
)
from wheatstone.viewer.io.cameras.facts import facts
from wheatstone.viewer.io.files.streams import erase_line, on_terminal, overwrite
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.io.sources.source_spec import CALIBRATION_CHOICES, SourceSpec
from wheatstone.viewer.options import path_option

FINE, ABSENT, BROKEN = "fine", "absent", "broken"
MEANINGS = "absent: the rest of the program works without it; broken: repair it as described"
OF_EMULATION = "needed only to run your own CUDA kernels (`wheatstone kernel`) without a GPU"
PROBE_SECONDS = 60


@dataclass(frozen=True)
class DoctorCheck:
    """The result of checking one component that the program uses.

    Attributes:
        name: the component.
        state: ``fine``, ``absent`` (the machine has none, the rest works without), or ``broken``
            (it should work, but does not).
        description: what is there, or why it is missing, with the command that repairs it.
        details: the output of another program about it, in many lines; empty: nothing more.
    """

    name: str
    state: str
    description: str
    details: str = ""


@dataclass(frozen=True, kw_only=True)
class DoctorRequest(CalibrationAnswers, VerbRequest):
    """The options of ``doctor``, which describes this machine, or a calibration."""

    verb: ClassVar[str] = "doctor"
    files: tuple[Path, ...] = path_option(
        "one or two calibration files to describe, instead of this machine",
        positional=True,
        nargs="*",
    )


def doctor(request: DoctorRequest) -> int:
    """Run ``wheatstone doctor``: print all checks; return 3 if a component is broken, else 0.

    A missing display or GPU does not count as broken.

    Raises:
        OSError, ValueError: a calibration file cannot be read or used.
    """
    if request.files:
        given = {name: getattr(request, name) for name in CALIBRATION_CHOICES}
        choices = SourceSpec(**given).calibration_choices
        print_calibration(read_calibration(*request.files, choices=choices))
        return 0
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    title = f"wheatstone {VERSION}"
    table = Table("component", "state", "result", title=title, caption=MEANINGS)
    style = {FINE: "green", ABSENT: "yellow", BROKEN: "bold red"}
    findings = examine()
    erase_line()
    for one in findings:  # as Text: what stands in brackets is no markup
        table.add_row(one.name, Text(one.state, style[one.state]), Text(one_line(one.description)))
    console = Console(highlight=False, markup=False)
    console.print(table)
    for one in findings:
        if one.details:
            console.print(f"\n{one.name}:", *map(one_line, one.details.splitlines()), sep="\n")
    return 3 if any(finding.state == BROKEN for finding in findings) else 0


def print_calibration(cameras: FoundCalibration) -> None:
    """Print the values of a calibration. Raises ``ValueError`` if its rig cannot be rectified."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("calibration", "value", title=Text(one_line(cameras.name)))
    counts = filter(
        None, map(searched_disparities, cameras.files if cameras.form == "Middlebury" else ())
    )
    searched = [("disparities (ndisp)", str(count)) for count in counts]
    for name, value in (*facts(cameras), *searched):
        table.add_row(name, Text(one_line(value)))
    Console(highlight=False, markup=False).print(table)


def examine() -> list[DoctorCheck]:
    """Check everything that the program uses: Python, packages, CPU, GPU and OpenGL."""
    results = [DoctorCheck("Python", FINE, f"{platform.python_version()} ({sys.executable})")]
    results += _packages()
    results.append(DoctorCheck("CPU", FINE, open_device("cpu").name))
    results += [*_gpu(), _emulation(), _networks()]
    return [*results, _probe("render", "offscreen"), _probe("view", "window")]


def _packages() -> list[DoctorCheck]:
    """Check that every package of the program and of its extras can be imported."""
    try:
        groups = declared_packages()
    except PackageNotFoundError:
        why = "not checked: the program is not installed, it runs from a folder"
        return [DoctorCheck("packages", ABSENT, why)]
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    results = import_packages(names, lambda name: _progress(f"imported the package {name}"))
    return [
        extra_check(extra, [results[name] for name in group])
        if extra
        else base_check([results[name] for name in group])
        for extra, group in groups.items()
    ]


def base_check(results: Sequence[PackageImport]) -> DoctorCheck:
    """Check the required packages, given the results of importing them."""
    if failed := [each for each in results if each.problem]:
        described = "; ".join(f"{each}; {_mended(each)}" for each in failed)
        return DoctorCheck("packages", BROKEN, described)
    known = ", ".join(f"{name} {version}" for name, version in versions().items())
    return DoctorCheck("packages", FINE, f"all {len(results)} can be imported; {known}")


def extra_check(extra: str, results: Sequence[PackageImport]) -> DoctorCheck:
    """Check the packages of an extra, given the results of importing them."""
    name = f"extra {extra}"
    if broken := [each for each in results if each.problem and each.version]:
        described = "; ".join(f"{each}; {_mended(each)}" for each in broken)
        return DoctorCheck(name, BROKEN, described)
    if missing := [each.package for each in results if each.problem]:
        known = f"not installed: {', '.join(missing)}; needed for {EXTRAS[extra]}"
        return DoctorCheck(name, ABSENT, f"{known}; install with: {install_command(extra)}")
    return DoctorCheck(name, FINE, ", ".join(map(str, results)))


def _mended(failed: PackageImport) -> str:
    """Describe how to repair a package: by a system library, or by a new installation."""
    if ".so" in failed.problem and "cannot open shared object" in failed.problem:
        return f"install the library; those of OpenGL with: {APT}"
    return f"install it again with: {failed.remedy()}"


def _progress(text: str) -> None:
    """Show the progress of the checks in one line of the terminal."""
    if on_terminal():
        overwrite(f"doctor: {text} ...")


def _gpu() -> list[DoctorCheck]:
    try:
        device = open_device("cuda")
    except Unavailable as why:
        details = str(why.__cause__ or "").strip()
        return [DoctorCheck("GPU", ABSENT, f"{why}; the program computes on the CPU", details)]
    facts = ", ".join(f"{name} {text}" for name, text in describe(device).items())
    try:
        compiler = DoctorCheck("CUDA compiler", FINE, check_compiler())
    except Unavailable as error:
        compiler = DoctorCheck("CUDA compiler", BROKEN, str(error))
    return [DoctorCheck("GPU", FINE, facts), compiler, _jpeg()]


def _emulation() -> DoctorCheck:
    """Check the C++ compiler that compiles the user's kernels for the CPU."""
    try:
        return DoctorCheck("g++", FINE, f"{gxx_version()}; {OF_EMULATION}")
    except Unavailable as why:
        return DoctorCheck("g++", ABSENT, f"{OF_EMULATION}; {why}")


def _networks() -> DoctorCheck:
    """Check the runtime that computes stereo networks."""
    try:
        names = [name.removesuffix("ExecutionProvider") for name in providers()]
    except Unavailable as why:
        return DoctorCheck("networks", ABSENT, f"needed only for stereo networks; {why}")
    memory = "; their tensors stay on the GPU" if network_device() == "cuda" else ""
    known = f"ONNX Runtime computes stereo networks with {', '.join(names)}{memory}"
    return DoctorCheck("networks", FINE, known)


def _jpeg() -> DoctorCheck:
    from wheatstone.viewer.window.serving.gpu_jpeg import NAME, why_no_gpu_jpeg

    if why := why_no_gpu_jpeg():
        return DoctorCheck("JPEG", ABSENT, f"{why}; `serve` encodes its pictures on the CPU")
    return DoctorCheck("JPEG", FINE, f"{NAME} encodes what `serve` sends, on the GPU")


def _probe(name: str, target: str) -> DoctorCheck:
    """Check OpenGL in a new process, because a process is bound to one window system."""
    _progress(f"checking OpenGL for `{name}`")
    command = [sys.executable, "-m", "wheatstone.viewer.cli.doctor", target]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        return DoctorCheck(name, BROKEN, f"OpenGL did not answer within {PROBE_SECONDS} s")
    try:
        finding = json.loads(answer.stdout)
    except ValueError:
        lines = answer.stderr.strip().splitlines() or [f"exit code {answer.returncode}"]
        return DoctorCheck(name, BROKEN, f"OpenGL crashed: {lines[-1]}")
    return DoctorCheck(name, finding["state"], finding["description"])


def probe(target: str) -> DoctorCheck:
    """Open a window or an offscreen context in this process and describe its OpenGL.

    Args:
        target: ``window`` or ``offscreen``.
    """
    try:
        if target == "window":
            from wheatstone.viewer.display.screen.window import Window

            with closing(Window(64, 64, "wheatstone doctor", visible=False)):
                return DoctorCheck(target, FINE, _describe_context())
        from wheatstone.viewer.display.screen.offscreen import OffscreenContext

        ordinal = gpu_number()
        with OffscreenContext(ordinal) as context:
            return DoctorCheck(target, FINE, f"{context.device}: {_describe_context()}")
    except Unavailable as error:
        from wheatstone.viewer.display.screen.glfw_start import NoDisplay

        return DoctorCheck(target, ABSENT if isinstance(error, NoDisplay) else BROKEN, str(error))


def _describe_context() -> str:
    from wheatstone.viewer.display.screen.opengl import describe_gl
    from wheatstone.viewer.display.screen.pixels import display_mode

    facts = describe_gl()
    mode, why = display_mode("auto", "cpu" if why_unavailable("cuda") else "cuda")
    reason = f" ({why})" if why else ""
    transfer = "" if mode == "cpu" else f"; results of the GPU reach it by {mode}{reason}"
    return f"{facts['renderer']}, OpenGL {facts['version']}{transfer}"


if __name__ == "__main__":
    finding = probe(sys.argv[1])
    print(json.dumps({"state": finding.state, "description": finding.description}))
