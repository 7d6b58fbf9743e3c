"""Grade one folder of kernels by an assignment, in this process.

``submissions`` grades many folders, each in a process of its own.

Run as ``python -m wheatstone.viewer.run.kernels.grading``: it reads the task from standard input,
and writes the grade so far as a line of JSON after each criterion. Without a GPU, or with the GPU
hidden, kernels are emulated, so that all criteria except time are judged alike everywhere.
"""

import json
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Literal

from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.kernels.programs import Program
from wheatstone.gpu.own_kernels.calls import Checking
from wheatstone.gpu.own_kernels.compiling import architecture_error
from wheatstone.gpu.own_kernels.contract import OwnKernels
from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.viewer.run.kernels.assignment import SET, Assignment, read_assignment
from wheatstone.viewer.run.kernels.calls import (
    ReferenceCall,
    called,
    default_launches,
    first_wrong,
    reference_calls,
)
from wheatstone.viewer.run.kernels.folder import KernelFolder
from wheatstone.viewer.run.kernels.judging import KernelJudge
from wheatstone.viewer.run.kernels.new import new_files, write_folder
from wheatstone.viewer.run.parity.cases import Case

GradeState = Literal["passed", "failed", "not judged"]
CRITERIA = ("compiles", "identical", "in_bounds", "no_race", "faster")
ORDERS = 3  # of warps, in which an emulated kernel runs
SHARE = 0.5  # of all elements that must be right, so that a kernel that does nothing has no points
TIMED = (240, 320)  # height and width at which times are measured
REPEATS = 11  # of a measurement, each with images of its own
INCLUDE = re.compile(r'#\s*include\s*["<]([^">]+)')
ALLOWED = "common.cuh"  # the only header of the program's own, if its kernels are hidden
ENDS = ("time", "crash", "launch", "compile", "exception")
"""Reasons of faults after which a kernel is not called again."""


@dataclass(frozen=True)
class Criterion:
    """The outcome of one criterion by which an assignment is graded.

    Attributes:
        points: given; ``most`` could be.
        note: why it failed or was not judged.
    """

    name: str
    state: GradeState
    points: int
    most: int
    note: str = ""


@dataclass(frozen=True)
class GradingTask:
    """A request to grade one folder of kernels.

    Attributes:
        folder: path of the folder.
        assignment: name or path of the assignment.
        base: the variant that the folder's kernels belong to.
        on_gpu: whether only what needs a GPU is judged.
    """

    folder: str
    assignment: str
    base: str
    on_gpu: bool = False


class Grading:
    """The grading of one folder of kernels by an assignment's criteria.

    Attributes:
        criteria: the outcomes so far.
    """

    def __init__(self, assignment: Assignment, kernels: OwnKernels) -> None:
        self._assignment, self._kernels = assignment, kernels
        self._functions = {own.stage: OwnFunction(kernels, own) for own in kernels.stages}
        self._wrong = self._access = self._race = ""
        self._right = self._elements = 0
        self.criteria: list[Criterion] = []

    def _note(self, name: str, state: GradeState, note: str = "") -> None:
        most: int = getattr(self._assignment.points, name)
        self.criteria.append(Criterion(name, state, most * (state == "passed"), most, note))

    def _note_failed(self, name: str, note: str) -> None:
        self._note(name, "failed" if note else "passed", note)

    def emulated(self) -> Iterator[Sequence[Criterion]]:
        """Judge all criteria except the time by emulation; yield the outcomes after each step."""
        if errors := KernelJudge(self._kernels).compile_errors():
            first = errors[0]
            why = f"{first.file}:{first.line}: {first.message}"
            for name in CRITERIA[:4]:
                self._note(name, "failed", why if name == "compiles" else "it does not compile")
            yield self.criteria
            return
        self._judge_architectures()
        yield self.criteria
        self._compare_all()
        self._note_failed("identical", self._wrong)
        share = self._right / max(self._elements, 1)
        few = f"only {share:.0%} of all elements are right" if share < SHARE else ""
        self._note_failed("in_bounds", self._access or few)
        in_python = any(own.in_python for own in self._kernels.stages)
        if in_python and not (self._race or few):
            self._note("no_race", "not judged", "Python functions are not emulated")
        else:
            self._note_failed("no_race", self._race or few)
        yield self.criteria

    def _judge_architectures(self) -> None:
        """Judge the criterion that kernels compile for every GPU architecture, if NVRTC exists."""
        try:
            self._note_failed("compiles", architecture_error(self._programs()))
        except Unavailable as why:
            self._note("compiles", "not judged", str(why))

    def _programs(self) -> Iterator[Program]:
        for function in self._functions.values():
            yield from {launch.kernel.program: None for launch in default_launches(function)}

    def _compare_all(self) -> None:
        """Compare all stages in all hidden test cases, until a fault prevents further calls."""
        try:
            for case in self._assignment.hidden_cases():
                for name, calls in reference_calls(case, tuple(self._functions)).items():
                    for call in calls:
                        self._compare(name, case, call)
                if self._wrong and self._access and self._race:
                    return
        except KernelFault as fault:
            for kind in ("_wrong", "_access", "_race"):
                setattr(self, kind, getattr(self, kind) or str(fault))

    def _compare(self, name: str, case: Case, call: ReferenceCall) -> None:
        """Compare a call with the reference: in several warp orders, with checked accesses."""
        function, place = self._functions[name], f"{name}, {case.width} x {case.height}"
        usual = self._called(function, call, Checking())
        for image, expected in call.expected.items():
            self._elements += expected.size
            wrong = first_wrong(image, usual[image], expected) if usual else None
            self._right += (expected.size - (wrong.count if wrong else 0)) if usual else 0
            if wrong:
                self._wrong = self._wrong or f"{place}: {wrong}"
        if usual is None:
            self._wrong = self._wrong or self._access or self._race
        if function.own.in_python or not emulated():
            return
        for order in range(1, ORDERS):
            other = self._called(function, call, Checking(order, "start"))
            if usual and other and any((other[n] != usual[n]).any() for n in usual):
                why = f"{place}: the result depends on the order in which warps run"
                self._race = self._race or why
        if case.number >= SET and call.number == 0:
            self._called(function, call, Checking(accesses=True))

    def _called(
        self, function: OwnFunction, call: ReferenceCall, checking: Checking
    ) -> dict[str, NDArray[Any]] | None:
        """Call a kernel and return its images; record a wrong access and return None."""
        try:
            return called(function, call, checking)[0]
        except KernelFault as fault:
            if fault.reason in ENDS:
                raise
            if fault.reason in ("race", "barrier"):
                self._race = self._race or str(fault)
            else:
                self._access = self._access or str(fault)
            return None

    def on_gpu(self) -> Iterator[Sequence[Criterion]]:
        """Compare all stages again on the GPU, then judge their time; yield the outcomes."""
        self._compare_all()
        if why := self._wrong or self._access:
            self._note("identical", "failed", f"on the GPU: {why}")
            self._note("faster", "failed", "it is not identical")
        elif not self._assignment.faster_than:
            self._note("faster", "not judged", "the assignment names no variant to beat")
        else:
            self._judge_time()
        yield self.criteria

    def _judge_time(self) -> None:
        """Judge whether the kernels are faster than a built-in variant run in the same way."""
        rival_name = self._assignment.faster_than
        with TemporaryDirectory(prefix="wheatstone-") as name:
            files = new_files(
                self._assignment.declared, self._assignment.stages, "rival", rival_name
            )
            write_folder(Path(name), files)
            rival = KernelFolder.read(Path(name)).kernels
        functions = {own.stage: OwnFunction(rival, own) for own in rival.stages}
        own, other = self._times(self._functions), self._times(functions)
        text = f"{own:.3f} ms, {rival_name} {other:.3f} ms"
        self._note("faster", "passed" if own < other else "failed", text)

    def _times(self, functions: dict[str, OwnFunction]) -> float:
        """Return the median time of all stages' kernels together, in milliseconds.

        The clock runs in this process, not in the kernels' own; each repetition has images that
        no call had before, and what is written is compared.
        """
        times = []
        for number in range(REPEATS):
            case = self._assignment.case(SET + 10_000 + number, *TIMED)
            total = 0.0
            for name, calls in reference_calls.__wrapped__(case, tuple(functions)).items():
                for call in calls:
                    written, report = called(functions[name], call)
                    total += report.round_trip
                    if any(first_wrong(n, written[n], call.expected[n]) for n in call.expected):
                        return float("inf")
            times.append(total)
        return median(times)


def checked_kernels(folder: Path, assignment: Assignment, base: str) -> OwnKernels:
    """Read a folder that is to be graded, and check that it fits the assignment.

    Raises:
        OSError, ValueError: it cannot be read, or is not what the assignment asks for.
    """
    known = KernelFolder.read(folder)
    kernels = known.kernels
    if (kernels.pipeline, kernels.base) != (assignment.pipeline, base):
        raise ValueError(
            f"the assignment is {assignment.pipeline} with the base {base} "
            f"(got {kernels.pipeline} with {kernels.base})"
        )
    names = [own.stage for own in kernels.stages]
    if missing := [name for name in assignment.stages if name not in names]:
        raise ValueError(f"there is no table for {', '.join(missing)}")
    stages = tuple(own for own in kernels.stages if own.stage in assignment.stages)
    if not assignment.python and (python := [own.file for own in stages if own.in_python]):
        raise ValueError(f"Python functions are not accepted ({', '.join(python)})")
    if assignment.hide:
        _check_includes(known)
    return replace(kernels, name="graded", stages=stages)


def _check_includes(folder: KernelFolder) -> None:
    """Raise ``ValueError`` if a file includes a hidden built-in kernel."""
    for file in folder.files[1:]:
        for name in INCLUDE.findall(file.read_text()):
            if name != ALLOWED and folder.path / name not in folder.files:
                raise ValueError(f"{file.name} includes {name}, which is hidden")


def limit_process(seconds: int, memory: int | None) -> None:
    """Limit the processor time, memory and files of this process and its children."""
    import resource  # of Linux and macOS

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**30, 2**30))
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory * 2**20, memory * 2**20))


def grade(task: GradingTask) -> Iterator[Sequence[Criterion]]:
    """Grade a folder of kernels; yield the outcomes so far after each step.

    Raises:
        OSError, ValueError: the folder cannot be read, or is not what the assignment asks for.
        Unavailable: there is no compiler.
    """
    assignment = read_assignment(task.assignment)
    kernels = checked_kernels(Path(task.folder), assignment, task.base)
    memory = None if task.on_gpu else assignment.limits.memory
    limit_process(assignment.limits.seconds, memory)
    grading = Grading(assignment, kernels)
    yield from grading.on_gpu() if task.on_gpu else grading.emulated()


def main() -> None:
    """Read a ``GradingTask`` as JSON from standard input, grade its folder, print the outcomes.

    Exits with an error message after an error.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # with the kernels' own process
    try:
        for criteria in grade(GradingTask(**json.load(sys.stdin))):
            print(json.dumps([asdict(each) for each in criteria]), flush=True)
    except (OSError, ValueError, Unavailable, MemoryError) as error:
        sys.exit(f"{error or type(error).__name__}")


if __name__ == "__main__":
    main()
