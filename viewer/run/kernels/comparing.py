"""Compare the user's kernels with the reference in one case after another, several at once."""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Event, Lock
from typing import Any

from wheatstone.gpu.emulation.compiler import CompileFailed
from wheatstone.gpu.own_kernels.calls import Checking
from wheatstone.gpu.own_kernels.compiling import compiled_programs
from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.gpu.own_kernels.process import process_count
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.viewer.run.kernels.calls import (
    ReferenceCall,
    called,
    first_wrong,
    reference_calls,
    stage_call,
)
from wheatstone.viewer.run.kernels.verdict import FailingCase, FaultVerdict
from wheatstone.viewer.run.parity.cases import Case

USUAL = 10**9  # number of the first case with default parameters; random cases have small ones
COUNTED = (33, 65)  # height and width at which accesses to memory are counted
Stop = Callable[[], bool]
_computing = Lock()  # the reference computes one case at a time, while others are emulated


@dataclass(frozen=True)
class CheckEffort:
    """How much of the user's kernels is checked.

    Attributes:
        cases: number of random cases.
        orders: of warps, in which a random case is emulated; the others are emulated in all.
        nbytes: most bytes of the images of a call that is emulated.
        checked: most pixels of a case in which every access to memory is checked.
    """

    cases: int
    orders: int
    nbytes: int
    checked: int


THOROUGH = CheckEffort(cases=40, orders=3, nbytes=2**21, checked=2**21)
QUICK = CheckEffort(cases=20, orders=1, nbytes=2**17, checked=COUNTED[0] * COUNTED[1])
"""The effort while a window waits for the verdict."""
ORDERS = THOROUGH.orders


class JudgingStopped(Exception):
    """Report that the caller ended a check."""


@dataclass(frozen=True)
class CaseOutcome:
    """The outcome of one case.

    Attributes:
        stages: that were called, and are identical if the case did not fail.
        notes: changes of the verdicts on stages.
        failed: whether a stage differs or has a fault.
    """

    stages: tuple[str, ...]
    notes: tuple[tuple[str, Mapping[str, Any]], ...]
    failed: bool


class CaseComparison:
    """The comparison of the user's kernels with the reference in some cases.

    Args:
        functions: of the variant, by stage.
        emulated: whether the kernels run on the CPU.
        stop: called between the calls of kernels; True ends the comparison.
    """

    def __init__(
        self,
        functions: Mapping[str, OwnFunction],
        effort: CheckEffort,
        *,
        emulated: bool,
        stop: Stop,
    ) -> None:
        self._functions, self._effort, self._emulated = functions, effort, emulated
        self._caller_stops, self._ended = stop, Event()

    def outcomes(self, cases: Sequence[Case]) -> Generator[CaseOutcome]:
        """Yield the outcomes of cases in their order, up to the first that failed.

        Raises:
            JudgingStopped: the caller ended the comparison.
        """
        in_python = any(each.own.in_python for each in self._functions.values())
        count = 1 if in_python else process_count()  # a process may have to compile a function
        with (
            ThreadPoolExecutor(os.cpu_count(), "kernel compilers") as compilers,
            ThreadPoolExecutor(count, "kernel cases") as threads,
        ):
            for case in cases:
                compilers.submit(self._compile, case)
            try:
                for each in [threads.submit(self._outcome, case) for case in cases]:
                    yield (outcome := each.result())
                    if outcome.failed:
                        break
            finally:
                self._ended.set()
                compilers.shutdown(wait=False, cancel_futures=True)
                threads.shutdown(cancel_futures=True)

    def _calls(self, case: Case) -> Mapping[str, list[ReferenceCall]]:
        """Compute a case by the reference; return its calls of the user's stages."""
        with _computing:
            if self._stops():
                raise JudgingStopped
            return reference_calls(case, tuple(self._functions))

    def _compile(self, case: Case) -> None:
        """Compile the programs that a case needs, before it is its turn; leave errors to that."""
        with suppress(CompileFailed, KernelFault, JudgingStopped):
            for name, calls in self._calls(case).items():
                for call in calls:
                    compiled_programs(stage_call(self._functions[name], call)[0].launches)

    def _outcome(self, case: Case) -> CaseOutcome:
        """Compare all calls of all stages in a case."""
        one = _OneCase(self._functions, case, self._stops)
        by_stage = self._calls(case)
        for name, calls in by_stage.items():
            for call in calls:
                if not one.compare(name, call, self._ways(name, case, call)):
                    return CaseOutcome((), tuple(one.notes), failed=True)
        stages = tuple(name for name, calls in by_stage.items() if calls)
        return CaseOutcome(stages, tuple(one.notes), failed=False)

    def _stops(self) -> bool:
        return self._ended.is_set() or self._caller_stops()

    def _ways(self, name: str, case: Case, call: ReferenceCall) -> list[Checking]:
        """List the ways in which a call is made; an emulated one in several orders of warps."""
        if not self._emulated or self._functions[name].own.in_python:
            return [Checking()]
        usual, orders = case.number >= USUAL, range(ORDERS)
        if not usual and self._effort.orders < ORDERS:
            orders = range(first := case.number % ORDERS, first + self._effort.orders)
        ways = [Checking(order, "start" if order else "end") for order in orders]
        checked = usual and call.number == 0 and case.height * case.width <= self._effort.checked
        return ways + [Checking(accesses=True)] * checked


class _OneCase:
    """The comparison of a case; ``notes`` collects changes of the verdicts on stages."""

    def __init__(self, functions: Mapping[str, OwnFunction], case: Case, stop: Stop) -> None:
        self._functions, self._case, self._stop = functions, case, stop
        self.notes: list[tuple[str, Mapping[str, Any]]] = []

    def _note(self, name: str, **changes: Any) -> None:
        self.notes.append((name, changes))

    def compare(self, name: str, call: ReferenceCall, ways: Sequence[Checking]) -> bool:
        """Compare one call of a stage, made in several ways; return whether all are right."""
        for way in ways:
            if self._stop():
                raise JudgingStopped
            if not self._is_right(name, call, way):
                return False
        return True

    def _is_right(self, name: str, call: ReferenceCall, way: Checking) -> bool:
        case, function = self._case, self._functions[name]
        failing = FailingCase(
            case.number,
            case.seed,
            case.height,
            case.width,
            case.kind,
            case.params.values(),
            call.number,
        )
        try:
            written, report = called(function, call, way)
        except KernelFault as fault:
            verdict = FaultVerdict(fault.reason, fault.message, fault.file, fault.line)
            self._note(name, fault=verdict, case=failing)
            return False
        if way.accesses and (case.height, case.width) == COUNTED:
            counts = {"transactions": report.transactions, "conflicts": report.conflicts}
            self._note(name, counted=(case.height, case.width), **counts)
        if report.output:
            self._note(name, output=report.output)
        for image, expected in call.expected.items():
            if wrong := first_wrong(image, written[image], expected):
                emulated = report.milliseconds is None and not function.own.in_python
                if emulated and not way.accesses:  # for its cause
                    checked = replace(way, order=0, placement="end", accesses=True)
                    if not self._is_right(name, call, checked):
                        return False
                self._note(name, wrong=wrong, case=failing)
                return False
        return True
