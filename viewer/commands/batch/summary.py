"""The table of a batch: a row a pair, as CSV and as JSON."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from wheatstone.viewer import VERSION
from wheatstone.viewer.commands.batch.loading import BatchPair
from wheatstone.viewer.commands.batch.plan import BatchPlan
from wheatstone.viewer.commands.batch.row import Row
from wheatstone.viewer.commands.batch.work import PairResult
from wheatstone.viewer.measuring.result_files import word, write, write_json

SCHEMA, SCHEMA_VERSION = "wheatstone-batch", 1
COLUMNS = tuple(name for name in Row.__annotations__ if name not in ("files", "changed"))
READ_FROM = ("left", "right", "frame")  # files, and the frame of a video
NAMES = ("summary.csv", "summary.json")


def write_summary(plan: BatchPlan, found: Mapping[str, PairResult]) -> None:
    """Write both files of the table, each whole or not at all.

    Args:
        found: what came of the pairs, by name; those not done are left out.

    Raises:
        OSError: one cannot be written.
    """
    results = [(job.pair, found[job.name]) for job in plan.jobs if job.name in found]
    write(plan.setting.out / NAMES[0], to_csv(results))
    write_json(plan.setting.out / NAMES[1], to_json(plan, results))


def _read_from(pair: BatchPair) -> dict[str, str | int | None]:
    """Tell which files a pair was read from, and which frame of them."""
    right = "" if pair.right is None else str(pair.right)
    return {"left": str(pair.left), "right": right, "frame": pair.index}


def to_csv(results: Sequence[tuple[BatchPair, PairResult]]) -> str:
    """Write a row a pair as CSV, with its files, and with the reason for pairs that failed."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*COLUMNS, *READ_FROM, "why"], lineterminator="\n")
    writer.writeheader()
    for pair, result in results:
        row = {name: result.row[name] for name in COLUMNS}  # type: ignore[literal-required]
        row |= _read_from(pair) | {"why": result.why}
        words = {name: word(said) for name, said in row.items() if isinstance(said, str)}
        writer.writerow(row | words)
    return text.getvalue().encode("utf-8", "backslashreplace").decode()


def to_json(plan: BatchPlan, results: Sequence[tuple[BatchPair, PairResult]]) -> dict[str, Any]:
    """Build the document that ``summary.json`` holds."""
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "wheatstone": VERSION,
        "pipeline": plan.setting.pipeline,
        "variant": plan.setting.variant,
        "params": plan.params.values(),
        "pairs": [{**r.row, **_read_from(pair)} for pair, r in results if not r.why],
        "failed": [
            {"pair": r.row["pair"], **_read_from(pair), "why": r.why}
            for pair, r in results
            if r.why
        ],
    }
