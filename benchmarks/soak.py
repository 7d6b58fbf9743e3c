"""Run the whole program offscreen for long, and prove that it does not grow.

First random configurations are computed, and every view and panel is shown, so that what is
compiled or loaded once is there; caches are made so small that they are full soon. Then a user
without purpose presses random keys, clicks, opens files and scenes, resizes the window, all by
seed. Every so many frames the window is brought home, to a small still and every default, and what
the process holds is counted. Over the second half of these counts the slope (Theil and Sen's: the
median of all pairs') must be none for what is counted in pieces, and next to none for memory:
`benchmarks/growth.py` says how little. The exit code is 1 if something grows or an exception ended
a frame. On a CPU, which draws the pictures too, a few thousand frames take minutes.
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

SAMPLES = 100  # counts of a run, and not more often than
SELDOM = 50  # frames
WARMING = 300  # configurations before the first frame


def main(
    *,
    frames: Count = 10000,
    seconds: Annotated[float, "stop after so many"] = float("inf"),
    seed: int = 0,
) -> Findings:
    """Soak; it fails if something grows or an exception ended a frame."""
    findings = soak(frames, seed, seconds)
    return Findings(findings, table(findings), passed(findings))


def soak(frames: int, seed: int, seconds: float = float("inf")) -> dict[str, Any]:
    """Run the program for so many frames; say what it held, and what went wrong."""
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
                say("interrupted; what was found so far:")
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
    """Compute random configurations, so that what is loaded or compiled once is there already."""
    say(f"warming up: {WARMING} random configurations")
    for number in range(WARMING):
        outcomes_of(case_of(number, seed))
    give_back_memory()


@contextmanager
def own_folders() -> Iterator[Path]:
    """Let settings, screenshots and temporary files of this process go to folders of its own."""
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
    """Tell whether nothing grew and nothing went wrong; too few counts tell nothing."""
    return not findings["causes"] and all(growth["flat"] for growth in findings["growth"])


def table(findings: dict[str, Any]) -> Iterator[str]:
    """Say what was found: a line for all that was counted, and one for every cause."""
    yield (
        f"{findings['command']}: {findings['frames']} frames in {findings['seconds']:.0f} s, "
        f"counted {findings['counted']} times; of the second half:"
    )
    yield from rows(findings["growth"])
    if not findings["growth"]:
        yield "too few counts to tell whether anything grows"
    for cause, times in findings["causes"].items():
        yield f"{times} x {cause}"
