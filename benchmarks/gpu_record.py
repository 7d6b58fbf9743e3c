"""The record of a run on a real GPU: tests, memory checks, timings.

    python -m benchmarks.gpu_record OUT

writes ``OUT/<gpu>.md`` and ``OUT/<gpu>.json``; committed under ``docs/gpu``.
"""

import json
import platform
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from benchmarks import fast_sgm
from gpu.analysis.environment import describe, versions
from gpu.analysis.measurement import lap, time_frames, time_stages
from gpu.device import open_device
from gpu.execution import Execution, prepare
from gpu.pipelines.sgm import SGM
from viewer import VERSION
from viewer.commands.doctor import examine
from viewer.files.markdown import markdown
from viewer.sources.opening import open_source

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
CASES = (  # width, height, disparities, preset; the first two are the course's bull pair's size
    (433, 381, 32, "aveiro-2016"),
    (433, 381, 64, "aveiro-2016"),
    (640, 480, 64, "balanced"),
    (1024, 440, 128, "libsgm"),
    (1920, 1080, 128, "libsgm"),
)
PARALLEL = ("-n", "14", "--dist", "loadgroup", "-p", "no:cacheprovider", "--durations=20")
SLOW = 200.0  # ms; a variant that takes longer is timed over few frames


def main() -> int:
    """Run everything and write the record; 0 when nothing failed."""
    folder = Path(sys.argv[1])
    device = open_device("cuda")
    record = {
        "version": VERSION,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": {**describe(device), "cpu": open_device("cpu").name},
        "python": platform.python_version(),
        "packages": versions(),
        "opengl": {f.name: f.found for f in examine() if f.name in ("render", "view")},
        "tests": run_tests(),
        "sanitizer": {tool: sanitize(tool) for tool in TOOLS},
        "times": [time_case(*case) for case in CASES],
        "fast": time_fast(),
        "display": time_display(),
        "panels": time_panels(),
    }
    stem = device.name.lower().replace(" ", "-")
    (folder / f"{stem}.json").write_text(json.dumps(record, indent=1) + "\n")
    (folder / f"{stem}.md").write_text(page(device.name, record))
    return 0 if passed(record) else 1


def say(text: str) -> None:
    """Progress, on standard error."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def run_tests() -> dict[str, Any]:
    """Run the whole test suite; count, and collect the reasons of what was skipped."""
    say("tests")
    report = Path("gpu-record-tests.xml").resolve()
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *PARALLEL]
    run = subprocess.run(command, capture_output=True, text=True)
    say(run.stdout[-6000:])
    suite = next(ElementTree.parse(report).iter("testsuite"))
    report.unlink()
    counts = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
    reasons = sorted({str(s.get("message")) for s in suite.iter("skipped")})
    return {**counts, "seconds": float(suite.get("time", 0)), "skip reasons": reasons}


def sanitize(tool: str) -> str:
    """Run a ``compute-sanitizer`` tool over every kernel; return its last line."""
    if not shutil.which("compute-sanitizer"):
        return "compute-sanitizer is not installed"
    say(tool)
    command = ["compute-sanitizer", "--tool", tool, sys.executable, "-m", "benchmarks.sanitize"]
    run = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in run.stdout.splitlines() if "SUMMARY" in line]
    if not lines or run.returncode:
        say(run.stdout[-3000:] + run.stderr[-3000:])
        return f"exit code {run.returncode}"
    return re.sub(r"^=+ ", "", lines[-1])


def time_case(width: int, height: int, disparities: int, preset: str) -> dict[str, Any]:
    """Frame and stage times of every variant on one frame of the built-in scene."""
    params = SGM.preset(preset).changed(disparities=disparities)
    times = {}
    for variant in SGM.variants:
        say(f"{width}x{height}x{disparities} {preset} {variant.name}")
        execution = prepare(SGM, variant.name, params, height, width)
        execution.upload(**inputs(width, height))
        times[variant.name] = frame_times(execution)
    case = {"width": width, "height": height, "disparities": disparities, "preset": preset}
    return {**case, "paths": params.values()["paths"], "variants": times}


def time_fast() -> list[dict[str, Any]]:
    """Variant `fast` beside libSGM's times."""
    say("fast beside libSGM")
    return [asdict(row) for row in fast_sgm.rows(frames=200)]


@cache
def inputs(width: int, height: int) -> dict[str, Any]:
    """Render a grey frame of the built-in scene."""
    import cv2

    frame = open_source(None, size=(width, height)).frame(0)
    assert frame.right is not None
    views = {"left": frame.left, "right": frame.right}
    return {name: cv2.cvtColor(view, cv2.COLOR_RGB2GRAY) for name, view in views.items()}


def frame_times(execution: Execution) -> dict[str, Any]:
    """Milliseconds: median, fastest and slowest frame, and the median of every stage."""
    lap(execution)  # compiles
    milliseconds, _ = lap(execution)
    count = 3 if milliseconds > SLOW else 50
    frames, _ = time_frames(execution, count)
    stages = time_stages(execution, min(count - 2, 10))
    medians = {name: times.median for name, times in stages.items()}
    return {
        "median": frames.median,
        "min": frames.fastest,
        "max": frames.slowest,
        "stages": medians,
    }


def time_display() -> dict[str, Any]:
    """Wall time of a whole offscreen frame by display mode: compute, transfer, draw."""
    script = "import json, benchmarks.gpu_record as r; print(json.dumps(r.display_times()))"
    say("display modes")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if run.returncode:
        say(run.stderr[-3000:])
        return {"error": run.stderr.strip().splitlines()[-1]}
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def display_times(width: int = 1280, height: int = 720, frames: int = 200) -> dict[str, float]:
    """Milliseconds a frame with the smallest variant work, by display mode."""
    from contextlib import closing

    from viewer.choices.slot import Slot
    from viewer.choices.state import ViewerState
    from viewer.frames.session import Session
    from viewer.screen.display import Display
    from viewer.screen.offscreen import OffscreenContext

    params = SGM.preset("aveiro-2016").changed(disparities=16)
    found = {}
    with OffscreenContext(0), closing(open_source(None, size=(width, height))) as source:
        for mode in ("interop", "copy"):
            state = ViewerState(Slot(SGM, "shared", params), {}, paused=True)
            with (
                closing(Display()) as display,
                closing(Session(state, source, display, mode)) as session,
            ):
                for _ in range(10):
                    session.compute()
                    session.draw(width, height)
                display.read()
                start = time.perf_counter()
                for _ in range(frames):
                    session.compute()
                    session.draw(width, height)
                display.read()
                found[mode] = (time.perf_counter() - start) * 1e3 / frames
    return found


def time_panels() -> dict[str, Any]:
    """Collect what ``benchmarks.panels`` prints, and whether it finds that little enough."""
    say("panels")
    command = [sys.executable, "-m", "benchmarks.panels"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        say(run.stderr[-3000:])
    return {"cheap": run.returncode == 0, "printed": run.stdout.splitlines()}


def passed(record: dict[str, Any]) -> bool:
    """Whether nothing in a record failed."""
    tests = record["tests"]
    clean = all(re.search(r"\b0 errors|\b0 hazards", line) for line in record["sanitizer"].values())
    same = not any(row["differing"] for row in record["fast"])
    fine = not (tests["failures"] or tests["errors"]) and "error" not in record["display"]
    return fine and clean and same and bool(record["panels"]["cheap"])


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
        f"Wheatstone {record['version']}, {record['date']}: `python -m benchmarks.gpu_record`.",
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
        "of the stages, in frames of their own. libSGM v3.1.0 was measured apart, on an H200, with "
        "the same settings. Differ: pixels unlike variant `shared`.",
        fast_sgm.table(record["fast"]),
        "## Milliseconds a displayed frame, 1280x720, offscreen",
        "Compute (`shared`, 16 disparities), transfer and drawing, queued without waiting.",
        markdown(("Display mode", "ms"), [(k, _ms(v)) for k, v in record["display"].items()]),
        "## CPU milliseconds of the panels, offscreen",
        "`python -m benchmarks.panels`: what panels and Dear ImGui take, and all that the "
        "display's thread does for a frame.",
        "\n".join(["```", *record["panels"]["printed"], "```"]),
    ]
    return "\n\n".join(parts) + "\n"


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


if __name__ == "__main__":
    raise SystemExit(main())
