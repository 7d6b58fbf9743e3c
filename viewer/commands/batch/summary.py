"""The table of a batch: a row a pair, as CSV and as JSON."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from viewer import VERSION
from viewer.commands.batch.plan import BatchPlan
from viewer.commands.batch.row import Row
from viewer.commands.batch.work import PairResult
from viewer.measuring.result_files import word, write, write_json

SCHEMA, SCHEMA_VERSION = "wheatstone-batch", 1
COLUMNS = tuple(name for name in Row.__annotations__ if name not in ("files", "changed"))
NAMES = ("summary.csv", "summary.json")


def write_summary(plan: BatchPlan, found: Mapping[str, PairResult]) -> None:
    """Write both files of the table, each whole or not at all.

    Args:
        found: what came of the pairs, by name; those not done are left out.

    Raises:
        OSError: one cannot be written.
    """
    results = [found[job.name] for job in plan.jobs if job.name in found]
    write(plan.setting.out / NAMES[0], to_csv(results))
    write_json(plan.setting.out / NAMES[1], to_json(plan, results))


def to_csv(results: Sequence[PairResult]) -> str:
    """Write a row a pair as CSV, with the reason for pairs that failed."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*COLUMNS, "why"], lineterminator="\n")
    writer.writeheader()
    for result in results:
        row = {name: result.row[name] for name in COLUMNS}  # type: ignore[literal-required]
        words = {name: word(said) for name, said in row.items() if isinstance(said, str)}
        writer.writerow({**row, **words, "why": word(result.why)})
    return text.getvalue()


def to_json(plan: BatchPlan, results: Sequence[PairResult]) -> dict[str, Any]:
    """Build the document that ``summary.json`` holds."""
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "wheatstone": VERSION,
        "pipeline": plan.setting.pipeline,
        "variant": plan.setting.variant,
        "params": plan.params.values(),
        "pairs": [result.row for result in results if not result.why],
        "failed": [{"pair": r.row["pair"], "why": r.why} for r in results if r.why],
    }
