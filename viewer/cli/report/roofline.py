"""The roofline section of a report: the performance of stages, and the limits of the device."""

import math
from collections.abc import Iterable, Mapping, Sequence

from wheatstone.viewer.cli.report.blocks import (
    Block,
    ChartBlock,
    Numbers,
    Place,
    Section,
    SideBySide,
    TableBlock,
    TableCell,
)
from wheatstone.viewer.cli.report.charts import ChartMark, roofline_chart
from wheatstone.viewer.cli.report.tables import LETTERS
from wheatstone.viewer.words import spoken

LEAST = 0.02  # of a frame: stages that take less have no point
PIPELINE = "sgm"
CLOSE_ACROSS, CLOSE_UP = 12, 5  # letters in a decade that do not touch


def roofline(numbers: Numbers, name: str) -> Section:
    """Return the roofline section: a chart for each device, and tables of their numbers."""
    content = numbers.content
    every = [place for places in numbers.places(name).values() for place in places]
    plots, tables = list[ChartBlock](), list[TableBlock]()
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
        "Bytes and operations are those that a stage declares to read, write and compute; a kernel "
        "that reads from a cache may exceed the line.",
    )
    blocks: tuple[Block, ...] = (SideBySide(tuple(plots)), *tables) if plots else ()
    return Section("roofline", "Roofline", text, blocks)


def _points(numbers: Numbers, place: Place) -> list[Place]:
    """List paths in the document to those stages of a measurement that take significant time."""
    listed = numbers.at(*place).get("roofline", ())
    total = sum(point["ms"] for point in listed)
    return [
        (*place, "roofline", index)
        for index, point in enumerate(listed)
        if point["operations_per_byte"] and point["gop_per_s"] and point["ms"] >= LEAST * total
    ]


def _plot(
    numbers: Numbers, points: Mapping[str, Sequence[Place]], kind: str, title: str
) -> ChartBlock:
    places = [place for some in points.values() for place in some]
    stages = dict.fromkeys(numbers.at(*place)["stage"] for place in places)
    letters = dict(zip(stages, LETTERS, strict=False))
    copy, peak = numbers.at("copy_gb_per_s", kind), numbers.at("peak_gop_per_s", kind)
    series = {name: [_mark(numbers, p, name) for p in some] for name, some in points.items()}
    legend = ", ".join(f"{letter}: {spoken(stage)}" for stage, letter in letters.items())
    caption = (
        f"{title}: kernel time of stages that take at least {LEAST:.0%} of a frame. The line: "
        f"limit of a plain copy{' and of the nominal arithmetic peak' if peak else ''}. {legend}; "
        "a letter marks the fastest variant."
    )
    marked = _letters([numbers.at(*place) for place in places], letters)
    svg = roofline_chart(series, numbers.looks(), marked, (copy, peak), caption)
    return ChartBlock(f"roofline-{kind}", caption, svg)


def _mark(numbers: Numbers, place: Place, variant: str) -> ChartMark:
    stage, cell = numbers.at(*place), numbers.cell(*place, "gop_per_s")
    title = f"{variant}, {spoken(stage['stage'])}: {cell.text} Gop/s"
    return ChartMark(stage["operations_per_byte"], stage["gop_per_s"], cell.at, title)


def _letters(
    points: Iterable[Mapping[str, float | str]], letters: Mapping[str, str]
) -> list[tuple[float, float, str]]:
    """Place the letters of stages at their fastest variants; join letters that are close."""
    fastest: dict[str, tuple[float, float]] = {}
    for point in points:
        x, y = float(point["operations_per_byte"]), float(point["gop_per_s"])
        stage = str(point["stage"])
        fastest[stage] = max(fastest.get(stage, (x, y)), (x, y), key=lambda place: place[1])
    groups: dict[tuple[int, int], list[str]] = {}
    for stage, (x, y) in fastest.items():
        near = round(CLOSE_ACROSS * math.log10(x)), round(CLOSE_UP * math.log10(y))
        groups.setdefault(near, []).append(stage)
    return [
        (
            fastest[some[0]][0],
            max(fastest[stage][1] for stage in some),
            ", ".join(letters.get(stage, "") for stage in some),
        )
        for some in groups.values()
    ]


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
