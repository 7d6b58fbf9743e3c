"""Write the record of a run on a real GPU: tests, memory checks, timings, a soak, random parity.

Writes ``FOLDER/<gpu>.md`` and ``FOLDER/<gpu>.json``, as they are under ``docs/gpu``. Its own soak
and random parity are short; long ones are commands of their own, whose ``--json`` files it takes
in:

    python -m benchmarks soak --frames 100000 --json soak.json
    python -m benchmarks parity --cases 10000 --json parity.json
    python -m benchmarks gpu_record F --into F/<gpu>.json --soak soak.json --parity parity.json

With ``--into`` nothing is measured, which needs no GPU: the record that is there takes them in.
``--only`` measures some parts alone, also anew into a record that is there.
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
NO_SWEEPS = ("racecheck", "synccheck")  # which do not follow their flags
CASES = (  # width, height, disparities, preset; the first two are the course's bull pair's size
    (433, 381, 32, "aveiro-2016"),
    (433, 381, 64, "aveiro-2016"),
    (640, 480, 64, "balanced"),
    (1024, 440, 128, "libsgm"),
    (1920, 1080, 128, "libsgm"),
)
PARALLEL = ("-n", "14", "--dist", "loadgroup", "-p", "no:cacheprovider", "--durations=20")
# What hangs says where, and ends; its name is in the output then.
BOUNDED = ("--timeout", "200", "-o", "faulthandler_timeout=120")
PARTS = {"soak": soak, "parity": parity}
PRINTED = (
    "hierarchical",
    "rectify",
    "cloud",
    "footage",
    "panels",
)  # benchmarks whose output is taken in as it is
NOT_MEASURED = {"good": True}  # of a record without the benchmark
SLOW = 200.0  # ms; a variant that takes longer is timed over few frames
LONGEST = 4.0  # seconds; no frame begins to be timed after this


def today() -> str:
    """Write today's date."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def measured(wanted: Collection[str], libsgm: Path | None) -> dict[str, Any]:
    """Say where and when this is measured, and run those of ``MEASURES`` that are wanted."""
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
    """Run ``soak`` or ``parity`` in a process of its own."""
    say(part)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "found.json")
        command = [sys.executable, "-m", "benchmarks", part, *arguments, "--json", str(file)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            say(run.stdout[-3000:] + run.stderr[-3000:])
        return taken_in(file)


def taken_in(file: Path) -> dict[str, Any]:
    """Read what a soak or a random parity found, without the single counts."""
    result: dict[str, Any] = json.loads(file.read_text())
    if counts := result.get("counts"):  # judged as this version does
        at = [count["frame"] for count in counts]
        held = [{name: n for name, n in count.items() if name != "frame"} for count in counts]
        result["growth"] = [asdict(growth) for growth in growths(at, held)] or result["growth"]
    return {name: value for name, value in result.items() if name != "counts"}


def run_tests() -> dict[str, Any]:
    """Run the tests that need a GPU; count the results, and collect the reasons for skipped tests.

    Tests in which kernels fault come last: on some GPUs OpenGL stalls in all processes after a
    fault in one of them.
    """
    say("tests")
    suites = [_run_suite("cuda and not faults"), _run_suite("cuda and faults")]
    names = ("tests", "failures", "errors", "skipped")
    counts = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in names}
    reasons = sorted({str(s.get("message")) for suite in suites for s in suite.iter("skipped")})
    seconds = sum(float(suite.get("time", 0)) for suite in suites)
    return {**counts, "seconds": seconds, "skip reasons": reasons}


def _run_suite(marker: str) -> ElementTree.Element:
    """Run the tests with a marker; return the element of the report that counts them."""
    report = Path("gpu-record-tests.xml").resolve()
    command = [sys.executable, "-m", "pytest", "-q", "-m", marker, f"--junitxml={report}"]
    run = subprocess.run([*command, *PARALLEL, *BOUNDED], capture_output=True, text=True)
    say(run.stdout[-6000:])
    suite = next(ElementTree.parse(report).iter("testsuite"))
    report.unlink()
    return suite


def sanitize(tool: str) -> str:
    """Run a ``compute-sanitizer`` tool over every kernel; return its last line."""
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
    """Run all tools at once: most of their time is the host's."""
    with ThreadPoolExecutor(len(TOOLS)) as pool:
        return dict(zip(TOOLS, pool.map(sanitize, TOOLS), strict=True))


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


def time_fast(libsgm: Path | None = None) -> list[dict[str, Any]]:
    """Time variant `fast`, and libSGM if there is a checkout of it."""
    say("fast and libSGM")
    return [asdict(row) for row in fast_sgm.rows(200, times_of(libsgm, 200))]


@cache
def inputs(width: int, height: int) -> dict[str, Any]:
    """Render a grey frame of the built-in scene."""
    import cv2

    frame = open_source(SourceSpec(size=(width, height))).frame(0)
    assert frame.right is not None
    views = {"left": frame.left, "right": frame.right}
    return {name: cv2.cvtColor(view, cv2.COLOR_RGB2GRAY) for name, view in views.items()}


def frame_times(execution: Execution) -> dict[str, Any]:
    """Milliseconds: median, fastest and slowest frame, and the median of every stage."""
    lap(execution)  # compiles
    milliseconds, _ = lap(execution)
    count = 3 if milliseconds > SLOW else 50
    # Of what takes minutes a frame is enough: nobody waits for it, and it is no figure to beat.
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
    """Wall time of a whole offscreen frame by display mode: compute, transfer, draw."""
    script = "import json, benchmarks.gpu_record as r; print(json.dumps(r.display_times()))"
    say("display modes")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if run.returncode:
        say(run.stderr[-3000:])
        return {"error": run.stderr.strip().splitlines()[-1]}
    times: dict[str, Any] = json.loads(run.stdout)
    return times


def display_times(width: int = 1280, height: int = 720, frames: int = 200) -> dict[str, float]:
    """Milliseconds a frame with the smallest variant work, by display mode."""
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


def printed(name: str) -> dict[str, Any]:
    """Collect what a benchmark prints, and whether it finds that good enough."""
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
    **{name: partial(printed, name) for name in PRINTED},
}
"""The parts of a record that no other command writes, in their order."""
KNOWN = (*MEASURES, *PARTS)


def main(
    folder: Path,
    *,
    frames: Annotated[Count, "of the soak"] = 4000,
    cases: Annotated[Count, "of the random parity"] = 1000,
    soak: Annotated[tuple[Path, ...], "take in soaks from these files"] = (),
    parity: Annotated[tuple[Path, ...], "take in random parities from these files"] = (),
    into: Annotated[Path | None, "change this record instead of measuring anew"] = None,
    only: Annotated[tuple[str, ...], KNOWN, "measure these parts alone"] = (),
    libsgm: Annotated[Path | None, "checkout of libSGM to measure in the same run"] = None,
) -> bool:
    """Write the record; return whether nothing failed."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = only or (() if into else KNOWN)
    record = json.loads(into.read_text()) if into else {}
    if wanted:
        dates = {**record.get("dates", {}), **dict.fromkeys(wanted, today())}
        record |= {**measured(wanted, libsgm), "dates": dates}
    stem = into.stem if into else open_device("cuda").name.lower().replace(" ", "-")
    for part, files, length in (
        ("soak", soak, ("--frames", str(frames))),
        ("parity", parity, ("--cases", str(cases))),
    ):
        if files:
            record[part] = [taken_in(file) for file in files]
        elif part in wanted:
            record[part] = [run_part(part, length)]
    (folder / f"{stem}.json").write_text(json.dumps(record, indent=1) + "\n")
    (folder / f"{stem}.md").write_text(page(record["machine"]["device"], record))
    return passed(record)


def passed(record: dict[str, Any]) -> bool:
    """Whether nothing in a record failed."""
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
