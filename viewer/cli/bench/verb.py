"""``wheatstone bench``: compare every variant's result with the reference's, then time it."""

from collections.abc import Sequence

from wheatstone.viewer.cli.bench.options import BenchRequest
from wheatstone.viewer.cli.signals import code_of
from wheatstone.viewer.io.files.output import check_outputs
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.plain_text import in_shell
from wheatstone.viewer.run.measuring.inputs import GreyPictures
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.run.measuring.result_files import write_files
from wheatstone.viewer.run.measuring.results import (
    BaselineVerdict,
    Results,
    RowJournal,
    RowStore,
    check_matched,
    journal_path,
    judge,
    open_journal,
    read_baseline,
)
from wheatstone.viewer.run.measuring.rows import MeasuredRow
from wheatstone.viewer.run.measuring.sweep import REFERENCE, Configuration, configurations
from wheatstone.viewer.run.measuring.tables import tables
from wheatstone.viewer.run.measuring.terminal import print_tables
from wheatstone.viewer.run.measuring.variants import BenchmarkRunner, absence


def bench(request: BenchRequest) -> int:
    """Run ``wheatstone bench``: measure variants, print and write rows; return the exit code."""
    inputs = request.pictures()
    plan = configurations(request, inputs.sizes, inputs.words)
    before = read_baseline(request.baseline) if request.baseline else None
    outputs = request.json, request.markdown, request.csv
    check_outputs([*outputs, journal_path(request)])
    results = Results(in_shell(["wheatstone", *request.words]))
    journal = open_journal(request, [results.environment, inputs.stamps])
    if journal and journal.note:
        say(journal.note)
    try:
        measure_all(request, inputs, plan, results, journal)
    except KeyboardInterrupt as interruption:
        print_tables(tables(results))
        goes_on = f"; the same command continues from {journal.path}" if journal else ""
        say(f"interrupted; no file is written{goes_on}")
        return code_of(interruption)
    except Exception:
        print_tables(tables(results))
        raise
    verdicts = judge(before, results.rows) if before else []
    print_tables(tables(results, before, verdicts))
    write_files(request, results, before, verdicts)
    if journal:
        journal.forget()
    check_matched(verdicts)
    return exit_code(results.rows, request.variants, verdicts)


def measure_all(
    request: BenchRequest,
    inputs: GreyPictures,
    plan: Sequence[Configuration],
    results: Results,
    journal: RowJournal | None,
) -> None:
    """Measure all configurations in a list, and add their rows to the results.

    Args:
        journal: the rows measured before an interruption, which are not measured again.
    """
    with ProgressBar(sum(not absence(one, v) for one in plan for v in one.variants)) as progress:
        runner = BenchmarkRunner(request, inputs, progress, results.copies, journal or RowStore())
        for one in plan:
            results.rows.extend(runner.rows(one))
    if journal and journal.reused:
        resumed = f"{journal.reused} rows were measured before the interruption ({journal.path})"
        say(f"{resumed}; --restart measures them again")


def exit_code(
    rows: Sequence[MeasuredRow], named: Sequence[str], verdicts: Sequence[BaselineVerdict]
) -> int:
    """Return the exit code: 1 for a wrong result or regression, 3 if a variant cannot run, else 0.

    Args:
        named: the variants that the command line names.
    """
    if any(row.identity == "different" for row in rows):
        return 1
    if any(verdict.failed for verdict in verdicts):
        return 1
    return 3 if any(lacks(row, named) for row in rows) else 0


def lacks(row: MeasuredRow, named: Sequence[str]) -> bool:
    """Return whether the reference, or a variant that the user named, could not run for a row."""
    if row.measurement:
        return row.identity == "unknown"
    one = row.configuration
    refused = row.variant.refuses(one.params, one.height, one.width)
    return not refused and row.variant.name in (*named, REFERENCE)
