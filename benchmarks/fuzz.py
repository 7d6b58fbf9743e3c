"""Test the program with damaged and hostile inputs of every kind that it reads.

A case is identified by its kind and its seed. ``--only images --seed 7`` tries one kind of inputs,
``--again "images 7000012"`` repeats one case.
"""

import sys
import time
from collections import Counter
from typing import Annotated

from benchmarks.runner import Count
from tests.fuzz.kinds import kinds
from tests.fuzz.running import Case, run
from tests.fuzz.running import cases as cases_of
from wheatstone.gpu.cpu.cores import core_count

KINDS, CORES = list(kinds()), core_count()


def main(
    *,
    cases: Count = 2000,
    seed: int = 0,
    only: Annotated[tuple[str, ...], KINDS] = (),
    again: Annotated[str, "repeat one case: its kind and seed, as printed with a finding"] = "",
    processes: Count = CORES,
) -> bool:
    """Run the cases in parallel processes; return whether the program handled all of them."""
    wanted = [_named(again)] if again else cases_of(cases, seed, only)
    begun, wrong, tried = time.monotonic(), 0, Counter[str]()
    for number, finding in enumerate(run(wanted, processes), 1):
        tried[finding.case[0]] += 1
        if finding.wrong:
            wrong += 1
            print(finding, flush=True)
        if number % 500 == 0 and sys.stderr.isatty():
            print(f"{number} of {len(wanted)}, {wrong} wrong", file=sys.stderr, flush=True)
    by_kind = ", ".join(f"{name} {count}" for name, count in sorted(tried.items()))
    print(f"{len(wanted)} cases ({by_kind}): {wrong} wrong, {time.monotonic() - begun:.0f} s")
    return not wrong


def _named(case: str) -> Case:
    kind, _, seed = case.rpartition(" ")
    return kind, int(seed)
