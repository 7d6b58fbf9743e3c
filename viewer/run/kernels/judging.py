"""Check the user's kernels: compare each stage with the reference, test case by test case.

Each kernel gets what the reference hands to its stage, so that no other stage can hide its faults.
Cases are random sizes, parameters and images, the smallest first.
"""

import ast
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count, islice
from threading import Thread
from typing import Any

from numpy.typing import NDArray

from wheatstone.gpu.emulation.compiler import CompileError, CompileFailed
from wheatstone.gpu.image import nbytes
from wheatstone.gpu.kernels.kernel import Launch
from wheatstone.gpu.own_kernels.bases import params_with
from wheatstone.gpu.own_kernels.compiling import compiled_programs, gpu_errors
from wheatstone.gpu.own_kernels.contract import OwnKernels
from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.gpu.parameters import Params, controls
from wheatstone.gpu.pipeline import Pipeline, Stage
from wheatstone.viewer.run.kernels.calls import default_launches, first_wrong
from wheatstone.viewer.run.kernels.comparing import (
    LARGE,
    QUICK,
    THOROUGH,
    USUAL,
    CaseComparison,
    CheckEffort,
    JudgingStopped,
    Stop,
)
from wheatstone.viewer.run.kernels.folder import KernelFolder, declare_variant
from wheatstone.viewer.run.kernels.timing import measured, used
from wheatstone.viewer.run.kernels.verdict import FaultVerdict, KernelVerdict, StageVerdict
from wheatstone.viewer.run.parity.cases import Case, case_of
from wheatstone.viewer.run.parity.checking import REFERENCE, agreement, computed

SIZES = ((1, 1), (1, 33), (33, 1), (7, 9), (32, 32), (33, 65), (48, 64))
"""Height and width of the cases with the default parameters."""
EXTREME = 101  # place of a case with images of extremes, which has the highest costs
SLOW = "scene"  # the kind of images that takes longest to make
MOST_LARGE = 2**23  # bytes of the images of a call in the large case
MOST_DRAWN = 40  # random cases drawn for each that fits
Progress = Callable[[KernelVerdict], None]


def ignore(verdict: KernelVerdict) -> None:
    """Ignore a verdict on kernels: the default progress function."""


def never() -> bool:
    """Return False: the default stop function, which never ends a check of kernels."""
    return False


class KernelFailed(Exception):
    """The exception that ends a check when a kernel fails in a test case; see the verdict."""


def judge(
    folder: KernelFolder,
    *,
    effort: CheckEffort = THOROUGH,
    seed: int = 0,
    progress: Progress | None = None,
    stop: Stop = never,
) -> KernelVerdict:
    """Check the kernels of a folder against the reference; return the verdict.

    It ends at the first failing case, which is the smallest, since cases are ordered by size.

    Args:
        effort: how much is checked, besides the cases with the default parameters.
        seed: chooses the random cases.
        progress: called with the verdict so far, before and after each case.
        stop: called between the calls of kernels; True ends the check.

    Raises:
        ValueError: the folder makes no variant.
        Unavailable: there is no compiler for the kernels.
    """
    return KernelJudge(folder.kernels, progress or ignore, stop, effort).run(folder, seed)


@dataclass
class KernelJudge:
    """The check of the user's kernels in one folder.

    Attributes:
        progress: called with the verdict so far.
        stop: called between the calls of kernels; True ends the check.
        effort: how much is checked.
        emulated: whether the kernels run on the CPU.
        verdict: the verdict so far.
        functions: the functions of the variant by stage.
    """

    kernels: OwnKernels
    progress: Progress = ignore
    stop: Stop = never
    effort: CheckEffort = THOROUGH
    emulated: bool = field(init=False)
    verdict: KernelVerdict = field(init=False)
    functions: dict[str, OwnFunction] = field(init=False)

    def __post_init__(self) -> None:
        self.emulated = emulated()
        self.functions = {own.stage: OwnFunction(self.kernels, own) for own in self.kernels.stages}
        stages = tuple(StageVerdict(name) for name in self.functions)
        self.verdict = KernelVerdict(
            self.kernels.variant,
            self.kernels.pipeline,
            "compiling",
            stages=stages,
            emulated=self.emulated,
        )

    def run(self, folder: KernelFolder, seed: int) -> KernelVerdict:
        """Compile and compare the kernels, measure their times on a GPU; return the verdict.

        They are compared in every case, then in the whole pipeline.
        """
        begin = time.perf_counter()
        self.kernels.check()
        self._note()
        try:
            if errors := self.compile_errors() or self._gpu_errors():
                self._note(state="compile error", errors=errors)
            else:
                self.compare(self.cases(self.effort.cases, seed))
                self._compare_pipeline(folder, seed)
                self._note(state="identical", seconds=time.perf_counter() - begin)
                self.measure()
        except KernelFailed:
            failed = self.verdict.failed
            self._note(state="fault" if failed and failed.fault else "wrong")
        except JudgingStopped:
            self._note(state="stopped")
        return self._note(seconds=time.perf_counter() - begin)

    def _note(self, **changes: Any) -> KernelVerdict:
        """Update fields of the verdict on the kernels, and report it to ``progress``."""
        self.verdict = replace(self.verdict, **changes)
        self.progress(self.verdict)
        return self.verdict

    def _note_stage(self, name: str, **changes: Any) -> None:
        stages = [
            replace(each, **changes) if each.stage == name else each for each in self.verdict.stages
        ]
        self.verdict = replace(self.verdict, stages=tuple(stages))

    def compile_errors(self) -> tuple[CompileError, ...]:
        """Compile every kernel file for the default parameters; return the errors of all files."""
        errors: list[CompileError] = []
        for function in self.functions.values():
            own = function.own
            if own.in_python:
                errors += _syntax_errors(own.file, own.text)
                continue
            try:
                _compile(default_launches(function), also_checked=self.emulated)
            except CompileFailed as failed:
                errors += failed.errors
        return tuple(errors)

    def _gpu_errors(self) -> tuple[CompileError, ...]:
        """Return the GPU compiler's errors for kernels that this machine only emulates."""
        functions = [each for each in self.functions.values() if not each.own.in_python]
        return gpu_errors(
            launch
            for function in functions
            for launch in default_launches(function)
            if self.emulated and launch.kernel.program.text
        )

    def cases(self, number: int, seed: int) -> list[Case]:
        """List the test cases, smallest first: default parameters at set sizes, random cases.

        The large case has the fewest disparities, so that the reference takes little time.
        """
        pipeline = self.kernels.declared
        stages = [function.contract.stage for function in self.functions.values()]
        sizes = [*SIZES, *([LARGE] * self.effort.large)]
        places = [*enumerate(sizes), (EXTREME, SIZES[-1])]
        usual = (
            self._usual(place, seed, _at(size, params), size)
            for params in dict.fromkeys(params_with(stage, pipeline) for stage in stages)
            for place, size in places
        )
        drawn = (_drawn(each, seed, pipeline) for each in count())
        suiting = [case for case in usual if case]
        suiting += islice(filter(self._suits, islice(drawn, MOST_DRAWN * number)), number)
        return sorted(suiting, key=lambda case: case.height * case.width)

    def _usual(self, place: int, seed: int, params: Params, size: tuple[int, int]) -> Case | None:
        """Return the test case of an image size and its index; None if it runs no user's stage.

        At ``EXTREME``, the parameters are replaced by those with the highest costs that suit.
        """
        kind = "extremes" if place == EXTREME else "shifted"
        for each in _highest(params) if place == EXTREME else (params,):
            case = Case(USUAL + place, seed, self.kernels.declared, each, *size, kind, again=False)
            if self._suits(case):
                return case
        return None

    def _suits(self, case: Case) -> bool:
        """Return whether a test case is small enough and runs one of the user's stages."""
        pipeline, size = self.kernels.declared, (case.params, case.height, case.width)
        base = pipeline.variant(self.kernels.base)
        if case.pipeline is not pipeline or pipeline.fits(*size) or base.refuses(*size):
            return False
        stages = [s for s in pipeline.stages if s.name in self.functions and s.when(case.params)]
        if any(stage.own(*size) for stage in stages):
            return False
        return any(stages) and self._is_small(case, stages)

    def _is_small(self, case: Case, stages: Sequence[Stage]) -> bool:
        """Return whether a test case is small enough for the effort of this check."""
        usual, quick = case.number >= USUAL, self.effort is QUICK
        if not usual and quick and case.kind == SLOW:
            return False
        most = THOROUGH.nbytes if usual else self.effort.nbytes
        most = MOST_LARGE if (case.height, case.width) == LARGE else most
        sizes = (_bytes(case.pipeline, stage, case) for stage in stages)
        return not (self.emulated or quick) or max(sizes) <= most

    def compare(self, cases: Sequence[Case]) -> None:
        """Compare every stage's kernel with the reference in all test cases.

        Raises:
            KernelFailed: a stage differs or has a fault.
            JudgingStopped: the caller ended the check.
        """
        largest = max(((case.height, case.width) for case in cases), key=math.prod, default=(0, 0))
        self._note(state="checking", cases=len(cases), largest=largest)
        comparison = CaseComparison(
            self.functions, self.effort, emulated=self.emulated, stop=self.stop
        )
        with closing(comparison.outcomes(cases)) as outcomes:
            for done, outcome in enumerate(outcomes, 1):
                for name, changes in outcome.notes:
                    self._note_stage(name, **changes)
                if outcome.failed:
                    raise KernelFailed
                for stage in self.verdict.stages:
                    if stage.stage in outcome.stages:
                        self._note_stage(stage.stage, identical=stage.identical + 1)
                self._note(done=done)

    def _compare_pipeline(self, folder: KernelFolder, seed: int) -> None:
        """Compare the whole pipeline, in which kernels read results of the user's other kernels.

        Raises:
            KernelFailed: an image differs or a kernel has a fault.
        """
        pipeline, number = self.kernels.declared, len(SIZES) - 1
        case = Case(
            USUAL + number, seed, pipeline, pipeline.params(), *SIZES[number], "scene", False
        )
        if not self._suits(case):
            return
        declare_variant(folder, self.kernels.version)
        try:
            images, expected = computed(case, self.kernels.variant), _expected(case)
        except KernelFault as fault:
            verdict = FaultVerdict(fault.reason, fault.message, fault.file, fault.line)
            self._note_stage(fault.stage, fault=verdict)
            raise KernelFailed from fault
        for difference in agreement(images, expected).differences:
            image = difference.image
            wrong = first_wrong(image, images[image], expected[image])
            self._note(pipeline_wrong=wrong)
            raise KernelFailed

    def measure(self) -> None:
        """Measure the times and GPU resources of every stage's kernels, if there is a GPU."""
        if self.emulated:
            return
        for name, function in self.functions.items():
            if not self.stop():
                self._note_stage(name, time=measured(function), use=tuple(used(function)))
                self._note()


@lru_cache(maxsize=4096)
def _drawn(number: int, seed: int, pipeline: Pipeline) -> Case:
    """Draw a random test case of a pipeline; cached, so that all checks use the same cases."""
    return case_of(number, seed, [pipeline.name])


def _highest(params: Params) -> Iterator[Params]:
    """Yield parameters to test: those that cause the highest costs first, the given ones last."""
    known = controls(type(params))
    high = params
    for name in ("p2", "p1"):
        if name in known:
            high = high.adjusted(name, int(known[name].high))
    if "cost" in known and "absolute" in known["cost"].choices:
        yield high.adjusted("cost", "absolute")
    yield high
    yield params


def _at(size: tuple[int, int], params: Params) -> Params:
    """Return parameters for a test case's image size: fewest disparities for the large size."""
    disparities = controls(type(params)).get("disparities")
    if size != LARGE or disparities is None:
        return params
    return params.adjusted("disparities", int(disparities.low))


def _compile(launches: Sequence[Launch], *, also_checked: bool) -> None:
    """Compile launches' programs; in a thread, also the versions that check accesses."""
    if also_checked:
        ahead = partial(compiled_programs, launches, checked=True)
        Thread(target=_ignore_errors, args=[ahead], name="kernel compiler", daemon=True).start()
    compiled_programs(launches)


def _ignore_errors(compile: Callable[[], object]) -> None:
    """Call ``compile`` and ignore its errors, as compiling without checks reports them as well."""
    with suppress(CompileFailed):
        compile()


@lru_cache(maxsize=8)
def _expected(case: Case) -> Mapping[str, NDArray[Any]]:
    return computed(case, REFERENCE)


def _syntax_errors(file: str, text: str) -> list[CompileError]:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 0) or 0
        return [CompileError(file, line, column, str(getattr(error, "msg", error)))]
    return []


def _bytes(pipeline: Pipeline, stage: Stage, case: Case) -> int:
    """Compute the total bytes of the images that a stage reads and writes in a test case."""
    images = [pipeline.image(name) for name in stage.reads + stage.writes]
    return sum(nbytes(i.shape(case.height, case.width, case.params), i.dtype) for i in images)
