"""Make the sections of a report from its document only."""

from collections.abc import Iterator, Mapping
from typing import Any

from wheatstone.viewer.commands.report.blocks import Section, TableBlock, TableCell, listed, words
from wheatstone.viewer.commands.report.numbers import Numbers
from wheatstone.viewer.commands.report.picture_sections import before_after, views
from wheatstone.viewer.commands.report.plan import CANNY_COURSE, COLD, COURSE, LARGE, OVERVIEW
from wheatstone.viewer.commands.report.quality_section import quality
from wheatstone.viewer.commands.report.roofline_section import roofline
from wheatstone.viewer.commands.report.time_sections import (
    canny_course,
    cold_start,
    course,
    pipelines,
    sweeps,
)

Content = Mapping[str, Any]
GLANCE = (
    *("pipeline", "fastest", "ms", "speed-up", "reference, ms", "cpu, ms", "size"),
    *("work", "unit", "compared", "identical"),
)


def sections(content: Content) -> list[Section]:
    """Make all sections that have content, in order."""
    return [section for section in _every(content) if section.blocks]


def _every(content: Content) -> Iterator[Section]:
    numbers = Numbers(content)
    yield _glance(content, numbers)
    yield before_after(content)
    yield course(numbers, content, COURSE)
    yield pipelines(numbers, content, (OVERVIEW, LARGE))
    yield from sweeps(numbers, content)
    yield roofline(numbers, content, OVERVIEW)
    yield canny_course(numbers, content, CANNY_COURSE)
    yield cold_start(numbers, content, COLD)
    yield quality(numbers, content)
    yield views(content)
    yield _environment(content, numbers)


def identity_told(content: Content) -> str:
    """Write a sentence on how many results equal the reference's."""
    summary = content["summary"]
    compared = summary["identical"] + summary["different"]
    same = f"{summary['identical']} of {compared} results compared"
    return f"{same} equal the reference's in every bit"


def _glance(content: Content, numbers: Numbers) -> Section:
    summary = content["summary"]
    verdict = identity_told(content)
    peers = f"; {summary['peer']} are of peers, programs from outside that claim no identity"
    noisy = f" {summary['noisy']} times are noisy, marked ~: p95 - p5 exceeds 10 % of the median."
    missing = [f"Not run: {listed(one['variants'])}: {one['why']}." for one in summary["absent"]]
    rows = tuple(_glance_row(numbers, index, one) for index, one in enumerate(content["glance"]))
    caption = (
        "The fastest variant that gives the same bits, the plain reference on one thread, and all "
        "cores: median compute time of a frame in ms. Compared: variants whose result was compared "
        "with the reference's; identical: those that equal it."
    )
    text = (f"{verdict}{peers if summary['peer'] else ''}.{noisy}", *missing)
    return Section("glance", "At a glance", text, (TableBlock(caption, GLANCE, rows),))


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


def _environment(content: Content, numbers: Numbers) -> Section:
    found = content["environment"]
    facts = {"Wheatstone": found["wheatstone"], "Python": found["python"]}
    facts |= {"system": found["system"]}
    rows = [words(name, value) for name, value in (facts | found["packages"]).items()]
    devices = []
    for kind, about in found["devices"].items():
        said = "; ".join(value if n == "device" else f"{n} {value}" for n, value in about.items())
        copy = numbers.cell("copy_gb_per_s", kind)
        peak = numbers.cell("peak_gop_per_s", kind)
        devices.append((TableCell(kind.upper()), TableCell(said), copy, peak))
    caption = (
        "Devices. Copy: GB/s, read and written, of a plain copy within the device's memory, "
        "measured; on the CPU by one thread. Peak: thousand million 32-bit operations a second, "
        "nominal: lanes times the highest clock."
    )
    tables = (
        TableBlock(caption, ("", "device", "copy GB/s", "peak Gop/s"), tuple(devices)),
        TableBlock("Versions.", ("what", "version"), tuple(rows)),
    )
    commands = tuple((one["title"], one["command"]) for one in content["experiments"])
    commands += tuple((one["data"], one["command"]) for one in content["quality"])
    runs = TableBlock(
        "What was run, besides pictures. A row's own command line stands below its table.",
        ("what", "command line"),
        tuple((TableCell(name), TableCell(command, code=True)) for name, command in commands),
    )
    return Section("environment", "Where and what", (), (*tables, runs))
