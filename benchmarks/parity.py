"""Compare every variant that this machine can run with the reference, on random configurations.

Sizes, parameters and images are random, their extremes often. Every image that a variant and the
reference both keep is compared, to the bit. What a variant's declaration refuses must be refused by
``ValueError``. A case is named by its number and the seed: ``--seed S --case K`` computes one
again. The exit code is 1 if anything differs or fails.
"""

import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Annotated, Any

from benchmarks.runner import Count, Findings, say
from wheatstone.gpu.cpu.cores import core_count
from wheatstone.gpu.device import open_device, why_unavailable
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.run.parity.cases import case_of
from wheatstone.viewer.run.parity.checking import VariantOutcome, outcomes_of

MOST_KEPT = 50  # findings that are kept word by word
CHUNK = 20  # cases that a process takes at a time
PROCESSES = min(core_count(), 8)
COLUMNS = ("cases", "refused", "elements", "differing", "failed")


@dataclass
class Tally:
    """What came of all runs.

    Attributes:
        rows: by pipeline and variant, the counts in ``COLUMNS``.
        reasons: of refusals, numbers omitted, and how often each was given.
        findings: what differs or failed, one line each.
    """

    rows: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    cases: int = 0

    def add(self, outcomes: Sequence[VariantOutcome]) -> None:
        """Count the runs of one case."""
        self.cases += 1
        for run in outcomes:
            name = run.pipeline
            row = self.rows.setdefault((name, run.variant), Counter())
            row["cases"] += 1
            row["elements"] += run.elements
            row["differing"] += run.differing
            if run.outcome in ("refused", "failed"):
                row[run.outcome] += 1
            if run.outcome == "refused":
                self.reasons[f"{name}/{run.variant}: {_without_numbers(run.note)}"] += 1
            elif run.outcome != "same":
                self.findings.append(str(run))


def main(
    *,
    cases: Count = 1000,
    seed: int = 0,
    case: Annotated[int | None, "compute the case of this number alone"] = None,
    only: Annotated[tuple[str, ...], PIPELINES] = (),
    processes: Count = PROCESSES,
) -> Findings:
    """Compare the variants; it fails if anything differs or fails."""
    numbers = range(cases) if case is None else [case]
    begun, tally = time.monotonic(), Tally()
    with closing(_all_runs(numbers, seed, tuple(only), processes)) as runs:
        try:
            for each in runs:
                tally.add(each)
                _tell(each, tally, len(numbers), begun)
        except KeyboardInterrupt:
            print("interrupted; what was found so far:", file=sys.stderr)
    record = recorded(tally, f"{cases} --seed {seed}", time.monotonic() - begun)
    return Findings(record, table(record), passed(record))


def _all_runs(
    numbers: Sequence[int], seed: int, only: tuple[str, ...], processes: int
) -> Generator[list[VariantOutcome], None, None]:
    """Yield the runs of each case; several processes share the cases."""
    work = partial(_runs_of, seed=seed, only=only)
    if processes <= 1 or len(numbers) <= CHUNK:
        yield from map(work, numbers)
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), _ignore_ctrl_c) as pool:
        try:
            yield from pool.map(work, numbers, chunksize=CHUNK)
        finally:
            pool.shutdown(cancel_futures=True)


def _ignore_ctrl_c() -> None:
    """Leave Ctrl+C to the process that tells what was found so far."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _runs_of(number: int, seed: int, only: tuple[str, ...]) -> list[VariantOutcome]:
    return outcomes_of(case_of(number, seed, only))


def _tell(outcomes: Iterable[VariantOutcome], tally: Tally, cases: int, begun: float) -> None:
    """Print what differs or failed, and now and then how far the run is."""
    for run in outcomes:
        if run.outcome in ("differs", "failed"):
            print(run, flush=True)
    if tally.cases % 500 == 0:
        seconds = time.monotonic() - begun
        say(f"{tally.cases} of {cases} cases, {len(tally.findings)} findings, {seconds:.0f} s")


def recorded(tally: Tally, which: str, seconds: float) -> dict[str, Any]:
    """Gather what a record keeps of a run."""
    kinds = [kind for kind in ("cpu", "cuda") if not why_unavailable(kind)]
    rows = [
        {"pipeline": pipeline, "variant": variant, **{name: row[name] for name in COLUMNS}}
        for (pipeline, variant), row in sorted(tally.rows.items())
    ]
    return {
        "command": f"python -m benchmarks parity --cases {which}",
        "devices": [open_device(kind).name for kind in kinds],
        "cases": tally.cases,
        "seconds": round(seconds, 1),
        "elements": sum(row["elements"] for row in tally.rows.values()),
        "differing": sum(row["differing"] for row in tally.rows.values()),
        "rows": rows,
        "refused": dict(sorted(tally.reasons.items())),
        "findings": tally.findings[:MOST_KEPT],
    }


def table(record: dict[str, Any]) -> Iterator[str]:
    """Say what a run found."""
    yield (
        f"{record['command']}: {record['cases']} cases in {record['seconds']:.0f} s, "
        f"{record['elements']} elements compared, {record['differing']} differ"
    )
    yield ""
    yield variants_table(record)
    yield ""
    for reason, times in record["refused"].items():
        yield f"refused {times} times: {reason}"
    yield from record["findings"]


def variants_table(record: dict[str, Any]) -> str:
    """Lay out the counts by pipeline and variant as Markdown."""
    rows = [[row[name] for name in ("pipeline", "variant", *COLUMNS)] for row in record["rows"]]
    return markdown(("Pipeline", "Variant", *(name.capitalize() for name in COLUMNS)), rows)


def passed(record: dict[str, Any]) -> bool:
    """Tell whether nothing differed and nothing failed."""
    return not record["findings"]


def _without_numbers(reason: str) -> str:
    """Replace the numbers of a sentence by dots, so that like reasons count as one."""
    return re.sub(r"-?\d+(\.\d+)?", "..", reason)
