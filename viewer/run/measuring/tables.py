"""Format results as tables of text, for both the terminal and Markdown."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wheatstone.gpu.analysis.measurement import CHAINED, NOISY, Times
from wheatstone.viewer.io.files.markdown import cell, escaped, markdown
from wheatstone.viewer.io.reading.plain_text import cut
from wheatstone.viewer.run.measuring.results import RULE, BaselineVerdict, Results, absent
from wheatstone.viewer.run.measuring.row_types import BaselineDict
from wheatstone.viewer.run.measuring.rows import MeasuredRow, TimedResult, fastest_line, speed_up
from wheatstone.viewer.run.measuring.sweep import REFERENCE
from wheatstone.viewer.words import spoken

WIDEST = 28  # characters of a variant's name in a table
RESULT = {
    "reference": "reference",
    "identical": "identical",
    "different": "DIFFERENT",
    "peer": "peer, not comparable",
    "unknown": "not compared",
}
LISTED = 20  # configurations that a note names
LEGEND = (
    "ms: median, 5th and 95th percentile of the frames, on the GPU by CUDA events within the graph "
    "of a frame, on the CPU by wall clock; call: median of the whole call until the device has "
    "finished. "
    f"speed-up: relative to the reference. ~ noisy: p95 - p5 exceeds {NOISY:.0%} of the median. "
    "GB/s: every image that a step reads or writes, counted once per step; with caches, it "
    "may exceed the rate of a copy. of copy: relative to a plain copy within the same memory (CPU: "
    "of one thread). MB: of the images that a variant keeps on its device between frames."
)


@dataclass(frozen=True)
class Table:
    """A table of text cells, with title and notes.

    Attributes:
        alarming: indices of the rows that are red where colours are available.
        notes: sentences below the table.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    alarming: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()


def tables(
    results: Results, before: BaselineDict | None = None, verdicts: Sequence[BaselineVerdict] = ()
) -> list[Table]:
    """Build all tables of a run: one set per configuration, the machine, and the baseline."""
    groups: dict[str, list[MeasuredRow]] = {}
    for row in results.rows:
        groups.setdefault(row.configuration.title, []).append(row)
    listed = [table for rows in groups.values() for table in _of_configuration(rows)]
    if any(row.measurement for row in results.rows):
        listed.append(_machine(results))
    return listed + ([baseline_table(before, verdicts, results)] if before else [])


def _of_configuration(rows: Sequence[MeasuredRow]) -> list[Table]:
    listed = [result_table(rows)]
    if any(row.measurement and row.measurement.stages for row in rows):
        listed.append(stage_table(rows))
    if any(row.cold for row in rows):
        listed.append(cold_table(rows))
    return listed


def result_table(rows: Sequence[MeasuredRow]) -> Table:
    """Build the table of results, times and rates of a configuration, one row per variant."""
    one, measured = rows[0].configuration, [row for row in rows if row.measurement]
    others = [REFERENCE, *(row.variant.name for row in measured if row.variant.peer)]
    ratios = ["speed-up", *(f"vs {_short(name)}" for name in others[1:])]
    rate = f"{one.pipeline.work.unit}/s"
    chains = any(row.measurement and row.measurement.chained for row in measured)
    timed = ("ms", *(["chained"] if chains else []), "p5", "p95", "call")
    header = ("variant", "result", *timed, *ratios, rate, "GB/s", "of copy", "MB")
    cells = tuple(_cells(row, rows, others, chains=chains) for row in measured)
    wrong = frozenset(i for i, row in enumerate(measured) if row.identity == "different")
    return Table(one.title, header, cells, wrong, tuple(_notes(rows)))


def _cells(
    row: MeasuredRow, rows: Sequence[MeasuredRow], others: Sequence[str], *, chains: bool
) -> tuple[str, ...]:
    assert row.measurement
    device, wall = row.measurement.device, row.measurement.wall
    return (
        _short(row.variant.name),
        RESULT[row.identity],
        ("~" if device.noisy else "") + number(device.median),
        *([number(row.measurement.chained)] if chains else []),
        *map(number, (device.p5, device.p95, wall.median)),
        *(number(speed_up(row, rows, name)) for name in others),
        number(row.rate),
        number(row.gigabytes),
        "" if row.share is None else f"{row.share:.0%}",
        "" if row.memory is None or row.variant.peer else number(row.memory / 1e6),
    )


def _short(name: str) -> str:
    return cut(name, WIDEST)


def number(value: float | None) -> str:
    """Format a number with two to four digits, large ones as integers; empty for None."""
    if value is None:
        return ""
    decimals = next(
        (n for n, bound in ((4, 0.1), (3, 10), (2, 100), (1, 1000)) if abs(value) < bound), 0
    )
    return f"{value:.{decimals}f}"


def _notes(rows: Sequence[MeasuredRow]) -> Iterable[str]:
    for row in rows:
        for difference in row.differences:
            yield f"{row.variant.name} is WRONG. {difference}"
    frames: dict[int, list[str]] = {}
    reasons: dict[str, list[str]] = {}
    for row in rows:
        name = row.variant.name
        if row.measurement:
            frames.setdefault(row.measurement.device.frames, []).append(name)
            if remark := _remark(row):
                yield f"{name}: {remark}"
        else:
            reasons.setdefault(row.why, []).append(name)
    counts = "; ".join(f"{count} of {', '.join(names)}" for count, names in frames.items())
    if counts:
        yield f"Frames: {counts}."
    nothing = [m.nothing for m in (row.measurement for row in rows) if m and m.nothing]
    if nothing:
        yield (
            f"An empty measurement by the same clock takes {number(min(nothing))} ms. chained: "
            f"{CHAINED} frames in one graph between two marks, divided by {CHAINED}."
        )
    for reason, names in reasons.items():
        yield f"Not measured: {', '.join(names)}: {reason}"
    if line := fastest_line([_timed(row) for row in rows]):
        yield f"{line[0].upper()}{line[1:]}."


def _timed(row: MeasuredRow) -> TimedResult:
    return TimedResult(row.variant.name, row.milliseconds, row.identity, row.variant.peer)


def _remark(row: MeasuredRow) -> str:
    one = row.configuration
    return row.variant.remark(one.params, one.height, one.width)


def stage_table(rows: Sequence[MeasuredRow]) -> Table:
    """Build the table of median stage times, one row per stage, one column per variant."""
    measured = [row for row in rows if row.measurement and row.measurement.stages]
    by_variant = [row.measurement.stages for row in measured if row.measurement]
    names = dict.fromkeys(stage for stages in by_variant for stage in stages)
    cells = tuple(
        (spoken(name), *(_median(stages.get(name)) for stages in by_variant)) for name in names
    )
    header = ("stage, ms", *(_short(row.variant.name) for row in measured))
    notes = (
        "Medians of frames with separately timed stages; a fused stage computes several stages.",
    )
    return Table(f"{rows[0].configuration.title}: stages", header, cells, notes=notes)


def _median(times: Times | None) -> str:
    return number(times.median) if times else ""


def cold_table(rows: Sequence[MeasuredRow]) -> Table:
    """Build the table of first-frame times in a new process, next to later frames' times."""
    cells = tuple(
        (
            _short(row.variant.name),
            *map(number, (row.cold.uncached, row.cold.cached, row.milliseconds)),
        )
        for row in rows
        if row.cold
    )
    header = ("variant", "first frame, nothing compiled", "first frame, compiled before", "later")
    note = "ms: open the device, import, prepare, compile, compute and download the result."
    return Table(f"{rows[0].configuration.title}: cold start", header, cells, notes=(note,))


def _machine(results: Results) -> Table:
    cells = []
    for kind, bandwidth in results.copies.items():
        facts = results.environment["devices"].get(kind, {})
        described = ", ".join(f"{k} {v}" if k != "device" else v for k, v in facts.items())
        cells.append((kind.upper(), described, number(bandwidth)))
    measured_on = f"Input: {' '.join(results.rows[0].configuration.source)}"
    notes = (measured_on, LEGEND)
    return Table("machine", ("", "device", "copy GB/s"), tuple(cells), notes=notes)


def baseline_table(
    document: BaselineDict, verdicts: Sequence[BaselineVerdict], results: Results
) -> Table:
    """Build the table of medians of this run and of the baseline, with slower rows in red."""
    cells = tuple(
        (
            v.row.configuration.title,
            v.row.variant.name,
            number(v.before),
            number(v.now),
            f"{v.now / v.before - 1:+.1%}" if v.before else "",
            f"{v.bound:.1%}" if v.bound is not None else "",
            "SLOWER" if v.failed else v.outcome,
        )
        for v in verdicts
    )
    notes = [f"{RULE[0].upper()}{RULE[1:]}."]
    if document["environment"]["devices"] != results.environment["devices"]:
        notes.append("The baseline was measured on another machine, or with another driver.")
    lost = Counter(
        f"{r['pipeline']} {r['width']}x{r['height']}" for r in absent(document, results.rows)
    )
    if lost:
        counts = ", ".join(f"{count} of {title}" for title, count in lost.most_common(LISTED))
        more = " and others" if len(lost) > LISTED else ""
        notes.append(f"Rows of the baseline that were not measured now: {counts}{more}.")
    title = f"against {document['environment']['wheatstone']} of {document['date']}"
    header = ("configuration", "variant", "before, ms", "now, ms", "change", "noise", "verdict")
    slow = frozenset(i for i, v in enumerate(verdicts) if v.failed)
    return Table(title, header, cells, slow, tuple(notes))


def to_markdown(table: Table) -> str:
    """Format a table as Markdown, with its title and notes; names from files are escaped."""
    cells = markdown(list(map(cell, table.header)), [list(map(cell, row)) for row in table.rows])
    parts = [f"## {escaped(table.title)}", cells, *map(escaped, table.notes)]
    return "\n\n".join(parts) + "\n"
