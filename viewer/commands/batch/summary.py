"""Write the summary table of a batch, one row a pair, as CSV and as JSON."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from wheatstone.viewer import VERSION
from wheatstone.viewer.commands.batch.loading import BatchPair
from wheatstone.viewer.commands.batch.plan import SUMMARIES, BatchPlan
from wheatstone.viewer.commands.batch.row import Row
from wheatstone.viewer.commands.batch.rows import BatchState
from wheatstone.viewer.commands.batch.work import PairResult
from wheatstone.viewer.measuring.result_files import word, write, write_json

SCHEMA, SCHEMA_VERSION = "wheatstone-batch", 1
COLUMNS = tuple(name for name in Row.__annotations__ if name not in ("files", "changed"))
READ_FROM = ("left", "right", "frame")  # files, and the frame of a video
STALE = "made from pictures or settings that have changed since"
Results = Sequence[tuple[BatchPair | None, PairResult]]


def all_results(plan: BatchPlan, state: BatchState, found: Mapping[str, PairResult]) -> Results:
    """List the results of all pairs whose files are in the folder, and of those that failed.

    Args:
        found: the results of the requested pairs, by name.

    Returns:
        The results with their pairs; None if the sources no longer have the pair.
    """
    results: list[tuple[BatchPair | None, PairResult]] = []
    for job in plan.all_jobs:
        if job.name in found:
            results.append((job.pair, found[job.name]))
        elif (row := state.rows.get(job.name)) and not state.changed_files(row):
            results.append((job.pair, PairResult(_marked(row, stale=not state.finished(job)))))
    names = {job.name for job in plan.all_jobs}
    gone = [row for name, row in state.rows.items() if name not in names]
    whole = [_marked(row, stale=True) for row in gone if not state.changed_files(row)]
    return [*results, *((None, PairResult(row)) for row in whole)]


def _marked(row: Row, *, stale: bool) -> Row:
    """Add a warning to the row if the same command would no longer make these files."""
    return {**row, "warnings": "; ".join(filter(None, (row["warnings"], STALE * stale)))}


def write_summary(plan: BatchPlan, results: Results) -> None:
    """Write both files of the table, each completely or not at all.

    Raises:
        OSError: a file cannot be written.
    """
    write(plan.setting.out / SUMMARIES[0], to_csv(results))
    write_json(plan.setting.out / SUMMARIES[1], to_json(plan, results))


def _read_from(pair: BatchPair | None) -> dict[str, str | int | None]:
    """Return the files that a pair was read from, and the index of its frame."""
    if pair is None:
        return {"left": "", "right": "", "frame": None}
    right = "" if pair.right is None else str(pair.right)
    return {"left": str(pair.left), "right": right, "frame": pair.index}


def to_csv(results: Results) -> str:
    """Write the rows as CSV, with the files of each pair, or the reason why it failed."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*COLUMNS, *READ_FROM, "why"], lineterminator="\n")
    writer.writeheader()
    for pair, result in results:
        row = {name: result.row[name] for name in COLUMNS}  # type: ignore[literal-required]
        row |= _read_from(pair) | {"why": result.why}
        words = {name: word(said) for name, said in row.items() if isinstance(said, str)}
        writer.writerow(row | words)
    return text.getvalue().encode("utf-8", "backslashreplace").decode()


def to_json(plan: BatchPlan, results: Results) -> dict[str, Any]:
    """Build the document that ``summary.json`` holds."""
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "wheatstone": VERSION,
        "pipeline": plan.run.pipeline.name,
        "variant": plan.run.variant,
        "params": plan.run.params.values(),
        "pairs": [{**r.row, **_read_from(pair)} for pair, r in results if not r.why],
        "failed": [
            {"pair": r.row["pair"], **_read_from(pair), "why": r.why}
            for pair, r in results
            if r.why
        ],
    }
