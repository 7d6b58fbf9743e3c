"""Make charts and bar charts of measured rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from wheatstone.viewer.choices.words import spoken
from wheatstone.viewer.commands.report.blocks import Bar, BarChart, Segment
from wheatstone.viewer.commands.report.chart import (
    SERIES,
    Chart,
    ChartSeries,
    Point,
    at_values,
    logarithmic,
)
from wheatstone.viewer.commands.report.numbers import Numbers
from wheatstone.viewer.commands.report.tables import Place, rows_with_stages, stage_names

NARROWEST = 0.05  # of a bar: narrower parts have no room for their letter
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def variant_numbers(content: Mapping[str, Any]) -> dict[str, int]:
    """Assign a number to every variant of a document, so that it looks the same in every chart."""
    rows = [row for one in content["experiments"] for row in one["rows"]]
    names = dict.fromkeys(row["variant"] for row in rows)
    return {name: index for index, name in enumerate(names)}


def sweep_chart(
    numbers: Numbers,
    lines: Mapping[float, Mapping[str, Place]],
    what: str,
    looks: Mapping[str, int],
) -> Chart | None:
    """Make a chart of median milliseconds over a swept parameter; None if nothing was measured.

    Args:
        lines: the place of every variant's row, by the parameter's value.
        what: the parameter with its unit.
        looks: the number of every variant, which chooses how it is drawn.
    """
    found: dict[str, list[Point]] = {}
    for value, places in lines.items():
        for name, place in places.items():
            cell = numbers.cell(*place, "device_ms", "median")
            if cell.at:
                at = numbers.at(*place, "device_ms", "median")
                title = f"{name}, {what.split(',')[0]} {value:g}: {cell.text} ms"
                found.setdefault(name, []).append(Point(value, at, title, cell.at))
    if not found:
        return None
    series = tuple(ChartSeries(name, looks[name], tuple(points)) for name, points in found.items())
    times = [point.y for points in found.values() for point in points]
    return Chart("Time", at_values(what, list(lines)), logarithmic("ms a frame", times), series)


def stage_bars(numbers: Numbers, places: Sequence[Place], name: str, caption: str) -> BarChart:
    """Make a bar for each variant, all of the same length, divided by the stages' shares."""
    timed = rows_with_stages(numbers, places)
    stages = stage_names(timed)
    letters = {stage: LETTERS[i % len(LETTERS)] for i, stage in enumerate(stages)}
    colors = {stage: i % SERIES for i, stage in enumerate(stages)}
    bars = tuple(
        Bar(
            row["variant"],
            numbers.cell(*place, "device_ms", "median"),
            tuple(_segments(row["stages_ms"], letters, colors)),
        )
        for place, row in timed.items()
    )
    legend = tuple((letters[s], colors[s], spoken(s)) for s in stages)
    return BarChart(name, caption, bars, legend)


def _segments(
    stages: Mapping[str, Mapping[str, float]], letters: Mapping[str, str], colors: Mapping[str, int]
) -> list[Segment]:
    total = sum(times["median"] for times in stages.values()) or 1.0
    found, left = [], 0.0
    for stage, times in stages.items():
        share = times["median"] / total
        letter = letters[stage] if share >= NARROWEST else ""
        title = f"{spoken(stage)}: {share:.0%}"
        found.append(Segment(100 * left, 100 * share, letter, colors[stage], title))
        left += share
    return found
