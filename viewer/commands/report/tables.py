"""Make tables of measured rows.

Rows are given by their places: the keys and indices that lead to them in the document.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from wheatstone.viewer.choices.words import spoken
from wheatstone.viewer.commands.report.blocks import TableBlock, TableCell, listed, words
from wheatstone.viewer.commands.report.numbers import Numbers
from wheatstone.viewer.measuring.tables import RESULT

Place = tuple[str | int, ...]
COMPUTE = (
    "Compute time of a whole frame in ms, without upload and display, by the device's own clock"
)


def settings(row: Mapping[str, Any]) -> str:
    """Name the pipeline and the size with which a row was measured."""
    return f"{row['pipeline']} at {row['width']}x{row['height']}"


def variant_table(numbers: Numbers, places: Sequence[Place], title: str) -> TableBlock:
    """Make the table of a configuration's variants, a row each."""
    rows = [numbers.at(*place) for place in places]
    measured = [(place, row) for place, row in zip(places, rows, strict=True) if "work" in row]
    unit = measured[0][1]["work"]["unit"] if measured else ""
    header = ("variant", "median, ms", "speed-up", "result", "device", "p5, ms", "p95, ms")
    caption = (
        f"{title}. {COMPUTE}: median, 5th and 95th percentile of the frames; call: wall time of "
        f"the whole call until the device is done. Work in {unit}; declared GB/s, and their share "
        "of a plain copy's."
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
    found = []
    for row in rows:
        for difference in row["differences"]:
            found.append(
                f"{row['variant']} is WRONG: {difference['image']} differs in "
                f"{difference['count']} of {difference['total']} elements."
            )
    return found + not_measured(rows)


def not_measured(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the reasons why rows have no times, one sentence each."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if "device_ms" not in row:
            reasons.setdefault(row["not_measured"], []).append(row["variant"])
    every = {why: listed(list(dict.fromkeys(names))) for why, names in reasons.items()}
    return [f"Not measured: {names}: {why}." for why, names in every.items()]


def rows_with_stages(numbers: Numbers, places: Sequence[Place]) -> dict[Place, Mapping[str, Any]]:
    """Return the rows whose stages were timed, by place; leave out peers."""
    rows = {place: numbers.at(*place) for place in places}
    return {p: row for p, row in rows.items() if row.get("stages_ms") and not row["peer"]}


def stage_names(timed: Mapping[Place, Mapping[str, Any]]) -> list[str]:
    """List the stages of rows, each once."""
    return list(dict.fromkeys(stage for row in timed.values() for stage in row["stages_ms"]))


def stage_table(numbers: Numbers, places: Sequence[Place], title: str) -> TableBlock:
    """Make the table of a configuration's stages, a column a variant."""
    timed = rows_with_stages(numbers, places)
    names = stage_names(timed)
    lines = tuple(
        (
            TableCell(spoken(name)),
            *(numbers.cell(*place, "stages_ms", name, "median") for place in timed),
        )
        for name in names
    )
    caption = (
        f"{title}. Kernel time of every stage in ms: medians of frames whose stages are timed "
        "apart. A fused stage does the work of several."
    )
    return TableBlock(caption, ("stage", *(row["variant"] for row in timed.values())), lines)


def sweep_table(
    numbers: Numbers, lines: Mapping[float, Mapping[str, Place]], what: str
) -> TableBlock:
    """Make the table of medians over a swept parameter, for the measured variants.

    Args:
        lines: the place of every variant's row, by the parameter's value.
        what: the parameter with its unit.
    """
    every = [item for places in lines.values() for item in places.items()]
    variants = dict.fromkeys(n for n, place in every if "device_ms" in numbers.at(*place))
    rows = tuple(
        (
            TableCell(f"{value:g}", numeric=True),
            *(_median(numbers, places.get(name)) for name in variants),
        )
        for value, places in lines.items()
    )
    commands = tuple(
        (f"{name}, {what.split(',')[0]} {value:g}", row["command"])
        for value, places in lines.items()
        for name, place in places.items()
        if "device_ms" in (row := numbers.at(*place))
    )
    caption = "The numbers of the chart: median compute time of a frame in ms."
    return TableBlock(caption, (what, *variants), rows, commands=commands)


def _median(numbers: Numbers, place: Place | None) -> TableCell:
    return numbers.cell(*place, "device_ms", "median") if place else words("")[0]
