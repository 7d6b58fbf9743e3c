"""Write measurement results to files, each completely or not at all."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wheatstone.gpu.analysis.measurement import Times
from wheatstone.viewer.io.files.markdown import code
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.reading.plain_text import encodable
from wheatstone.viewer.run.measuring.options import FileOptions
from wheatstone.viewer.run.measuring.results import BaselineVerdict, Results
from wheatstone.viewer.run.measuring.row_types import BaselineDict
from wheatstone.viewer.run.measuring.rows import MeasuredRow, speed_up
from wheatstone.viewer.run.measuring.sweep import REFERENCE, shown
from wheatstone.viewer.run.measuring.tables import tables, to_markdown

COLUMNS = (
    *("pipeline", "width", "height", "source", "variant", "stage", "result", "frames"),
    *("median_ms", "p5_ms", "p95_ms", "call_ms", "speed_up", "work_per_s", "unit", "gb_per_s"),
    *("of_copy", "memory_bytes", "chained_ms", "first_uncached_ms", "first_cached_ms"),
)


def write_files(
    options: FileOptions,
    results: Results,
    before: BaselineDict | None = None,
    verdicts: Sequence[BaselineVerdict] = (),
) -> None:
    """Write the JSON, Markdown and CSV files that the options of ``bench`` name."""
    if options.json:
        write_json(options.json, results.to_json())
    if options.markdown:
        texts = map(to_markdown, tables(results, before, verdicts))
        write(options.markdown, "\n".join([f"# {code(results.command)}\n", *texts]))
    if options.csv:
        write(options.csv, to_csv(results.rows))


def write(path: Path, text: str) -> None:
    """Write a text file in UTF-8, without converting line endings.

    File names that are not UTF-8 are written with escapes, as messages show them.
    """
    with whole_file(path) as temporary:
        temporary.write_text(encodable(text), encoding="utf-8", newline="")


def word(text: str) -> str:
    """Quote a spreadsheet cell that would be taken for a formula because of its first character."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document to a JSON file, one key per line.

    File names that are not UTF-8 get JSON escapes, from which Python reads the same names.
    """
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    write(path, text.encode("utf-8", "backslashreplace").decode())


def json_of_rows(document: Mapping[str, Any]) -> str:
    """Format a document as JSON: one key per line, and one line per element of a list.

    For thousands of rows: it takes a fifth of the time, since Python has a fast encoder of lines.
    """
    encode = json.JSONEncoder(ensure_ascii=False).encode
    values = []
    for name, value in document.items():
        if isinstance(value, list) and value:
            one = "[\n  " + ",\n  ".join(map(encode, value)) + "\n ]"
        else:
            one = encode(value)
        values.append(f" {encode(name)}: {one}")
    text = "{\n" + ",\n".join(values) + "\n}\n"
    return text.encode("utf-8", "backslashreplace").decode()


def to_csv(rows: Sequence[MeasuredRow]) -> str:
    """Format measurements and their stages as CSV, with a column per parameter."""
    names = dict.fromkeys(name for row in rows for name in row.configuration.params.values())
    text = io.StringIO()
    writer = csv.DictWriter(text, [*COLUMNS, *names], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        if row.measurement:
            writer.writerow(_frame(row, rows))
            for stage, times in row.measurement.stages.items():
                moved = row.measurement.nbytes.get(stage, 0) / times.median / 1e6
                rate = {} if row.variant.peer else {"gb_per_s": moved}
                writer.writerow(_common(row) | {"stage": stage} | _times(times) | rate)
    return text.getvalue()


def _common(row: MeasuredRow) -> dict[str, Any]:
    one = row.configuration
    place = {"pipeline": one.pipeline.name, "width": one.width, "height": one.height}
    place |= {"source": " ".join(one.source), "variant": row.variant.name, "result": row.identity}
    return place | {name: shown(value) for name, value in one.params.values().items()}


def _frame(row: MeasuredRow, rows: Sequence[MeasuredRow]) -> dict[str, Any]:
    assert row.measurement
    group = [other for other in rows if other.configuration.title == row.configuration.title]
    columns = _common(row) | _times(row.measurement.device)
    columns |= {"call_ms": row.measurement.wall.median, "gb_per_s": row.gigabytes}
    columns |= {"speed_up": speed_up(row, group, REFERENCE), "of_copy": row.share}
    columns |= {"memory_bytes": row.memory, "chained_ms": row.measurement.chained}
    columns |= {"work_per_s": row.rate, "unit": f"{row.configuration.pipeline.work.unit}/s"}
    if row.cold:
        columns |= {"first_uncached_ms": row.cold.uncached, "first_cached_ms": row.cold.cached}
    return columns


def _times(times: Times) -> dict[str, Any]:
    return {
        "frames": times.frames,
        "median_ms": times.median,
        "p5_ms": times.p5,
        "p95_ms": times.p95,
    }
