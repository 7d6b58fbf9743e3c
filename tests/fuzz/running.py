"""Run many cases in processes of their own, so that a crash or a hang is a finding, not the end."""

import multiprocessing
import resource
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.kinds import kinds
from tests.fuzz.trying import MEMORY, PATIENCE, try_case

Case = tuple[str, int]
"""The name of a kind, and a seed."""
ENOUGH = 2.0  # times the patience until a case counts as hanging
BATCH = 500  # cases handed to a process at a time


@dataclass(frozen=True)
class Finding:
    """What came of a case: sentences about what went wrong, or none."""

    case: Case
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.case[0]} {self.case[1]}: {'; '.join(self.wrong)}"


def cases(count: int, seed: int = 0, only: Sequence[str] = ()) -> list[Case]:
    """Choose cases: kinds by their weights, each with seeds of its own.

    Args:
        only: names of kinds; empty: all.
    """
    known = [kind for name, kind in kinds().items() if not only or name in only]
    random = Random(seed)
    chosen = random.choices(known, [kind.weight for kind in known], k=count)
    return [(kind.name, seed * 1_000_000 + number) for number, kind in enumerate(chosen)]


def run(wanted: Sequence[Case], processes: int) -> Iterator[Finding]:
    """Try cases in several processes, and yield what came of each, in the order of their ends."""
    waiting = [list(wanted[i : i + BATCH]) for i in range(0, len(wanted), BATCH)][::-1]
    runners: list[_Runner] = []
    try:
        while waiting or runners:
            while waiting and len(runners) < processes:
                runners.append(_Runner(waiting.pop()))
            wait([runner.pipe for runner in runners], timeout=0.5)
            for runner in list(runners):
                yield from runner.failures()
                if runner.ended:
                    runners.remove(runner)
                    if runner.left:
                        waiting.append(runner.left)
    finally:
        for runner in runners:
            runner.stop()


class _Runner:
    """A process that tries cases one after the other, and the parent's end of the pipe to it.

    Attributes:
        left: the cases that it has not ended.
    """

    def __init__(self, wanted: list[Case]) -> None:
        self.left, self.ended = wanted, False
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(list(wanted), theirs), daemon=True)
        self._process.start()
        theirs.close()
        self._since: float | None = None  # the first case began

    def failures(self) -> Iterator[Finding]:
        """Yield the findings that are there; a process that died or hangs is one, too."""
        try:
            while self.pipe.poll():
                message = self.pipe.recv()
                self._since = time.monotonic()
                if message is not None:
                    yield Finding(self.left.pop(0), tuple(message))
        except EOFError:
            self._process.join()
            self.ended = True
            if self.left:
                yield Finding(self.left.pop(0), (f"the process died ({self._process.exitcode})",))
            return
        if self._since and time.monotonic() - self._since > ENOUGH * PATIENCE:
            self.stop()
            yield Finding(self.left.pop(0), (f"did not end in {ENOUGH * PATIENCE:.0f} s",))

    def stop(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()
        self.ended = True


def _work(wanted: list[Case], pipe: "Connection[Any, Any]") -> None:
    """Try cases, and send after each what went wrong; None once before the first."""
    known = kinds()
    # No case may take the whole machine down with it: more than the bound fails inside. What is
    # merely reserved, as GPU drivers do, is not counted.
    most = int(6 * MEMORY)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    pipe.send(None)
    for name, seed in wanted:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            try:
                pipe.send(try_case(known[name], seed, Path(folder)))
            except Exception:
                pipe.send([f"the generator failed: {traceback.format_exc(limit=-3)}"])
