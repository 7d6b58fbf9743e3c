"""The summary table of ``batch``, one row per pair, written as CSV and as JSON."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.batch.plan import SUMMARIES, BatchPlan
from wheatstone.viewer.cli.batch.work import BatchJob
from wheatstone.viewer.run.measuring.result_files import json_of_rows, word, write
from wheatstone.viewer.run.run_job import FrameResult, Row

SCHEMA, SCHEMA_VERSION = "wheatstone-batch", 1
COLUMNS = tuple(name for name in Row.__required_keys__ if name not in ("files", "changed"))
ORDERED = tuple(name for name in Row.__annotations__ if name in COLUMNS)
READ_FROM = ("left", "right", "frame", "calibration")  # files, and the frame of a video
JUDGED = {
    "convention": "convention",
    "bad-1": "bad-1",
    "bad-2": "bad-2",
    "bad-4": "bad-4",
    "average error": "average error",
    "judged density": "density",
}
"""The columns of pairs with ground truth, and the measures that they hold."""
Results = Sequence[tuple[BatchJob | None, FrameResult]]


def write_summary(plan: BatchPlan, results: Results) -> None:
    """Write the summary table as CSV and as JSON, each file completely or not at all.

    Args:
        results: of all pairs; the job is None if the sources no longer have the pair.

    Raises:
        OSError: a file cannot be written.
    """
    write(plan.out / SUMMARIES[0], to_csv(results))
    write(plan.out / SUMMARIES[1], json_of_rows(to_json(plan, results)))


def _read_from(job: BatchJob | None) -> dict[str, str | int | None]:
    """Return a pair's left file, right file and frame index, as columns of the summary table."""
    if job is None:
        return {"left": "", "right": "", "frame": None}
    right = "" if job.ref.right is None else str(job.ref.right)
    return {"left": str(job.ref.left), "right": right, "frame": job.ref.index}


def _searched(job: BatchJob | None) -> dict[str, int]:
    """Return the range of disparities that was searched for a pair; empty if unknown."""
    names = "min_disparity", "disparities"
    return dict(zip(names, job.run.searched, strict=True)) if job and job.run.searched else {}


def to_csv(results: Results) -> str:
    """Format the summary table as CSV, with each pair's files and the reason if it failed.

    The columns of judged pairs are the last ones, and only there if a pair was judged.
    """
    judged = JUDGED if any("figures" in result.row for _, result in results) else {}
    text = io.StringIO()
    columns = [*ORDERED, *READ_FROM, "why", *judged]
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for job, result in results:
        whole: dict[str, Any] = dict(result.row)
        figures = whole.get("figures", {}) | {"convention": whole.get("convention", "")}
        row = {name: whole[name] for name in ORDERED} | _read_from(job) | {"why": result.why}
        row["calibration"] = whole.get("calibration", "")
        row |= {column: figures.get(name) for column, name in judged.items()}
        words = {name: word(value) for name, value in row.items() if isinstance(value, str)}
        writer.writerow(row | words)
    return text.getvalue().encode("utf-8", "backslashreplace").decode()


def to_json(plan: BatchPlan, results: Results) -> dict[str, Any]:
    """Build the document that is written to ``summary.json``."""
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "wheatstone": VERSION,
        "pipeline": plan.run.pipeline.name,
        "variant": plan.run.variant,
        "params": plan.run.params.values(),
        "pairs": [
            {**r.row, **_read_from(job), **_searched(job)} for job, r in results if not r.why
        ],
        "failed": [
            {"pair": r.row["pair"], **_read_from(job), "why": r.why} for job, r in results if r.why
        ],
    }
