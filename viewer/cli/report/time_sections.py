"""The sections of a report about times: CUDA course, variants, sweeps and cold start."""

from collections.abc import Iterator, Sequence
from typing import Any

from wheatstone.viewer.cli.report.blocks import (
    Block,
    Content,
    Numbers,
    Place,
    Section,
    TableBlock,
    TableCell,
)
from wheatstone.viewer.cli.report.derived import CANNY_SOURCE, DISPARITIES, SGM_SOURCE, rows_of
from wheatstone.viewer.cli.report.tables import (
    COMPUTE,
    not_measured,
    settings,
    stages,
    sweep,
    variant_table,
)
from wheatstone.viewer.words import spoken


def course(numbers: Numbers, name: str) -> Section:
    """Return the section that compares times of SGM with those that a CUDA course published."""
    blocks: list[Block] = [_moving(numbers, name)] if numbers.content["moving"] else []
    _add_variants(blocks, numbers, name)
    text = (
        "The course moved the parts of the program to the GPU one by one, and timed the whole "
        "program after each step. For comparison, ours: preset aveiro-2016, whose result is "
        "identical to that of their program, on the built-in scene.",
    )
    return Section("course", "Step by step to the GPU", text, tuple(blocks))


def _moving(numbers: Numbers, name: str) -> TableBlock:
    rows = []
    for i, line in enumerate(numbers.content["moving"]):
        at = [("moving", i, "columns", j) for j in range(len(line["columns"]))]
        ours = [numbers.cell(*p, n) for p in at for n in ("device_ms", "host_ms")]
        names = ("published_device_ms", "published_host_ms")
        theirs = [numbers.cell(*p, n, plain=True) for p in at for n in names]
        rows.append((TableCell(line["step"]), TableCell(line["memory"]), *ours, *theirs))
    sizes = [f"D={n} {where}" for n in DISPARITIES for where in ("device", "host")]
    caption = (
        "End-to-end times in ms. Ours, device: the sum of the measured medians of the stages moved "
        "to the GPU (CUDA events), of the other stages in the reference (one thread, wall clock), "
        "and of copying inputs and intermediate images to and from page-locked memory. Ours, host: "
        "the whole frame of the reference. Last row: the whole frame of the fused variant, with "
        f"its copies. Published: {SGM_SOURCE}; the inner loop of their host is quadratic in D."
    )
    return TableBlock(
        caption,
        ("step on the device", "memory", *sizes, *sizes),
        tuple(rows),
        groups=(("", 2), ("ours", 4), ("published", 4)),
        commands=commands(numbers.content, name),
        notes=tuple(not_measured(rows_of(numbers.content, name))),
    )


def commands(content: Content, name: str) -> tuple[tuple[str, str], ...]:
    """Return the command lines that measure an experiment, each with a title."""
    return tuple((e["title"], e["command"]) for e in content["experiments"] if e["name"] == name)


def pipelines(numbers: Numbers, names: Sequence[str]) -> Section:
    """Return the section with times of every pipeline's variants and their stages."""
    blocks: list[Block] = []
    for name in names:
        _add_variants(blocks, numbers, name)
    text = (
        "Speed-up: relative to the median of the reference. GB/s: the declared images that a step "
        "reads or writes, each counted once per step; with caches, it may exceed the rate of a "
        "plain copy.",
    )
    return Section("pipelines", "Every variant", text, tuple(blocks))


def _add_variants(blocks: list[Block], numbers: Numbers, name: str) -> None:
    """Append tables of the variants and the stages of every configuration to a list."""
    for title, places in numbers.places(name).items():
        blocks.append(variant_table(numbers, places, title))
        blocks += stages(numbers, places, f"{name}-{len(blocks)}", title)


def sweeps(numbers: Numbers) -> Iterator[Section]:
    """Yield a section for every swept parameter, with a chart of times and their numbers."""
    for i, one in enumerate(numbers.content["experiments"]):
        if not one["swept"]:
            continue
        lines: dict[float, dict[str, Place]] = {}
        for j, row in enumerate(one["rows"]):
            value = one_number(row["params"][one["swept"]])
            lines.setdefault(value, {})[row["variant"]] = ("experiments", i, "rows", j)
        rectangle = isinstance(one["rows"][0]["params"][one["swept"]], list)
        name = spoken(one["swept"]) + (" width" if rectangle else "")
        what = f"{name}, {one['unit']}".rstrip(", ")
        caption = f"{settings(one['rows'][0])}. {COMPUTE}: median, by {what}."
        blocks = sweep(numbers, lines, one["name"], what, caption)
        yield Section(one["name"], one["title"], tuple(not_measured(one["rows"])), tuple(blocks))


def one_number(value: Any) -> float:
    """Convert a parameter's value to a number for an axis; for a rectangle, its width."""
    return float(value[2]) if isinstance(value, list | tuple) else float(value)


def canny_course(numbers: Numbers, name: str) -> Section:
    """Return the section that compares times of Canny with those that a CUDA course published."""
    names = ("device_ms", "host_ms")
    theirs = ("published_device_ms", "published_host_ms")
    rows = tuple(
        (
            TableCell(line["picture"]),
            TableCell(f"{line['width']}x{line['height']}"),
            TableCell(line["memory"]),
            *(numbers.cell("canny", i, n) for n in names),
            *(numbers.cell("canny", i, n, plain=True) for n in theirs),
        )
        for i, line in enumerate(numbers.content["canny"])
    )
    caption = (
        "Preset aveiro-2015, in ms. Ours: median compute time of a frame of the built-in scene at "
        "these sizes, without copies; host: the reference. Published, end to end, of the named "
        f"pictures (the size of lena is assumed): {CANNY_SOURCE}."
    )
    columns = ("picture", "size", "memory", "device", "host", "device", "host")
    spans = (("", 3), ("ours", 2), ("published", 2))
    table = TableBlock(caption, columns, rows, spans, commands(numbers.content, name))
    blocks: list[Block] = [table] if rows else []
    if not rows:
        blocks = [variant_table(numbers, p, t) for t, p in numbers.places(name).items()]
    notes = tuple(not_measured(rows_of(numbers.content, name)))
    return Section("canny", "Canny on the course's sizes", notes, tuple(blocks))


def cold_start(numbers: Numbers, name: str) -> Section:
    """Return the section that compares the first frame of a process with later frames."""
    rows, lines = [], []
    for place in [p for places in numbers.places(name).values() for p in places]:
        row = numbers.at(*place)
        if row.get("cold_ms"):
            first = [numbers.cell(*place, "cold_ms", n) for n in ("uncached", "cached")]
            later = numbers.cell(*place, "device_ms", "median")
            rows.append((TableCell(row["variant"], code=True), *first, later))
            lines.append((row["variant"], row["command"]))
    caption = (
        "End-to-end wall-clock times of sgm in ms. First frame of a new process: opens the device, "
        "imports, prepares, compiles, computes and downloads the result; without and with cached "
        "code of an earlier process. Later: median compute time of a frame."
    )
    header = ("variant", "first, nothing compiled", "first, compiled before", "later")
    table = TableBlock(caption, header, tuple(rows), commands=tuple(lines))
    return Section("cold", "Cold start", (), (table,) if rows else ())
