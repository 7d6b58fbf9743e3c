"""Measure the seconds from the start of a process until its window shows a result, cold and warm.

Arguments that are not options go to ``wheatstone view``. Prints a Markdown table. The first run is
cold: it has no compiled code and no settings. The later runs use the files of those before them.
The clock starts before Python does. The columns are the seconds until

    Python     the interpreter runs
    options    the command line is parsed
    program    the source, OpenGL and everything else are ready
    window     the window shows its first picture
    left view  the window shows the left view, its picture until there is a result
    result     the window shows the complete result

The window is on the screen; with `--offscreen`, or if there is no display, it is invisible. Other
programs on this machine influence the times. `--imports` starts the program once more, and lists
the modules that take longest to import, without the modules that they import themselves.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from benchmarks.runner import Count
from wheatstone.gpu.analysis.cold_start import CACHES
from wheatstone.viewer.io.files.markdown import markdown

if TYPE_CHECKING:
    from wheatstone.viewer.window.app import App

FOLDERS = (*CACHES, "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
MOMENTS = ("Python", "options", "program", "window", "left view", "result")
IMPORTS = 20  # modules that are listed
SIZE = 1280, 800
PATIENCE = 600.0  # timeout of one start, in seconds


def main(
    *words: str,
    offscreen: bool = False,
    runs: Count = 3,
    imports: Annotated[bool, "list the modules that take longest to import"] = False,
    begun: Annotated[float | None, "internal: when this process was started"] = None,
) -> bool:
    """Start the program ``runs`` times and print a table of the times."""
    if begun is not None:
        _start(words, begun, {"Python": time.monotonic() - begun}, offscreen)
        return True
    offscreen = offscreen or not os.environ.get("DISPLAY")
    lines, slowest = [], []
    with tempfile.TemporaryDirectory(prefix="wheatstone-") as name:
        folder = Path(name)
        for run in range(runs):
            # Seconds until each of ``MOMENTS``.
            printed = _run(words, folder, (), offscreen).stdout
            took: dict[str, float] = json.loads(printed.splitlines()[-1])
            times = (f"{took[moment]:.2f}" for moment in MOMENTS)
            lines.append(("warm" if run else "cold", *times, f"{took['CPU']:.1f}"))
        if imports:
            report = _run(words, folder, ("-X", "importtime"), offscreen).stderr
            own = re.findall(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", report, re.MULTILINE)
            longest = sorted(((int(us), module) for us, module in own), reverse=True)
            slowest = [(module, f"{us / 1e3:.1f}") for us, module in longest[:IMPORTS]]
    print(f"view {' '.join(words)}, {'off the screen' if offscreen else 'on the screen'}\n")
    print(markdown(("Start", *(f"{moment}, s" for moment in MOMENTS), "CPU, s"), lines))
    if slowest:
        print("\n" + markdown(("Module", "ms"), slowest))
    return True


def _run(
    words: tuple[str, ...], folder: Path, python: tuple[str, ...], offscreen: bool
) -> subprocess.CompletedProcess[str]:
    """Run the program in a new process until it shows its result."""
    environment = os.environ | {name: str(folder / name.lower()) for name in FOLDERS}
    command = [sys.executable, *python, "-m", "benchmarks", "first_picture", *words]
    command += ["--offscreen"] * offscreen + ["--begun", str(time.monotonic())]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    if run.returncode:
        raise SystemExit(f"first_picture: {run.stderr.strip() or run.returncode}")
    return run


def _start(words: tuple[str, ...], begun: float, times: dict[str, float], offscreen: bool) -> None:
    """Run the program in this process until it shows its result; print its times as JSON."""
    from wheatstone.gpu.nvidia import wake_gpu
    from wheatstone.viewer.cli.cli import parse

    options = parse(["view", *words])
    wake_gpu()
    times["options"] = time.monotonic() - begun
    watch = _watch(begun, times)
    if not offscreen:
        from wheatstone.viewer.cli.view import view

        view(options, watch)
        return
    from benchmarks import programs

    with ExitStack() as stack:
        stack.enter_context(programs.offscreen())
        from wheatstone.viewer.cli.start import open_view
        from wheatstone.viewer.cli.view import prepare_state

        state, source = open_view(options)
        stack.enter_context(closing(source))
        prepare_state(options, state, source)
        app, _ = programs.open_program(stack, SIZE, state, source, options.display)
        watch(app)
        app.run()


def _watch(begun: float, times: dict[str, float]) -> Callable[["App"], None]:
    """Return a function that records the ``MOMENTS`` of a program, prints them and ends it."""

    def watch(app: "App") -> None:
        times["program"] = time.monotonic() - begun
        swap = app.window.swap

        def recording() -> None:
            from OpenGL import GL

            swap()
            GL.glFinish()  # waits until the queued picture is drawn
            complete = app.stands
            fetched = app.session.frames.there(app.state.frame) is not None
            reached = (True, app.started or fetched, complete)
            for moment, is_reached in zip(MOMENTS[-3:], reached, strict=True):
                if is_reached:
                    times.setdefault(moment, time.monotonic() - begun)
            if complete and not app.state.closing:
                times["CPU"] = time.process_time()
                print(json.dumps(times), flush=True)
                app.state.closing = True

        app.window.swap = recording  # type: ignore[method-assign]

    return watch
