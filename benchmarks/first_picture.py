"""Seconds from the start of a new process to what a window shows, cold and warm.

    python -m benchmarks.first_picture [--offscreen] [--runs N] [--imports]
                                       [WORDS of `wheatstone view` ...]

prints a Markdown table. The first run finds no compiled code and no settings, each later one what
those before it left behind. The clock begins before Python does. `Python`: it runs; `options`: the
command line is read; `program`: source, OpenGL and all else are there; `window`: something is drawn
in it; `left view`: the picture that stands in for the result; `result`: what was asked for, to the
last pixel. A window on the screen is used, or with `--offscreen`, and where there is no display,
one that nobody sees. The times are of this machine as it is: other work on it counts. `--imports`
adds which modules took most to import in another run, without those that they import.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.gpu.analysis.cold_start import CACHES
from wheatstone.viewer.files.markdown import markdown
from wheatstone.viewer.former_options import positive

if TYPE_CHECKING:
    from wheatstone.viewer.app import App
    from wheatstone.viewer.commands.view_request import WindowRequest

FOLDERS = (*CACHES, "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
MOMENTS = ("Python", "options", "program", "window", "left view", "result")
IMPORTS = 20  # modules that are named
SIZE = 1280, 800
PATIENCE = 600.0  # seconds for one start


def main(words: Sequence[str] | None = None) -> int:
    """Start the program as often as asked, and print the table."""
    options, rest = _options(words)
    if options.begun is not None:
        found = {"Python": time.monotonic() - options.begun}
        return _start(rest, options.begun, found, offscreen=options.offscreen)
    offscreen = options.offscreen or not os.environ.get("DISPLAY")
    lines = []
    with tempfile.TemporaryDirectory(prefix="wheatstone-") as folder:
        for run in range(options.runs):
            found = _measured(rest, Path(folder), offscreen=offscreen)
            times = (f"{found[moment]:.2f}" for moment in MOMENTS)
            lines.append(("warm" if run else "cold", *times, f"{found['CPU']:.1f}"))
        slowest = _imports(rest, Path(folder), offscreen=offscreen) if options.imports else []
    print(f"view {' '.join(rest)}, {'off the screen' if offscreen else 'on the screen'}\n")
    print(markdown(("Start", *(f"{moment}, s" for moment in MOMENTS), "CPU, s"), lines))
    if slowest:
        print("\n" + markdown(("Module", "ms"), slowest))
    return 0


def _options(words: Sequence[str] | None) -> tuple[argparse.Namespace, list[str]]:
    """Read the command line; unknown options are passed to the program."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.first_picture",
        description=(__doc__ or "").split("\n")[0],
        allow_abbrev=False,
    )
    parser.add_argument("--offscreen", action="store_true")
    parser.add_argument("--runs", type=positive, default=3, metavar="N")
    parser.add_argument("--imports", action="store_true")
    parser.add_argument("--begun", type=float, help=argparse.SUPPRESS)
    return parser.parse_known_args(words)


def _measured(words: list[str], folder: Path, *, offscreen: bool) -> dict[str, float]:
    """Start the program in a process of its own; seconds until each of ``MOMENTS``."""
    found: dict[str, float] = json.loads(_run(words, folder, (), offscreen).stdout.splitlines()[-1])
    return found


def _imports(words: list[str], folder: Path, *, offscreen: bool) -> list[tuple[str, str]]:
    """List the modules that took longest to import by themselves, and their milliseconds."""
    told = _run(words, folder, ("-X", "importtime"), offscreen).stderr
    found = re.findall(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", told, re.MULTILINE)
    slowest = sorted(((int(us), name) for us, name in found), reverse=True)[:IMPORTS]
    return [(name, f"{us / 1e3:.1f}") for us, name in slowest]


def _run(
    words: list[str], folder: Path, python: tuple[str, ...], offscreen: bool
) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own until it shows its result."""
    environment = os.environ | {name: str(folder / name.lower()) for name in FOLDERS}
    command = [sys.executable, *python, "-m", "benchmarks.first_picture", *words]
    command += ["--offscreen"] * offscreen + ["--begun", str(time.monotonic())]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    if run.returncode:
        raise SystemExit(f"first_picture: {run.stderr.strip() or run.returncode}")
    return run


def _start(words: list[str], begun: float, found: dict[str, float], *, offscreen: bool) -> int:
    """Run the program until it shows its result, in this process; print when what was shown."""
    from wheatstone.gpu.driver import wake_gpu
    from wheatstone.viewer.commands.cli import parse

    options = parse(["view", *words])
    wake_gpu()
    found["options"] = time.monotonic() - begun
    watch = _watch(begun, found)
    if offscreen:
        _run_offscreen(options, watch)
    else:
        from wheatstone.viewer.commands.view import view

        view(options, watch)
    return 0


def _watch(begun: float, found: dict[str, float]) -> Callable[["App"], None]:
    """Make what notes the moments of a program, prints them, and ends it."""

    def watch(app: "App") -> None:
        found["program"] = time.monotonic() - begun
        swap = app.window.swap

        def noting() -> None:
            from OpenGL import GL

            swap()
            GL.glFinish()  # what was queued is there
            stands = app.stands
            fetched = app.session.frames.there(app.state.frame) is not None
            there = (True, app.started or fetched, stands)
            for moment, is_there in zip(MOMENTS[-3:], there, strict=True):
                if is_there:
                    found.setdefault(moment, time.monotonic() - begun)
            if stands and not app.state.closing:
                found["CPU"] = time.process_time()
                print(json.dumps(found), flush=True)
                app.state.closing = True

        app.window.swap = noting  # type: ignore[method-assign]

    return watch


def _run_offscreen(options: "WindowRequest", watch: Callable[["App"], None]) -> None:
    """Run the program in a window off the screen."""
    from wheatstone.gpu.device import gpu_number
    from wheatstone.viewer.screen.offscreen import OffscreenContext

    with ExitStack() as stack:
        stack.enter_context(OffscreenContext(gpu_number()))
        from wheatstone.viewer.app import open_app
        from wheatstone.viewer.commands.view import begin
        from wheatstone.viewer.screen.offscreen_window import OffscreenWindow

        state, source, _ = begin(options, stack)
        window = stack.enter_context(closing(OffscreenWindow(*SIZE)))
        app = open_app(stack, window, state, source, options.display)
        watch(app)
        app.run()


if __name__ == "__main__":
    sys.exit(main())
