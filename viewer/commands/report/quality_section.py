"""Make the report section of quality: the errors of results against the ground truth."""

from collections.abc import Mapping, Sequence
from typing import Any

from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.viewer.commands.evaluate.report import REGION
from wheatstone.viewer.commands.report.blocks import Section, TableBlock, TableCell
from wheatstone.viewer.commands.report.numbers import Numbers


def quality(numbers: Numbers, content: Mapping[str, Any]) -> Section:
    """Make the section of mean errors, and of bad pixels by pair, for every data set."""
    runs: dict[str, list[int]] = {}
    for index, one in enumerate(content["quality"]):
        runs.setdefault(one["data"], []).append(index)
    blocks = [table for some in runs.values() for table in _tables(numbers, some)]
    text = (
        "Against ground truth. Benchmarks use the same measures but treat pixels without a result "
        "differently: figures compare only under one convention.",
    )
    return Section("quality", "Quality", text, tuple(blocks))


def _tables(numbers: Numbers, some: Sequence[int]) -> tuple[TableBlock, ...]:
    runs = [numbers.at("quality", index) for index in some]
    first = runs[0]
    rule = f"{CONVENTIONS[first['convention']].help} {REGION[first['region']]}"
    about = f"{first['data']}, {len(first['pairs'])} pairs, convention {first['convention']}"
    caption = f"{about}; mean over the pairs. {rule}"
    measures = first["units"]
    means = tuple(
        (_name(run), *(numbers.cell("quality", index, "mean", m) for m in measures))
        for index, run in zip(some, runs, strict=True)
    )
    header = ("settings", *(f"{name}, {unit}" for name, unit in measures.items()))
    commands = tuple((_name(run).text, run["command"]) for run in runs)
    failed = tuple(f"Failed: {one['pair']}: {one['why']}" for run in runs for one in run["failed"])
    return (
        TableBlock(caption, header, means, commands=commands, notes=tuple(dict.fromkeys(failed))),
        _by_pair(numbers, some, f"{about}; bad-2 of each pair, in per cent."),
    )


def _name(run: Mapping[str, Any]) -> TableCell:
    return TableCell(run["preset"] or run["variant"], code=True)


def _by_pair(numbers: Numbers, some: Sequence[int], caption: str) -> TableBlock:
    runs = {index: numbers.at("quality", index) for index in some}
    places: dict[str, dict[int, int]] = {}
    for index, run in runs.items():
        for j, pair in enumerate(run["pairs"]):
            places.setdefault(pair["pair"], {})[index] = j
    rows = tuple(
        (
            TableCell(pair),
            *(
                numbers.cell("quality", index, "pairs", at[index], "figures", "bad-2")
                if index in at
                else TableCell("failed", alarming=True)
                for index in some
            ),
        )
        for pair, at in places.items()
    )
    return TableBlock(caption, ("pair", *(_name(run).text for run in runs.values())), rows)
