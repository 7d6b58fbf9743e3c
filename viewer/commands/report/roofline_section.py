"""Make the roofline section: the performance of stages, and the limits of the device."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from wheatstone.viewer.choices.words import spoken
from wheatstone.viewer.commands.report.blocks import (
    Block,
    PlotBlock,
    Section,
    SideBySide,
    TableBlock,
    TableCell,
)
from wheatstone.viewer.commands.report.chart import (
    Chart,
    ChartAxis,
    ChartSeries,
    Point,
    logarithmic,
)
from wheatstone.viewer.commands.report.graphs import LETTERS, variant_numbers
from wheatstone.viewer.commands.report.numbers import Numbers
from wheatstone.viewer.commands.report.tables import Place
from wheatstone.viewer.commands.report.time_sections import groups

LEAST = 0.02  # of a frame: stages that take less have no point
PIPELINE = "sgm"
CLOSE_ACROSS, CLOSE_UP = 12, 5  # letters in a decade that do not touch


def roofline(numbers: Numbers, content: Mapping[str, Any], name: str) -> Section:
    """Make the section with a chart for each device, and the numbers in the charts."""
    every = [place for places in groups(content, name).values() for place in places]
    plots, tables = list[PlotBlock](), list[TableBlock]()
    for kind in content["copy_gb_per_s"]:
        points = {
            row["variant"]: _points(numbers, place)
            for place in every
            if (row := numbers.at(*place))["device"] == kind
            and row["pipeline"] == PIPELINE
            and not row["peer"]
        }
        device = content["environment"]["devices"][kind]["device"]
        if any(points.values()):
            title = f"{numbers.at(*every[0])['title']}, on {device}"
            plots.append(_plot(numbers, points, kind, title))
            tables.append(_table(numbers, points, f"The numbers of {device}"))
    text = (
        "Bytes and operations are those that the declarations say a stage reads, writes and "
        "computes; a kernel that finds some of it in a cache may exceed the line.",
    )
    blocks: tuple[Block, ...] = (SideBySide(tuple(plots)), *tables) if plots else ()
    return Section("roofline", "Roofline", text, blocks)


def _points(numbers: Numbers, place: Place) -> list[Place]:
    """List the places of a row's points, for stages with a significant share of the time."""
    row = numbers.at(*place)
    found = row.get("roofline", ())
    total = sum(point["ms"] for point in found)
    return [
        (*place, "roofline", index)
        for index, point in enumerate(found)
        if point["operations_per_byte"] and point["gop_per_s"] and point["ms"] >= LEAST * total
    ]


def _plot(
    numbers: Numbers, points: Mapping[str, Sequence[Place]], kind: str, title: str
) -> PlotBlock:
    places = [place for some in points.values() for place in some]
    stages = dict.fromkeys(numbers.at(*place)["stage"] for place in places)
    letters = dict(zip(stages, LETTERS, strict=False))
    copy, peak = numbers.at("copy_gb_per_s", kind), numbers.at("peak_gop_per_s", kind)
    looks = variant_numbers(numbers.content)
    series = tuple(
        ChartSeries(name, looks[name], tuple(_point(numbers, p, name) for p in some), joined=False)
        for name, some in points.items()
    )
    x, y = _axes(series, copy, peak)
    marked = tuple(_letters(series, letters))
    legend = ", ".join(f"{letter}: {spoken(stage)}" for stage, letter in letters.items())
    caption = (
        f"{title}: kernel time of stages that take at least {LEAST:.0%} of a frame. The line: what "
        f"a plain copy{' and the nominal arithmetic peak allow' if peak else ' allows'}. {legend}; "
        "a letter stands at the variant that gets farthest."
    )
    chart = Chart("Roofline", x, y, series, _roofs(x, y, copy, peak), marked)
    return PlotBlock(f"roofline-{kind}", caption, chart)


def _point(numbers: Numbers, place: Place, variant: str) -> Point:
    found, cell = numbers.at(*place), numbers.cell(*place, "gop_per_s")
    title = f"{variant}, {spoken(found['stage'])}: {cell.text} Gop/s"
    return Point(found["operations_per_byte"], found["gop_per_s"], title, cell.at, found["stage"])


def _axes(
    series: Sequence[ChartSeries], copy: float, peak: float | None
) -> tuple[ChartAxis, ChartAxis]:
    every = [point for one in series for point in one.points]
    x = logarithmic("operations a byte", [point.x for point in every])
    top = min(peak or copy * x.high, copy * x.high)
    return x, logarithmic("Gop/s", [*(point.y for point in every), top])


def _letters(
    series: Sequence[ChartSeries], letters: Mapping[str, str]
) -> list[tuple[float, float, str]]:
    """Place each stage's letter at its fastest variant, and join letters that would overlap."""
    found: dict[str, Point] = {}
    for point in (point for one in series for point in one.points):
        if point.stage not in found or point.y > found[point.stage].y:
            found[point.stage] = point
    groups: dict[tuple[int, int], list[Point]] = {}
    for point in found.values():
        place = round(CLOSE_ACROSS * math.log10(point.x)), round(CLOSE_UP * math.log10(point.y))
        groups.setdefault(place, []).append(point)
    return [
        (some[0].x, max(p.y for p in some), ", ".join(letters.get(p.stage, "") for p in some))
        for some in groups.values()
    ]


def _roofs(
    x: ChartAxis, y: ChartAxis, copy: float, peak: float | None
) -> tuple[tuple[tuple[float, float], ...], ...]:
    """List the corners of the roof: a slope up to the limit of arithmetic, then a level line."""
    first = max(x.low, y.low / copy)
    ridge = min(peak / copy if peak else x.high, x.high, y.high / copy)
    line = [(first, first * copy), (ridge, ridge * copy)] if first < ridge else []
    if peak and ridge < x.high:
        level = min(peak, y.high)
        line += [(max(x.low, ridge), level), (x.high, level)]
    return (tuple(line),) if line else ()


def _table(numbers: Numbers, points: Mapping[str, Sequence[Place]], caption: str) -> TableBlock:
    names = ("ms", "gb_per_s", "operations_per_byte", "gop_per_s")
    rows = tuple(
        (
            TableCell(variant, code=True),
            TableCell(spoken(numbers.at(*place)["stage"])),
            *(numbers.cell(*place, name) for name in names),
        )
        for variant, places in points.items()
        for place in places
    )
    header = ("variant", "stage", "ms", "GB/s", "op/byte", "Gop/s")
    caption = f"{caption}: kernel time, median in ms, and declared work."
    return TableBlock(caption, header, rows, folded=True)
