"""Run the whole program offscreen for long, and prove that it does not grow.

    python -m benchmarks.soak --frames 10000 [--seed S] [--seconds T] [--json FILE]

First random configurations are computed, so that what is compiled or loaded once is there. Then a
user without purpose presses random keys, clicks, opens files and scenes, resizes the window, all by
seed. Every so many frames the window is brought home, to a small still and every default, and what
the process holds is counted. Over the second half of these counts the slope (Theil and Sen's: the
median of all pairs') must be none for what is counted in pieces, and next to none for memory:
`benchmarks.growth` says how little. The exit code is 1 if something grows or an exception ended a
frame. On a CPU, which draws the pictures too, a few thousand frames take minutes.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.growth import growths, rows
from benchmarks.soak_files import write_files, write_home
from wheatstone.gpu.device import give_back_memory, gpu_number
from wheatstone.viewer.parity.cases import case_of
from wheatstone.viewer.parity.checking import outcomes_of

SAMPLES = 100  # counts of a run, and not more often than
SELDOM = 50  # frames
WARMING = 300  # configurations before the first frame


def main(words: Sequence[str] | None = None) -> int:
    """Soak as the command line says; return 1 if something grows or went wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--frames", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write the findings to this file")
    options = parser.parse_args(words)
    found = soak(options.frames, options.seed, options.seconds)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    print("\n".join(table(found)))
    return 0 if passed(found) else 1


def soak(frames: int, seed: int, seconds: float = float("inf")) -> dict[str, Any]:
    """Run the program for so many frames; say what it held, and what went wrong."""
    from wheatstone.viewer.screen.offscreen import OffscreenContext

    ordinal = gpu_number()
    every = max(frames // SAMPLES, SELDOM)
    warm_up(seed)
    begun = time.monotonic()
    with own_folders() as folder, OffscreenContext(ordinal):
        from benchmarks.soak_program import Soak

        drops, home = write_files(folder), write_home(folder)
        with closing(Soak(Random(seed), drops, home, every, seconds / SAMPLES)) as run:
            try:
                while run.frames < frames and time.monotonic() - begun < seconds:
                    run.step()
                    if run.frames % 500 == 0:
                        _say(f"{run.frames} frames, {time.monotonic() - begun:.0f} s")
            except KeyboardInterrupt:
                _say("interrupted; what was found so far:")
            took = time.monotonic() - begun
            return {
                "command": f"python -m benchmarks.soak --frames {frames} --seed {seed}",
                "frames": run.frames,
                "seconds": round(took, 1),
                "counted": len(run.counts),
                "growth": [asdict(growth) for growth in growths(run.at, run.counts)],
                "causes": dict(run.causes),
                "traces": run.traces,
                "counts": [{"frame": at, **c} for at, c in zip(run.at, run.counts, strict=True)],
            }


def warm_up(seed: int, cases: int = WARMING) -> None:
    """Compute random configurations, so that what is loaded or compiled once is there already."""
    _say(f"warming up: {cases} random configurations")
    for number in range(cases):
        outcomes_of(case_of(number, seed))
    give_back_memory()


@contextmanager
def own_folders() -> Iterator[Path]:
    """Let settings, screenshots and temporary files of this process go to folders of its own."""
    before, cwd = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        for part in ("settings", "temporary", "shots"):
            (folder / part).mkdir()
        os.environ |= {"XDG_CONFIG_HOME": f"{name}/settings", "TMPDIR": f"{name}/temporary"}
        kept, tempfile.tempdir = tempfile.tempdir, f"{name}/temporary"
        os.chdir(folder / "shots")
        try:
            yield folder
        finally:
            os.chdir(cwd)
            tempfile.tempdir = kept
            for changed in ("XDG_CONFIG_HOME", "TMPDIR"):
                os.environ.pop(changed)
                os.environ |= {changed: before[changed]} if changed in before else {}


def passed(found: dict[str, Any]) -> bool:
    """Tell whether nothing grew and nothing went wrong; too few counts tell nothing."""
    return not found["causes"] and all(growth["flat"] for growth in found["growth"])


def table(found: dict[str, Any]) -> Iterator[str]:
    """Say what was found: a line for all that was counted, and one for every cause."""
    yield (
        f"{found['command']}: {found['frames']} frames in {found['seconds']:.0f} s, "
        f"counted {found['counted']} times; of the second half:"
    )
    yield from rows(found["growth"])
    if not found["growth"]:
        yield "too few counts to tell whether anything grows"
    for cause, times in found["causes"].items():
        yield f"{times} x {cause}"


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
