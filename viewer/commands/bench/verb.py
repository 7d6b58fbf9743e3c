"""``bench``: every variant's result against the reference's, then its times."""

import argparse
import shlex
import sys
from collections.abc import Sequence

from viewer.files.output import check_files
from viewer.measuring.baseline import Verdict, check_matched, judge, read_baseline
from viewer.measuring.inputs import GreyPictures
from viewer.measuring.kept import Nowhere, OnDisk, kept
from viewer.measuring.progress import ProgressBar
from viewer.measuring.result_files import write_files
from viewer.measuring.results import Results
from viewer.measuring.rows import MeasuredRow
from viewer.measuring.sweep import REFERENCE, Configuration, configurations
from viewer.measuring.tables import tables
from viewer.measuring.terminal import print_tables
from viewer.measuring.variants import Bench, absence


def bench(options: argparse.Namespace) -> int:
    """Measure what a command line asks for; returns the exit code."""
    check_files(json=options.json, markdown=options.markdown, csv=options.csv)
    inputs = GreyPictures(options)
    plan = configurations(options, inputs.sizes, inputs.words)
    before = read_baseline(options.baseline) if options.baseline else None
    results = Results(shlex.join(["wheatstone", *options.words]))
    part = kept(options, [results.environment, inputs.stamps])
    try:
        measure_all(options, inputs, plan, results, part)
    except KeyboardInterrupt:
        print_tables(tables(results))
        goes_on = f"; the same command goes on from {part.path}" if part else ""
        print(f"wheatstone: interrupted; no file is written{goes_on}", file=sys.stderr)
        return 130
    except Exception:
        print_tables(tables(results))
        raise
    verdicts = judge(before, results.rows) if before else []
    print_tables(tables(results, before, verdicts))
    write_files(options, results, before, verdicts)
    if part:
        part.forget()
    check_matched(verdicts)
    return exit_code(results.rows, options.variants or (), verdicts)


def measure_all(
    options: argparse.Namespace,
    inputs: GreyPictures,
    plan: Sequence[Configuration],
    results: Results,
    part: OnDisk | None,
) -> None:
    """Measure a plan's rows into the results, those apart that were measured before."""
    with ProgressBar(sum(not absence(one, v) for one in plan for v in one.variants)) as progress:
        bench = Bench(options, inputs, progress, results.copies, part or Nowhere())
        for one in plan:
            results.rows.extend(bench.rows(one))
    if part and part.found:
        said = f"{part.found} rows were measured before the interruption ({part.path})"
        print(f"wheatstone: {said}; --restart measures them anew", file=sys.stderr)


def exit_code(
    rows: Sequence[MeasuredRow], named: Sequence[str], verdicts: Sequence[Verdict]
) -> int:
    """1 for a wrong result or a regression, 3 if something asked for cannot be had, else 0."""
    if any(row.identity == "different" for row in rows):
        return 1
    if any(verdict.failed for verdict in verdicts):
        return 1
    return 3 if any(lacks(row, named) for row in rows) else 0


def lacks(row: MeasuredRow, named: Sequence[str]) -> bool:
    """Whether the machine lacks what a row needs: its variant, if named, or its reference."""
    if row.measurement:
        return row.identity == "unknown"
    one = row.configuration
    refused = row.variant.refuses(one.params, one.height, one.width)
    return not refused and row.variant.name in (*named, REFERENCE)
