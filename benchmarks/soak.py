"""Run the whole program offscreen for long, and check that its resources do not grow.

First, random configurations are computed and every view and panel is shown, so that everything that
is compiled or loaded once is in memory; caches are made so small that they are soon full. Then
a random user presses keys, clicks, opens files and scenes and resizes the window, determined by the
seed. At regular intervals the program returns to a small still image and all defaults, and the
resources of the process are counted. Over the second half of these counts, the slope (Theil-Sen:
the median over all pairs of counts) must be zero for countable resources and close to zero for
memory; `benchmarks/growth.py` defines the limits. The exit code is 1 if a resource grows or if an
exception ended a frame. On a CPU, which also draws the pictures, a few thousand frames take
minutes. Code that is compiled late in the run counts as growth: where the cache of compiled code is
empty, judge a second run.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Annotated, Any

from pytest import MonkeyPatch

from benchmarks.growth import growths, rows
from benchmarks.programs import offscreen
from benchmarks.runner import Count, Findings, say
from benchmarks.soak_files import write_files, write_home
from wheatstone.gpu.device import give_back_memory
from wheatstone.viewer.run.parity.cases import case_of
from wheatstone.viewer.run.parity.checking import outcomes_of

SAMPLES = 100  # approximate number of counts in a run
SELDOM = 50  # frames between two counts, at least
WARMING = 300  # configurations before the first frame


def main(
    *,
    frames: Count = 10000,
    seconds: Annotated[float, "stop after this time"] = float("inf"),
    seed: int = 0,
) -> Findings:
    """Run a soak; fail if a resource grows or an exception ended a frame."""
    findings = soak(frames, seed, seconds)
    return Findings(findings, table(findings), passed(findings))


def soak(frames: int, seed: int, seconds: float = float("inf")) -> dict[str, Any]:
    """Run the program for a number of frames; return the record of counts and exceptions."""
    every = max(frames // SAMPLES, SELDOM)
    warm_up(seed)
    begun = time.monotonic()
    with own_folders() as folder, offscreen():
        from benchmarks.soak_program import Soak

        drops, home = write_files(folder), write_home(folder)
        with closing(Soak(Random(seed), drops, home, every, seconds / SAMPLES)) as run:
            try:
                run.visit()
                while run.frames < frames and time.monotonic() - begun < seconds:
                    run.step()
                    if run.frames % 500 == 0:
                        say(f"{run.frames} frames, {time.monotonic() - begun:.0f} s")
            except KeyboardInterrupt:
                say("interrupted; the findings so far:")
            took = time.monotonic() - begun
            return {
                "command": f"python -m benchmarks soak --frames {frames} --seed {seed}",
                "frames": run.frames,
                "seconds": round(took, 1),
                "counted": len(run.counts),
                "growth": [asdict(growth) for growth in growths(run.at, run.counts)],
                "causes": dict(run.causes),
                "traces": run.traces,
                "counts": [{"frame": at, **c} for at, c in zip(run.at, run.counts, strict=True)],
            }


def warm_up(seed: int) -> None:
    """Compute random configurations, so that everything used once is loaded and compiled."""
    say(f"warming up: {WARMING} random configurations")
    for number in range(WARMING):
        outcomes_of(case_of(number, seed))
    give_back_memory()


@contextmanager
def own_folders() -> Iterator[Path]:
    """Use new folders for settings, screenshots and temporary files of this process."""
    with tempfile.TemporaryDirectory(prefix="soak-") as name, MonkeyPatch.context() as patches:
        folder = Path(name)
        for part in ("settings", "temporary", "shots"):
            (folder / part).mkdir()
        patches.setenv("XDG_CONFIG_HOME", f"{name}/settings")
        patches.setenv("TMPDIR", f"{name}/temporary")
        patches.setattr(tempfile, "tempdir", f"{name}/temporary")
        patches.chdir(folder / "shots")
        yield folder


def passed(findings: dict[str, Any]) -> bool:
    """Return whether nothing grew and no exception was raised; too few counts also pass."""
    return not findings["causes"] and all(growth["flat"] for growth in findings["growth"])


def table(findings: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the report: one for each resource, and one for each exception."""
    yield (
        f"{findings['command']}: {findings['frames']} frames in {findings['seconds']:.0f} s, "
        f"counted {findings['counted']} times; of the second half:"
    )
    yield from rows(findings["growth"])
    if not findings["growth"]:
        yield "too few counts to tell whether anything grows"
    for cause, times in findings["causes"].items():
        yield f"{times} x {cause}"
