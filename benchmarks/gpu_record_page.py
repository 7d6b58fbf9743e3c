"""The Markdown page of a GPU record, written from its JSON file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks import fast_sgm, parity, soak
from wheatstone.viewer.io.files.markdown import markdown


def page(name: str, record: dict[str, Any]) -> str:
    """Return the record of a GPU as a Markdown page, with the name of the GPU as its title."""
    facts = {
        **record["machine"],
        "Python": record["python"],
        **record["packages"],
        **record["opengl"],
    }
    parts = [
        f"# {name}",
        f"Wheatstone {record['version']}, {record['date']}: `python -m benchmarks gpu_record`.",
        *_older_dates(record),
        markdown(("Property", "Value"), facts.items()),
        *(text for part, write in PARTS.items() if part in record for text in write(record)),
        *_benchmarks(record),
        *_soaks(record.get("soak", ())),
        *_parities(record.get("parity", ())),
    ]
    return "\n\n".join(parts) + "\n"


def _tests(record: dict[str, Any]) -> Iterator[str]:
    tests = record["tests"]
    yield "## Tests"
    yield (
        f"{tests['tests']} tests: {tests['failures']} failed, {tests['errors']} errors, "
        f"{tests['skipped']} skipped, in {tests['seconds']:.0f} s."
    )
    yield from (f"- skipped: {reason}" for reason in tests["skip reasons"])


def _sanitizer(record: dict[str, Any]) -> Iterator[str]:
    yield "## compute-sanitizer: every kernel at a small odd size"
    yield markdown(("Tool", "Verdict"), record["sanitizer"].items())


def _times(record: dict[str, Any]) -> Iterator[str]:
    yield "## Milliseconds per frame"
    yield (
        "Median compute time on the built-in scene, without upload and display, by CUDA events on "
        "the GPU and by the wall clock on the CPU. A peer is an external program."
    )
    yield from map(case_table, record["times"])


def _libsgm(record: dict[str, Any]) -> Iterator[str]:
    yield "## Variant `fast` compared with libSGM"
    yield (
        "Preset `libsgm` on a textured pair: median milliseconds of 200 frames by CUDA events, and "
        "the milliseconds that each stage adds to consecutive frames. libSGM v3.1.0 was measured "
        f"{LIBSGM_RUN[record.get('libsgm', 'apart')]}, with the same settings. *Differ* is the "
        "number of pixels that differ from variant `shared`."
    )
    yield fast_sgm.table(record["fast"])


def _display(record: dict[str, Any]) -> Iterator[str]:
    yield "## Milliseconds per displayed frame: 1280x720, offscreen"
    yield (
        "Computing (`shared`, 16 disparities), transfer and drawing. Frames are queued without "
        "waiting."
    )
    yield markdown(("Display mode", "ms"), [(k, _ms(v)) for k, v in record["display"].items()])


PARTS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "tests": _tests,
    "sanitizer": _sanitizer,
    "times": _times,
    "fast": _libsgm,
    "display": _display,
}
"""The parts of a record with a section of their own, in the order of the page."""


def _older_dates(record: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each other day on which parts were measured."""
    days: dict[str, list[str]] = {}
    for part, day in record.get("dates", {}).items():
        days.setdefault(day, []).append(part)
    for day, parts in sorted(days.items()):
        if day != record["date"]:
            yield f"Measured on {day}: {', '.join(parts)}."


LIBSGM_RUN = {"apart": "separately, on an H200", "in the same run": "in the same run"}
PRINTED = {
    "hierarchical": (
        "Hierarchical search of variant `fast`",
        "preset `fast`, boxes in front of a ground plane: milliseconds of a frame and of three "
        "stages.",
    ),
    "rectify": (
        "Rectification",
        "a pair in colour, rectified to grey levels only and to grey levels and colours, compared "
        "with a plain copy of the same bytes.",
    ),
    "cloud": (
        "Point clouds and meshes, offscreen",
        "all points of an image, until the picture is complete.",
    ),
    "footage": (
        "Videos, decoded and matched",
        "two views of 1920x1080 side by side, decoded by NVDEC or the CPU, then matched by `sgm` "
        "with 128 disparities.",
    ),
    "panels": (
        "CPU milliseconds of the panels, offscreen",
        "the time of the panels and Dear ImGui, and that of the whole frame on the display's "
        "thread.",
    ),
}
"""The title and a description of each benchmark whose output is shown unchanged."""


def _benchmarks(record: dict[str, Any]) -> Iterator[str]:
    for name, (title, help) in PRINTED.items():
        if output := record.get(name):
            yield f"## {title}"
            yield f"`python -m benchmarks {name}`: {help}"
            yield "\n".join(["```", *output["printed"], "```"])


def case_table(case: dict[str, Any]) -> str:
    """Return the times of one size as a table, with a row per variant and a column per stage."""
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


def _soaks(runs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the section on soaks; nothing if the record has none."""
    if runs:
        yield "## Soak: the whole program offscreen, operated by a random user"
    for result in runs:
        yield (
            f"`{result['command']}`. The help of this command explains the counts and how much "
            "they may grow."
        )
        yield "\n".join(["```", *soak.table(result), "```"])


def _parities(runs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the section on random parity; nothing if the record has none."""
    if runs:
        yield "## Random parity: every variant compared with the reference"
    for result in runs:
        yield (
            f"`{result['command']}`: {result['cases']} cases in {result['seconds']:.0f} s, "
            f"{result['elements']} elements compared, {result['differing']} differ."
        )
        yield parity.variants_table(result)
        if result["findings"]:
            yield "\n".join(["```", *result["findings"], "```"])
