"""Compare the images of the user's kernels with the reference's in many test cases, in parallel."""

import os
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
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
    launches_of,
    reference_calls,
)
from wheatstone.viewer.run.kernels.verdict import FailingCase, FaultVerdict
from wheatstone.viewer.run.parity.cases import Case

USUAL = 10**9  # number of the first case with default parameters; random cases have small ones
COUNTED = (33, 65)  # height and width at which accesses to memory are counted
LARGE = (257, 260)  # of the large case: indices of 8 and of 16 bits overflow in it
Stop = Callable[[], bool]
StageNote = tuple[str, Mapping[str, Any]]
"""The name of a stage, and changes of the verdict on it."""
MOST_RIGHT = 4000  # outcomes that are remembered
_right: dict[Hashable, Sequence[StageNote]] = {}  # of emulated stages, which do not change


def _remember(key: Hashable, notes: Sequence[StageNote]) -> None:
    """Store that a stage's kernel passed a test case, so that it is not compared again."""
    while len(_right) >= MOST_RIGHT:
        _right.pop(next(iter(_right)), None)
    _right[key] = notes


_computing = Lock()  # the reference computes one case at a time, while others are emulated


@dataclass(frozen=True)
class CheckEffort:
    """The effort of a check of kernels: how many test cases, warp orders and bytes are compared.

    Attributes:
        cases: number of random cases.
        orders: of warps, in which a call is emulated; the first of a case with default parameters
            is emulated in all.
        nbytes: most bytes of the images of a call that is emulated.
        checked: most pixels of a case in which every access to memory is checked, besides the size
            at which they are counted.
        large: whether the large case is compared as well.
    """

    cases: int
    orders: int
    nbytes: int
    checked: int
    large: bool


THOROUGH = CheckEffort(cases=40, orders=3, nbytes=2**21, checked=2**21, large=True)
QUICK = CheckEffort(cases=20, orders=1, nbytes=2**17, checked=100, large=False)
"""The effort while a window waits for the verdict; there the picture is the large case."""
ORDERS = THOROUGH.orders


class JudgingStopped(Exception):
    """The exception raised when the caller ends a check of kernels."""


@dataclass(frozen=True)
class CaseOutcome:
    """The outcome of one test case, in which kernels are compared with the reference.

    Attributes:
        stages: that were called, and are identical if the case did not fail.
        notes: changes of the verdicts on stages.
        failed: whether a stage differs or has a fault.
    """

    stages: tuple[str, ...]
    notes: tuple[StageNote, ...]
    failed: bool


class CaseComparison:
    """The comparison of the user's kernels with the reference in a list of test cases.

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
        """Compare kernels in test cases; yield the outcomes in order, up to the first failure.

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
        """Compute a test case with the reference; return the calls of the user's stages."""
        with _computing:
            if self._stops():
                raise JudgingStopped
            return reference_calls(case, tuple(self._functions))

    def _compile(self, case: Case) -> None:
        """Compile a test case's programs in advance; its later comparison reports any errors."""
        with suppress(CompileFailed, KernelFault, JudgingStopped):
            for name, calls in self._calls(case).items():
                for call in calls if self._key(name, case) not in _right else ():
                    compiled_programs(launches_of(self._functions[name], call))

    def _outcome(self, case: Case) -> CaseOutcome:
        """Compare every call of every stage in a test case; return the outcome."""
        by_stage = self._calls(case)
        stages = tuple(name for name, calls in by_stage.items() if calls)
        notes: list[StageNote] = []
        for name in stages:
            key = self._key(name, case)
            if self._emulated and key in _right:
                notes += _right[key]
                continue
            one = _OneCase(self._functions, case, self._stops)
            for call in by_stage[name]:
                if not one.compare(name, call, self._ways(name, case, call)):
                    return CaseOutcome((), (*notes, *one.notes), failed=True)
            notes += one.notes
            _remember(key, one.notes)
        return CaseOutcome(stages, tuple(notes), failed=False)

    def _key(self, name: str, case: Case) -> Hashable:
        """Return a key of all values that determine a stage's outcome in a test case."""
        kernels, own = self._functions[name].kernels, self._functions[name].own
        return kernels.base, own, case, self._effort

    def _stops(self) -> bool:
        return self._ended.is_set() or self._caller_stops()

    def _ways(self, name: str, case: Case, call: ReferenceCall) -> list[Checking]:
        """List how to execute a call: once on a GPU; if emulated, in several orders of warps."""
        if not self._emulated or self._functions[name].own.in_python:
            return [Checking()]
        if (case.height, case.width) == LARGE:
            return [Checking()]
        usual, orders = case.number >= USUAL, range(ORDERS)
        if self._effort.orders < ORDERS and not (usual and call.number == 0):
            first = (case.number + call.number) % ORDERS
            orders = range(first, first + self._effort.orders)
        ways = [Checking(order, "start" if order else "end") for order in orders]
        small = case.height * case.width <= self._effort.checked
        counted = (case.height, case.width) == COUNTED
        checked = usual and call.number == 0 and (small or counted)
        return ways + [Checking(accesses=True)] * checked


class _OneCase:
    """The comparison of kernels in one test case; ``notes`` collects changes of verdicts."""

    def __init__(self, functions: Mapping[str, OwnFunction], case: Case, stop: Stop) -> None:
        self._functions, self._case, self._stop = functions, case, stop
        self.notes: list[StageNote] = []

    def _note(self, name: str, **changes: Any) -> None:
        self.notes.append((name, changes))

    def compare(self, name: str, call: ReferenceCall, ways: Sequence[Checking]) -> bool:
        """Compare a stage's call with the reference in each checking mode; return whether equal."""
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
