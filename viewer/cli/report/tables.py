"""Tables and charts of the measurements in a report.

Rows are given by their places: the keys and indices that lead to them in the document.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from wheatstone.viewer.cli.report.blocks import (
    ChartBlock,
    Numbers,
    Place,
    SideBySide,
    TableBlock,
    TableCell,
)
from wheatstone.viewer.cli.report.charts import ChartMark, StageBar, bar_chart, sweep_chart
from wheatstone.viewer.run.measuring.tables import RESULT
from wheatstone.viewer.words import spoken

LETTERS = "abcdefghijklmnopqrstuvwxyz"
Lines = Mapping[float, Mapping[str, Place]]
"""The place of every variant's row, by the value of a swept parameter."""
COMPUTE = "Compute time of a whole frame in ms, without upload and display, by the device's clock"


def settings(row: Mapping[str, Any]) -> str:
    """Format the pipeline and image size of a measurement, such as ``sgm at 640x480``."""
    return f"{row['pipeline']} at {row['width']}x{row['height']}"


def variant_table(numbers: Numbers, places: Sequence[Place], title: str) -> TableBlock:
    """Return a table of a configuration's variants, with one table row each."""
    rows = [numbers.at(*place) for place in places]
    measured = [(place, row) for place, row in zip(places, rows, strict=True) if "work" in row]
    unit = measured[0][1]["work"]["unit"] if measured else ""
    header = ("variant", "median, ms", "speed-up", "result", "device", "p5, ms", "p95, ms")
    caption = (
        f"{title}. {COMPUTE}: median, 5th and 95th percentile of the frames; call: wall time of "
        f"the whole call until the device has finished. Work in {unit}; declared GB/s, and their "
        "share of a plain copy's rate."
    )
    return TableBlock(
        caption,
        (*header, "call, ms", unit, "GB/s", "of copy", "frames"),
        tuple(_variant_cells(numbers, place, row) for place, row in measured),
        commands=tuple((row["variant"], row["command"]) for _, row in measured),
        notes=tuple(_notes(rows)),
    )


def _variant_cells(numbers: Numbers, place: Place, row: Mapping[str, Any]) -> tuple[TableCell, ...]:
    wrong = row["identity"] == "different"
    device = (*place, "device_ms")
    frame = numbers.cell(*device, "median")
    return (
        TableCell(row["variant"], code=True),
        TableCell(frame.text, frame.at, mark="~" if row["noisy"] else "", numeric=True),
        numbers.cell(*place, "speed_up"),
        TableCell(RESULT[row["identity"]], alarming=wrong),
        TableCell(row["device"].upper()),
        *(numbers.cell(*device, name) for name in ("p5", "p95")),
        numbers.cell(*place, "wall_ms", "median"),
        numbers.cell(*place, "work", "rate"),
        numbers.cell(*place, "gb_per_s"),
        numbers.cell(*place, "of_copy", percent=True),
        numbers.cell(*device, "frames", plain=True),
    )


def _notes(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    notes = []
    for row in rows:
        for difference in row["differences"]:
            notes.append(
                f"{row['variant']} is WRONG: {difference['image']} differs in "
                f"{difference['count']} of {difference['total']} elements."
            )
    return notes + not_measured(rows)


def not_measured(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the reasons why variants were not timed, one sentence each."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if "device_ms" not in row:
            reasons.setdefault(row["not_measured"], []).append(row["variant"])
    every = {why: ", ".join(dict.fromkeys(names)) for why, names in reasons.items()}
    return [f"Not measured: {names}: {why}." for why, names in every.items()]


def stages(numbers: Numbers, places: Sequence[Place], name: str, title: str) -> list[SideBySide]:
    """Return a chart and a table of a configuration's stage times; empty for fewer than two stages.

    External variants (peers) are omitted.
    """
    rows = {place: numbers.at(*place) for place in places}
    timed = {p: row for p, row in rows.items() if row.get("stages_ms") and not row["peer"]}
    names = list(dict.fromkeys(stage for row in timed.values() for stage in row["stages_ms"]))
    if len(names) < 2:
        return []
    bars = [_bar(numbers, place, row, names) for place, row in timed.items()]
    parts = [(LETTERS[i % len(LETTERS)], spoken(stage)) for i, stage in enumerate(names)]
    about = (
        f"{title}. Each bar is a whole frame, divided into the shares of the stages; the number is "
        "the median compute time of the frame in ms."
    )
    chart = ChartBlock(f"stages-{name}", about, bar_chart(bars, parts, about))
    lines = tuple(
        (
            TableCell(spoken(stage)),
            *(numbers.cell(*place, "stages_ms", stage, "median") for place in timed),
        )
        for stage in names
    )
    caption = (
        f"{title}. Kernel time of every stage in ms: medians of frames whose stages are timed "
        "separately. A fused stage computes several stages."
    )
    header = ("stage", *(row["variant"] for row in timed.values()))
    return [SideBySide((chart, TableBlock(caption, header, lines)))]


def _bar(numbers: Numbers, place: Place, row: Mapping[str, Any], names: Sequence[str]) -> StageBar:
    medians = {stage: times["median"] for stage, times in row["stages_ms"].items()}
    total = sum(medians.values())
    shares = [(median / total, names.index(stage)) for stage, median in medians.items()]
    frame = numbers.cell(*place, "device_ms", "median")
    return StageBar(row["variant"], shares, frame.text, frame.at)


def sweep(numbers: Numbers, lines: Lines, name: str, what: str, caption: str) -> list[SideBySide]:
    """Return a chart and a table of median times over a swept parameter; empty without times.

    Args:
        name: stem of the chart's file.
        what: the parameter with its unit.
    """
    series: dict[str, list[ChartMark]] = {}
    commands = []
    for value, places in lines.items():
        for variant, place in places.items():
            cell = numbers.cell(*place, "device_ms", "median")
            if cell.at:
                about = f"{variant}, {what.split(',')[0]} {value:g}"
                median = numbers.at(*place, "device_ms", "median")
                mark = ChartMark(value, median, cell.at, f"{about}: {cell.text} ms")
                series.setdefault(variant, []).append(mark)
                commands.append((about, numbers.at(*place, "command")))
    if not series:
        return []
    chart = ChartBlock(name, caption, sweep_chart(series, numbers.looks(), what, caption))
    rows = tuple(
        (
            TableCell(f"{value:g}", numeric=True),
            *(_median(numbers, places.get(variant)) for variant in series),
        )
        for value, places in lines.items()
    )
    about = "The numbers of the chart: median compute time of a frame in ms."
    table = TableBlock(about, (what, *series), rows, commands=tuple(commands))
    return [SideBySide((chart, table))]


def _median(numbers: Numbers, place: Place | None) -> TableCell:
    return numbers.cell(*place, "device_ms", "median") if place else TableCell("")
