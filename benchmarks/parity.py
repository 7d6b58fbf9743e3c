"""Compare every variant that this machine can run with the reference, on random configurations.

Sizes, parameters and images are random and often extreme. Every image that a variant and the
reference both keep is compared bit by bit. Configurations that a variant's declaration refuses must
raise ``ValueError``. A case is identified by its number and the seed: ``--seed S --case K`` repeats
one. The exit code is 1 if anything differs or fails.
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

MOST_KEPT = 50  # findings that a record contains, at most
CHUNK = 20  # cases that a process takes at a time
PROCESSES = min(core_count(), 8)
COLUMNS = ("cases", "refused", "elements", "differing", "failed")


@dataclass
class Tally:
    """The counts and findings of all cases.

    Attributes:
        rows: the counts in ``COLUMNS``, by pipeline and variant.
        reasons: number of refusals by reason; numbers in the reason are omitted.
        findings: the outcomes that differ or failed, one line each.
    """

    rows: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    cases: int = 0

    def add(self, outcomes: Sequence[VariantOutcome]) -> None:
        """Add the outcomes of one case to the counts and findings."""
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
    case: Annotated[int | None, "compute only the case with this number"] = None,
    only: Annotated[tuple[str, ...], PIPELINES] = (),
    processes: Count = PROCESSES,
) -> Findings:
    """Compare the variants; fail if a result differs or a variant fails."""
    numbers = range(cases) if case is None else [case]
    begun, tally = time.monotonic(), Tally()
    with closing(_all_runs(numbers, seed, tuple(only), processes)) as runs:
        try:
            for each in runs:
                tally.add(each)
                _print_progress(each, tally, len(numbers), begun)
        except KeyboardInterrupt:
            print("interrupted; the findings so far:", file=sys.stderr)
    record = recorded(tally, f"{cases} --seed {seed}", time.monotonic() - begun)
    return Findings(record, table(record), passed(record))


def _all_runs(
    numbers: Sequence[int], seed: int, only: tuple[str, ...], processes: int
) -> Generator[list[VariantOutcome], None, None]:
    """Yield the outcomes of each case, which are computed by several processes."""
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
    """Ignore Ctrl+C in a worker process, so that the main process reports the findings so far."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _runs_of(number: int, seed: int, only: tuple[str, ...]) -> list[VariantOutcome]:
    return outcomes_of(case_of(number, seed, only))


def _print_progress(
    outcomes: Iterable[VariantOutcome], tally: Tally, cases: int, begun: float
) -> None:
    """Print outcomes that differ or failed, and the progress after every 500 cases."""
    for run in outcomes:
        if run.outcome in ("differs", "failed"):
            print(run, flush=True)
    if tally.cases % 500 == 0:
        seconds = time.monotonic() - begun
        say(f"{tally.cases} of {cases} cases, {len(tally.findings)} findings, {seconds:.0f} s")


def recorded(tally: Tally, which: str, seconds: float) -> dict[str, Any]:
    """Return the record of a run, which can be stored as JSON."""
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
    """Yield the lines of the report on a record."""
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
    """Return the counts by pipeline and variant as a Markdown table."""
    rows = [[row[name] for name in ("pipeline", "variant", *COLUMNS)] for row in record["rows"]]
    return markdown(("Pipeline", "Variant", *(name.capitalize() for name in COLUMNS)), rows)


def passed(record: dict[str, Any]) -> bool:
    """Return whether nothing differed and nothing failed."""
    return not record["findings"]


def _without_numbers(reason: str) -> str:
    """Replace the numbers of a sentence by dots, so that similar reasons count as one."""
    return re.sub(r"-?\d+(\.\d+)?", "..", reason)
