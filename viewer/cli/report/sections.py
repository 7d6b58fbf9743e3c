"""The sections of a report, made from its document only."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.viewer.cli.evaluate.report import REGION
from wheatstone.viewer.cli.report.blocks import (
    Content,
    Gallery,
    Numbers,
    PictureBlock,
    Section,
    SliderBlock,
    TableBlock,
    TableCell,
)
from wheatstone.viewer.cli.report.plan import (
    CANNY_COURSE,
    COLD,
    COURSE,
    LARGE,
    OVERVIEW,
    TWELVE_MEGAPIXELS,
)
from wheatstone.viewer.cli.report.roofline import roofline
from wheatstone.viewer.cli.report.time_sections import (
    canny_course,
    cold_start,
    course,
    pipelines,
    sweeps,
)

GLANCE = (
    *("pipeline", "fastest", "ms", "speed-up", "reference, ms", "cpu, ms", "size"),
    *("work", "unit", "compared", "identical"),
)


def sections(content: Content) -> list[Section]:
    """List all sections of a report that have content, in order."""
    return [section for section in _every(content) if section.blocks]


def _every(content: Content) -> Iterator[Section]:
    numbers = Numbers(content)
    yield _glance(content, numbers)
    yield _before_after(content)
    yield course(numbers, COURSE)
    yield pipelines(numbers, (OVERVIEW, LARGE, TWELVE_MEGAPIXELS))
    yield from sweeps(numbers)
    yield roofline(numbers, OVERVIEW)
    yield canny_course(numbers, CANNY_COURSE)
    yield cold_start(numbers, COLD)
    yield _quality(numbers)
    yield _views(content)
    yield _environment(content, numbers)


def identity_text(content: Content) -> str:
    """Describe in a sentence how many results equal the reference's."""
    summary = content["summary"]
    compared = summary["identical"] + summary["different"]
    same = f"{summary['identical']} of {compared} results compared"
    return f"{same} are identical to the reference's"


def _glance(content: Content, numbers: Numbers) -> Section:
    summary = content["summary"]
    verdict = identity_text(content)
    peers = f"; {summary['peer']} are of peers: external programs, not expected to be identical"
    noisy = f" {summary['noisy']} times, marked ~, are noisy: p95 - p5 exceeds 10 % of the median."
    missing = [f"Not run: {', '.join(one['variants'])}: {one['why']}." for one in summary["absent"]]
    rows = tuple(_glance_row(numbers, index, one) for index, one in enumerate(content["glance"]))
    caption = (
        "Median compute time of a frame in ms: of the fastest variant with identical results, the "
        "reference on one thread, and cpu on all cores. Compared: number of variants whose result "
        "was compared with that of the reference; identical: number of identical results."
    )
    text = (f"{verdict}{peers if summary['peer'] else ''}.{noisy}", *missing)
    return Section("glance", "Summary", text, (TableBlock(caption, GLANCE, rows),))


def _glance_row(numbers: Numbers, index: int, one: Mapping[str, Any]) -> tuple[TableCell, ...]:
    def cell(name: str, plain: bool = False) -> TableCell:
        return numbers.cell("glance", index, name, plain=plain)

    return (
        TableCell(one["pipeline"], code=True),
        TableCell(one["fastest"] or "", code=True),
        *(cell(name) for name in ("fastest_ms", "speed_up", "reference_ms", "cpu_ms")),
        TableCell(f"{one['width']}x{one['height']}"),
        cell("rate"),
        TableCell(one["unit"]),
        *(cell(name, plain=True) for name in ("compared", "identical")),
    )


def _pictures(content: Content) -> dict[str, PictureBlock]:
    """Return the pictures that were drawn, by name."""
    names = ("name", "title", "alt", "command", "width", "height")
    drawn = [one for one in content["pictures"] if "file" in one]
    return {one["name"]: PictureBlock(*(one[name] for name in names)) for one in drawn}


def _before_after(content: Content) -> Section:
    """Return the section with pairs of pictures, each with a slider."""
    pictures = _pictures(content)
    blocks = tuple(
        SliderBlock(one["title"], pictures[one["before"]], pictures[one["after"]])
        for one in content["sliders"]
        if {one["before"], one["after"]} <= pictures.keys()
    )
    text = ("Move the slider, or focus it and use the arrow keys.",)
    return Section("pictures", "Before and after", text, blocks)


def _views(content: Content) -> Section:
    """Return the section with a picture of every informative view."""
    pictures = _pictures(content)
    shown = tuple(pictures[name] for name in content["views"] if name in pictures)
    caption = "Views of the built-in scene, drawn by the program's renderer."
    blocks = (Gallery(caption, shown),) if shown else ()
    return Section("views", "Views", tuple(_missing(content)), blocks)


def _missing(content: Content) -> list[str]:
    """List the reasons why pictures were not drawn, one sentence each."""
    reasons = {one["why"] for one in content["pictures"] if "why" in one}
    return [f"Not drawn: {reason}" for reason in sorted(reasons)]


def _quality(numbers: Numbers) -> Section:
    """Return the section with mean errors and bad pixels by pair, for every data set."""
    runs: dict[str, list[int]] = {}
    for index, one in enumerate(numbers.content["quality"]):
        runs.setdefault(one["data"], []).append(index)
    blocks = [table for some in runs.values() for table in _tables(numbers, some)]
    text = (
        "Comparison with ground truth. Benchmarks use the same measures but treat pixels without a "
        "result differently: results are comparable only under the same convention.",
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


def _environment(content: Content, numbers: Numbers) -> Section:
    versions = content["environment"]
    facts = {"Wheatstone": versions["wheatstone"], "Python": versions["python"]}
    facts |= {"system": versions["system"]}
    rows = [
        (TableCell(name), TableCell(value))
        for name, value in (facts | versions["packages"]).items()
    ]
    devices = []
    for kind, about in versions["devices"].items():
        text = "; ".join(value if n == "device" else f"{n} {value}" for n, value in about.items())
        copy = numbers.cell("copy_gb_per_s", kind)
        peak = numbers.cell("peak_gop_per_s", kind)
        devices.append((TableCell(kind.upper()), TableCell(text), copy, peak))
    caption = (
        "Devices. Copy: measured GB/s, read and written, of a plain copy within the device's "
        "memory; on the CPU, by one thread. Peak: nominal 10^9 32-bit operations per second: lanes "
        "times the highest clock."
    )
    tables = (
        TableBlock(caption, ("", "device", "copy GB/s", "peak Gop/s"), tuple(devices)),
        TableBlock("Versions.", ("what", "version"), tuple(rows)),
    )
    commands = tuple((one["title"], one["command"]) for one in content["experiments"])
    commands += tuple((one["data"], one["command"]) for one in content["quality"])
    runs = TableBlock(
        "Commands that were run, without pictures. The command of each row is below its table.",
        ("what", "command line"),
        tuple((TableCell(name), TableCell(command, code=True)) for name, command in commands),
    )
    return Section("environment", "Environment", (), (*tables, runs))
