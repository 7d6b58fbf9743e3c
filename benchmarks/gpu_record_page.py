"""The page of a GPU record, in Markdown."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks import fast_sgm, parity, soak
from wheatstone.viewer.io.files.markdown import markdown


def page(name: str, record: dict[str, Any]) -> str:
    """Write the record as Markdown."""
    facts = {
        **record["machine"],
        "Python": record["python"],
        **record["packages"],
        **record["opengl"],
    }
    parts = [
        f"# {name}",
        f"Wheatstone {record['version']}, {record['date']}: `python -m benchmarks gpu_record`.",
        *_older(record),
        markdown(("What", "Found"), facts.items()),
        *(text for part, write in PARTS.items() if part in record for text in write(record)),
        *_printed(record),
        *_soaked(record.get("soak", ())),
        *_compared(record.get("parity", ())),
    ]
    return "\n\n".join(parts) + "\n"


def _tested(record: dict[str, Any]) -> Iterator[str]:
    tests = record["tests"]
    yield "## Tests"
    yield (
        f"{tests['tests']} tests: {tests['failures']} failed, {tests['errors']} errors, "
        f"{tests['skipped']} skipped, in {tests['seconds']:.0f} s."
    )
    yield from (f"- skipped: {reason}" for reason in tests["skip reasons"])


def _sanitized(record: dict[str, Any]) -> Iterator[str]:
    yield "## compute-sanitizer, every kernel at a small odd size"
    yield markdown(("Tool", "Verdict"), record["sanitizer"].items())


def _timed(record: dict[str, Any]) -> Iterator[str]:
    yield "## Milliseconds a frame"
    yield (
        "Median compute time on the built-in scene: CUDA events on the GPU, wall clock on the CPU; "
        "without upload and display. A peer is a program from outside."
    )
    yield from map(case_table, record["times"])


def _next_to_libsgm(record: dict[str, Any]) -> Iterator[str]:
    yield "## Variant `fast` beside libSGM"
    yield (
        "Preset `libsgm`, textured pair: median milliseconds of 200 frames by CUDA events, then "
        "by how much each stage makes frames back to back longer. libSGM v3.1.0 was measured "
        f"{LIBSGM_RUN[record.get('libsgm', 'apart')]}, with the same settings. Differ: pixels "
        "unlike variant `shared`."
    )
    yield fast_sgm.table(record["fast"])


def _displayed(record: dict[str, Any]) -> Iterator[str]:
    yield "## Milliseconds a displayed frame, 1280x720, offscreen"
    yield "Compute (`shared`, 16 disparities), transfer and drawing, queued without waiting."
    yield markdown(("Display mode", "ms"), [(k, _ms(v)) for k, v in record["display"].items()])


PARTS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "tests": _tested,
    "sanitizer": _sanitized,
    "times": _timed,
    "fast": _next_to_libsgm,
    "display": _displayed,
}
"""The parts of a record with a section of their own, in the order of the page."""


def _older(record: dict[str, Any]) -> Iterator[str]:
    """Say which parts were measured on another day than the rest."""
    days: dict[str, list[str]] = {}
    for part, day in record.get("dates", {}).items():
        days.setdefault(day, []).append(part)
    for day, parts in sorted(days.items()):
        if day != record["date"]:
            yield f"Measured on {day}: {', '.join(parts)}."


LIBSGM_RUN = {"apart": "apart, on an H200", "in the same run": "in the same run"}
PRINTED = {
    "hierarchical": (
        "Hierarchical search of variant `fast`",
        "preset `fast`, boxes in front of a ground: milliseconds of a frame, and of three stages.",
    ),
    "rectify": (
        "Rectification",
        "a pair in colours to grey levels, and with rectified colours, too, beside a plain copy of "
        "the same bytes.",
    ),
    "cloud": ("Views in space, offscreen", "all points of an image, drawn and waited for."),
    "footage": (
        "Videos, decoded and matched",
        "two views of 1920x1080 side by side, decoded by NVDEC or the CPU, then `sgm` with 128.",
    ),
    "panels": (
        "CPU milliseconds of the panels, offscreen",
        "what panels and Dear ImGui take, and all that the display's thread does for a frame.",
    ),
}
"""Benchmarks that are shown as they print: a title, and what they measure."""


def _printed(record: dict[str, Any]) -> Iterator[str]:
    for name, (title, help) in PRINTED.items():
        if output := record.get(name):
            yield f"## {title}"
            yield f"`python -m benchmarks {name}`: {help}"
            yield "\n".join(["```", *output["printed"], "```"])


def case_table(case: dict[str, Any]) -> str:
    """One size: a row a variant, a column a stage."""
    stages = list(case["variants"]["reference"]["stages"])
    slowest = case["variants"]["reference"]["median"]
    rows = []
    for variant, times in case["variants"].items():
        cells = [_ms(times["stages"].get(stage)) for stage in stages]
        speedup = f"{slowest / times['median']:.1f}"
        rows.append((f"`{variant}`", _ms(times["median"]), speedup, *cells))
    title = (
        f"### {case['width']}x{case['height']}, {case['disparities']} disparities, "
        f"preset `{case['preset']}`"
    )
    header = ("Variant", "Frame", "Speed-up", *(stage.replace("_", " ") for stage in stages))
    return f"{title}\n\n{markdown(header, rows)}"


def _ms(value: Any) -> str:
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _soaked(runs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Say what soaks held; nothing where none was run."""
    if runs:
        yield "## Soak, the whole program offscreen in the hands of a random user"
    for result in runs:
        yield f"`{result['command']}`; what it counts and which growth it allows, its help says."
        yield "\n".join(["```", *soak.table(result), "```"])


def _compared(runs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Say what random comparisons found; nothing where none was run."""
    if runs:
        yield "## Random parity, every variant beside the reference"
    for result in runs:
        yield (
            f"`{result['command']}`: {result['cases']} cases in {result['seconds']:.0f} s, "
            f"{result['elements']} elements compared, {result['differing']} differ."
        )
        yield parity.variants_table(result)
        if result["findings"]:
            yield "\n".join(["```", *result["findings"], "```"])
