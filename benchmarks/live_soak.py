"""Show a live source for minutes, offscreen, and check that the frames shown stay recent.

The whole program runs on a test source of FFmpeg, with both views side by side, at 60 fps. The age
of a frame is the time since its capture. It is recorded when the program takes the frame from the
reader, and when the frame is drawn, which adds the time of computing and drawing. Printed are
percentiles of the ages, the counters, and the resources of the process, whose growth is judged as
in `soak`. The exit code is 1 if a resource grows, if frames are not accounted for, or if frames
were older in the last quarter of the time than in the first when the program took them, which means
that frames queue up somewhere.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from benchmarks.growth import growths, rows
from benchmarks.programs import offscreen, open_program
from benchmarks.runner import Findings
from benchmarks.soak import own_folders
from wheatstone.viewer.display.frames.facts import facts_of

if TYPE_CHECKING:  # whose import needs OpenGL to be bound
    from wheatstone.viewer.window.app import App

SOURCE = (
    "lavfi:testsrc2=size=672x480:rate=60,split[a][b];[a]crop=640:480:16:0[l];"
    "[b]crop=640:480:32:0[r];[l][r]hstack"
)
WINDOW = (960, 600)
COUNTS = 60  # counts of the resources of the process
PAUSE = 0.002  # seconds of sleep in a pass without a new frame, in place of a screen's refresh
PERCENTILES = (50, 90, 99, 100)
GROWN = 0.25  # seconds by which the median age may grow, as it does on a busy machine


def main(
    *,
    minutes: float = 10.0,
    pipeline: str = "sgm",
    source: Annotated[str, "address of a live source"] = SOURCE,
) -> Findings:
    """Run the program on a live source; fail if ages or resources grow."""
    words = ["view", pipeline, source, "--layout", "side-by-side", "--fresh"]
    with own_folders(), offscreen(), ExitStack() as stack:
        from wheatstone.viewer.cli.cli import parse
        from wheatstone.viewer.cli.start import open_view

        state, opened = open_view(parse(words))
        state.open_panels.add("stages")
        app, _ = open_program(stack, WINDOW, state, opened)
        record = _observe(app, minutes * 60) | {"pipeline": pipeline, "source": source}
    return Findings(record, table(record), passed(record))


def _observe(app: "App", seconds: float) -> dict[str, Any]:
    """Run the program for some seconds; record the ages of its frames, and its resources."""
    from benchmarks.resources import GlCount, resources
    from wheatstone.viewer.io.footage.feed import Feed

    live = app.session.source.live
    assert isinstance(live, Feed)
    taken, drawn = list[float](), list[float]()
    at, counts, gl = list[int](), list[dict[str, float]](), GlCount()
    begun, shown, counted = time.monotonic(), 0, 0.0
    while (now := time.monotonic() - begun) < seconds:
        app.step()
        counters = live.counters
        if counters.shown == shown:
            time.sleep(PAUSE)
        elif counters.age is not None:
            shown = counters.shown
            taken.append(live.age_taken)
            drawn.append(counters.age)
        if now - counted > seconds / COUNTS:
            counted = now
            at.append(counters.received)
            counts.append(resources(gl))
    return {
        "seconds": round(time.monotonic() - begun, 1),
        "taken": _by_quarter(taken),
        "drawn": _by_quarter(drawn),
        "counters": asdict(live.counters),
        "compute_ms": facts_of(app.session).milliseconds,
        "alarm": live.alarm,
        "growth": [asdict(growth) for growth in growths(at, counts)],
    }


def _by_quarter(ages: Sequence[float]) -> dict[str, list[float]]:
    """Compute ``PERCENTILES`` of ages, in seconds, in each quarter of the time."""
    ends = [len(ages) * n // 4 for n in range(5)]
    quarters = zip(("first", "second", "third", "last"), ends, ends[1:], strict=False)
    return {
        name: [float(age) for age in np.percentile(ages[begin:end] or [0.0], PERCENTILES)]
        for name, begin, end in quarters
    }


def passed(findings: dict[str, Any]) -> bool:
    """Return whether ages do not grow, all frames are accounted for, and no resource grows."""
    return (
        stays_new(findings) and accounted(findings) and all(g["flat"] for g in findings["growth"])
    )


def stays_new(findings: dict[str, Any]) -> bool:
    """Return whether frames are as recent at the end as in the beginning."""
    first, last = (findings["taken"][quarter][0] for quarter in ("first", "last"))
    return bool(last <= first + GROWN) and not findings["alarm"]


def accounted(findings: dict[str, Any]) -> bool:
    """Return whether all received frames were replaced or shown, except up to 3 in progress."""
    counters = findings["counters"]
    remaining = counters["received"] - counters["replaced"] - counters["shown"]
    return bool(0 <= remaining <= 3)


def table(findings: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the report: counters, ages, and a line per resource."""
    counters = findings["counters"]
    names = ("received", "lost", "damaged", "replaced", "shown")
    yield f"{findings['seconds']:.0f} s of {findings['pipeline']} on {findings['source']}"
    yield "  ".join(f"{name} {counters[name]}" for name in names)
    took = findings["compute_ms"]
    yield f"frames come at {counters['rate']:.2f} fps; computed in {took or 0:.2f} ms"
    yield f"{'age in ms':<18}" + "".join(f"{f'p{p}':>10}" for p in PERCENTILES)
    for when in ("taken", "drawn"):
        for quarter, ages in findings[when].items():
            row = "".join(f"{age * 1e3:>10.1f}" for age in ages)
            yield f"  {when}, {quarter:<9}{row}"
    yield from rows(findings["growth"])
    yield "age does not grow" if stays_new(findings) else f"AGE GROWS {findings['alarm']}"
    yield "all frames accounted for" if accounted(findings) else "FRAMES ARE NOT ACCOUNTED FOR"
