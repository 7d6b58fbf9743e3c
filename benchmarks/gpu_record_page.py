"""The page of a GPU record, in Markdown."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks import fast_sgm, parity, soak
from wheatstone.viewer.io.files.markdown import markdown


def page(name: str, record: dict[str, Any]) -> str:
    """Write the record as Markdown."""
    tests = record["tests"]
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
        "## Tests",
        f"{tests['tests']} tests: {tests['failures']} failed, {tests['errors']} errors, "
        f"{tests['skipped']} skipped, in {tests['seconds']:.0f} s.",
        *(f"- skipped: {reason}" for reason in tests["skip reasons"]),
        "## compute-sanitizer, every kernel at a small odd size",
        markdown(("Tool", "Verdict"), record["sanitizer"].items()),
        "## Milliseconds a frame",
        "Median compute time on the built-in scene: CUDA events on the GPU, wall clock on the CPU; "
        "without upload and display. A peer is a program from outside.",
        *(case_table(case) for case in record["times"]),
        "## Variant `fast` beside libSGM",
        "Preset `libsgm`, textured pair: median milliseconds of 200 frames by CUDA events, then "
        "by how much each stage makes frames back to back longer. libSGM v3.1.0 was measured "
        f"{LIBSGM_RUN[record.get('libsgm', 'apart')]}, with the same settings. Differ: pixels "
        "unlike variant `shared`.",
        fast_sgm.table(record["fast"]),
        "## Milliseconds a displayed frame, 1280x720, offscreen",
        "Compute (`shared`, 16 disparities), transfer and drawing, queued without waiting.",
        markdown(("Display mode", "ms"), [(k, _ms(v)) for k, v in record["display"].items()]),
        *_printed(record),
        *_soaked(record.get("soak", ())),
        *_compared(record.get("parity", ())),
    ]
    return "\n\n".join(parts) + "\n"


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
