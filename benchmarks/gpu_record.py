"""Write the record of a GPU: tests, memory checks, timings, a soak and random parity.

Writes ``FOLDER/<gpu>.md`` and ``FOLDER/<gpu>.json``, such as those in ``docs/gpu``. The soak and
the random parity of this command are short. Long ones are separate commands, whose ``--json`` files
can be added to the record:

    python -m benchmarks soak --frames 100000 --json soak.json
    python -m benchmarks parity --cases 10000 --json parity.json
    python -m benchmarks gpu_record F --into F/<gpu>.json --soak soak.json --parity parity.json

With ``--into``, nothing is measured and no GPU is needed: the files are added to an existing
record. ``--only`` measures only some parts; with ``--into`` it replaces them in an existing record.
"""

import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree

from benchmarks import fast_sgm, parity, soak
from benchmarks.gpu_record_page import page
from benchmarks.growth import growths
from benchmarks.libsgm import times_of
from benchmarks.programs import offscreen
from benchmarks.runner import Count, say
from wheatstone.gpu.analysis.environment import describe, versions
from wheatstone.gpu.analysis.measurement import lap, time_frames, time_stages
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.doctor import examine
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
NO_SWEEPS = ("racecheck", "synccheck")  # tools that do not understand the flags of sweeps
# Width, height, disparities and preset; the first two have the size of the course's pair "bull".
CASES = (
    (433, 381, 32, "aveiro-2016"),
    (433, 381, 64, "aveiro-2016"),
    (640, 480, 64, "balanced"),
    (1024, 440, 128, "libsgm"),
    (1920, 1080, 128, "libsgm"),
)
PARALLEL = ("-n", "14", "--dist", "loadgroup", "-p", "no:cacheprovider", "--durations=20")
# A test that hangs prints its stack and is ended; its name is then in the output.
BOUNDED = ("--timeout", "200", "-o", "faulthandler_timeout=120")
PARTS = {"soak": soak, "parity": parity}
PRINTED = (
    "hierarchical",
    "rectify",
    "cloud",
    "footage",
    "panels",
)  # benchmarks whose output is copied to the record
NOT_MEASURED = {"good": True}  # stands for a benchmark that the record lacks
SLOW = 200.0  # ms; a variant that takes longer is timed over few frames
LONGEST = 4.0  # seconds after which no further frame is timed


def today() -> str:
    """Return today's date in UTC, as YYYY-MM-DD."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def measure_parts(wanted: Collection[str], libsgm: Path | None) -> dict[str, Any]:
    """Run the requested ``MEASURES``; return their results with date, machine and packages."""
    measures: Mapping[str, Callable[[], Any]] = {**MEASURES, "fast": partial(time_fast, libsgm)}
    return {
        "version": VERSION,
        "date": today(),
        "machine": {**describe(open_device("cuda")), "cpu": open_device("cpu").name},
        "python": platform.python_version(),
        "packages": versions(),
        "opengl": {f.name: f.description for f in examine() if f.name in ("render", "view")},
        **({"libsgm": "in the same run" if libsgm else "apart"} if "fast" in wanted else {}),
        **{name: measure() for name, measure in measures.items() if name in wanted},
    }


def run_part(part: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Run ``soak`` or ``parity`` in a new process; return its findings."""
    say(part)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "findings.json")
        command = [sys.executable, "-m", "benchmarks", part, *arguments, "--json", str(file)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            say(run.stdout[-3000:] + run.stderr[-3000:])
        return read_findings(file)


def read_findings(file: Path) -> dict[str, Any]:
    """Read the findings of a soak or a random parity, without the individual counts."""
    result: dict[str, Any] = json.loads(file.read_text())
    if counts := result.get("counts"):  # judged by the rules of this version
        at = [count["frame"] for count in counts]
        held = [{name: n for name, n in count.items() if name != "frame"} for count in counts]
        result["growth"] = [asdict(growth) for growth in growths(at, held)] or result["growth"]
    return {name: value for name, value in result.items() if name != "counts"}


def run_tests() -> dict[str, Any]:
    """Run the tests that need a GPU; return the counts of results and the reasons for skips.

    Tests that provoke faults of kernels run last: on some GPUs, OpenGL stalls in all processes
    after a fault in one of them.
    """
    say("tests")
    suites = [_run_suite("cuda and not faults"), _run_suite("cuda and faults")]
    names = ("tests", "failures", "errors", "skipped")
    counts = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in names}
    reasons = sorted({str(s.get("message")) for suite in suites for s in suite.iter("skipped")})
    seconds = sum(float(suite.get("time", 0)) for suite in suites)
    return {**counts, "seconds": seconds, "skip reasons": reasons}


def _run_suite(marker: str) -> ElementTree.Element:
    """Run the tests that a marker expression selects; return the report's ``testsuite`` element."""
    report = Path("gpu-record-tests.xml").resolve()
    command = [sys.executable, "-m", "pytest", "-q", "-m", marker, f"--junitxml={report}"]
    run = subprocess.run([*command, *PARALLEL, *BOUNDED], capture_output=True, text=True)
    say(run.stdout[-6000:])
    suite = next(ElementTree.parse(report).iter("testsuite"))
    report.unlink()
    return suite


def sanitize(tool: str) -> str:
    """Run a tool of ``compute-sanitizer`` over every kernel; return its summary, or the problem."""
    if not shutil.which("compute-sanitizer"):
        return "compute-sanitizer is not installed"
    say(tool)
    command = ["compute-sanitizer", "--tool", tool, sys.executable, "-m", "benchmarks"]
    command += ["sanitize"] + ["--no-leaned-sweeps"] * (tool in NO_SWEEPS)
    run = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in run.stdout.splitlines() if "SUMMARY" in line]
    if not lines or run.returncode:
        say(run.stdout[-3000:] + run.stderr[-3000:])
        return f"exit code {run.returncode}"
    return re.sub(r"^=+ ", "", lines[-1])


def sanitize_all() -> dict[str, str]:
    """Run all tools of ``compute-sanitizer``; return the summaries by tool.

    The tools run at the same time, because they mainly use the CPU.
    """
    with ThreadPoolExecutor(len(TOOLS)) as pool:
        return dict(zip(TOOLS, pool.map(sanitize, TOOLS), strict=True))


def time_case(width: int, height: int, disparities: int, preset: str) -> dict[str, Any]:
    """Return frame and stage times of every variant for a frame of the built-in scene."""
    params = SGM.preset(preset).changed(disparities=disparities)
    times = {}
    for variant in SGM.variants:
        say(f"{width}x{height}x{disparities} {preset} {variant.name}")
        execution = prepare(SGM, variant.name, params, height, width)
        execution.upload(**inputs(width, height))
        times[variant.name] = frame_times(execution)
    case = {"width": width, "height": height, "disparities": disparities, "preset": preset}
    return {**case, "paths": params.values()["paths"], "variants": times}


def time_fast(libsgm: Path | None = None) -> list[dict[str, Any]]:
    """Time variant ``fast``, and libSGM if a checkout is given; return a row for each size."""
    say("fast and libSGM")
    return [asdict(row) for row in fast_sgm.rows(200, times_of(libsgm, 200))]


@cache
def inputs(width: int, height: int) -> dict[str, Any]:
    """Return the grey views of a frame of the built-in scene, by name."""
    import cv2

    frame = open_source(SourceSpec(size=(width, height))).frame(0)
    assert frame.right is not None
    views = {"left": frame.left, "right": frame.right}
    return {name: cv2.cvtColor(view, cv2.COLOR_RGB2GRAY) for name, view in views.items()}


def frame_times(execution: Execution) -> dict[str, Any]:
    """Return the median, fastest and slowest frame and each stage's median, in milliseconds."""
    lap(execution)  # compiles
    milliseconds, _ = lap(execution)
    count = 3 if milliseconds > SLOW else 50
    # One frame is enough for a variant that takes minutes: no exact figure is needed there.
    frames, _ = time_frames(execution, count, seconds=LONGEST)
    stages = time_stages(execution, min(count - 2, 10), seconds=LONGEST)
    medians = {name: times.median for name, times in stages.items()}
    return {
        "median": frames.median,
        "min": frames.fastest,
        "max": frames.slowest,
        "stages": medians,
    }


def time_display() -> dict[str, Any]:
    """Run ``display_times`` in a new process; return its result, or the error."""
    script = "import json, benchmarks.gpu_record as r; print(json.dumps(r.display_times()))"
    say("display modes")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if run.returncode:
        say(run.stderr[-3000:])
        return {"error": run.stderr.strip().splitlines()[-1]}
    times: dict[str, Any] = json.loads(run.stdout)
    return times


def display_times(width: int = 1280, height: int = 720, frames: int = 200) -> dict[str, float]:
    """Return the milliseconds of computing, transferring and drawing a frame, by display mode.

    The pipeline has few disparities, so that transfer and drawing matter.
    """
    from contextlib import closing

    from wheatstone.viewer.choices.state import ViewerState
    from wheatstone.viewer.display.frames.session import Session
    from wheatstone.viewer.display.screen.display import Display
    from wheatstone.viewer.run.run import Run

    params = SGM.preset("aveiro-2016").changed(disparities=16)
    times = {}
    with offscreen(), closing(open_source(SourceSpec(size=(width, height)))) as source:
        for mode in ("interop", "copy"):
            state = ViewerState(Run(SGM, "shared", params), {}, paused=True)
            with (
                closing(Display()) as display,
                closing(Session(state, source, display, mode)) as session,
            ):
                for _ in range(10):
                    session.compute()
                    session.drawing.draw(width, height)
                display.read()
                start = time.perf_counter()
                for _ in range(frames):
                    session.compute()
                    session.drawing.draw(width, height)
                display.read()
                times[mode] = (time.perf_counter() - start) * 1e3 / frames
    return times


def run_benchmark(name: str) -> dict[str, Any]:
    """Run a benchmark in a new process; return its output and whether it passed."""
    say(name)
    command = [sys.executable, "-m", "benchmarks", name]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        say(run.stderr[-3000:])
    return {"good": run.returncode == 0, "printed": run.stdout.splitlines()}


MEASURES: Mapping[str, Callable[[], Any]] = {
    "tests": run_tests,
    "sanitizer": sanitize_all,
    "times": lambda: [time_case(*case) for case in CASES],
    "fast": time_fast,
    "display": time_display,
    **{name: partial(run_benchmark, name) for name in PRINTED},
}
"""The functions that measure the parts of a record, in order, except those of ``PARTS``."""
KNOWN = (*MEASURES, *PARTS)


def main(
    folder: Path,
    *,
    frames: Annotated[Count, "frames of the soak"] = 4000,
    cases: Annotated[Count, "cases of the random parity"] = 1000,
    soak: Annotated[tuple[Path, ...], "add the soaks in these files"] = (),
    parity: Annotated[tuple[Path, ...], "add the random parities in these files"] = (),
    into: Annotated[Path | None, "update this record instead of measuring a new one"] = None,
    only: Annotated[tuple[str, ...], KNOWN, "measure only these parts"] = (),
    libsgm: Annotated[Path | None, "checkout of libSGM to measure in the same run"] = None,
) -> bool:
    """Write the record of a GPU as JSON and Markdown; return whether nothing failed."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = only or (() if into else KNOWN)
    record = json.loads(into.read_text()) if into else {}
    if wanted:
        dates = {**record.get("dates", {}), **dict.fromkeys(wanted, today())}
        record |= {**measure_parts(wanted, libsgm), "dates": dates}
    stem = into.stem if into else open_device("cuda").name.lower().replace(" ", "-")
    for part, files, length in (
        ("soak", soak, ("--frames", str(frames))),
        ("parity", parity, ("--cases", str(cases))),
    ):
        if files:
            record[part] = [read_findings(file) for file in files]
        elif part in wanted:
            record[part] = [run_part(part, length)]
    (folder / f"{stem}.json").write_text(json.dumps(record, indent=1) + "\n")
    (folder / f"{stem}.md").write_text(page(record["machine"]["device"], record))
    return passed(record)


def passed(record: dict[str, Any]) -> bool:
    """Return whether nothing in a record failed."""
    tests = record.get("tests", {"failures": 0, "errors": 0})
    verdicts = record.get("sanitizer", {}).values()
    clean = all(re.search(r"\b0 errors|\b0 hazards", line) for line in verdicts)
    same = not any(row["differing"] for row in record.get("fast", ()))
    fine = not (tests["failures"] or tests["errors"]) and "error" not in record.get("display", ())
    for name, part in PARTS.items():
        fine = fine and all(part.passed(result) for result in record.get(name, ()))
    return (
        fine and clean and same and all(record.get(name, NOT_MEASURED)["good"] for name in PRINTED)
    )
