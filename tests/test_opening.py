"""What a user meets first: the left view before any result, and an end that comes at once."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.endless_program import TRACE
from tests.programs import environment
from tests.test_app import PATIENCE, Program, running
from wheatstone.viewer.settings import user_settings

WORDS = ("toy", "--variant", "cpu", "--scene-size", "96x64", "--size", "400x300")


def events(folder: Path) -> dict[str, float]:
    """What was on screen after how many seconds, in that order."""
    path = folder / TRACE
    lines = path.read_text().splitlines() if path.exists() else []
    return {what: float(seconds) for seconds, what in (line.split(" ", 1) for line in lines)}


def wait_for(program: Program, what: str) -> None:
    """Wait until something is on screen."""
    ends = time.monotonic() + PATIENCE
    while what not in events(program.folder):
        assert time.monotonic() < ends and program.process.poll() is None
        time.sleep(0.02)


@pytest.mark.window
def test_the_left_view_comes_before_the_result_and_q_ends_what_computes(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    with running(x_display, tmp_path, *WORDS, module="tests.endless_program") as program:
        wait_for(program, "left view")
        wait_for(program, "computing")
        program.press("m")
        began = time.monotonic()
        code, output = program.quit("q")
        took = time.monotonic() - began
    assert (code, output) == (0, "")
    seen = events(tmp_path)
    assert "result" not in seen and seen["window"] <= seen["left view"]
    saved = user_settings.read(tmp_path / "settings" / "wheatstone" / "settings.toml")
    assert saved["view"]["colormap"] == "turbo"
    print(f"left view after {seen['left view']:.2f} s, end {took:.2f} s after Q")


@pytest.mark.window
def test_escape_cancels_then_asks_then_ends_the_program(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    with running(x_display, tmp_path, *WORDS, module="tests.endless_program") as program:
        wait_for(program, "computing")
        time.sleep(0.5)  # until the notice says what Esc does
        program.press("Escape")
        time.sleep(0.5)
        assert program.process.poll() is None
        code, output = program.quit("Escape", "Escape")
    assert (code, output) == (0, "")


LEAVES = """
import atexit, threading
from wheatstone.viewer.cli.view import leave_threads, may_leave_threads
may_leave_threads()
atexit.register(print, "others come first")
threading.Thread(target=threading.Event().wait, name={name!r}, daemon=True).start()
leave_threads(3)
"""


@pytest.mark.parametrize(("name", "code"), [("worker", 3), ("wheatstone.gpu.cpu", 0)])
def test_a_process_ends_with_its_code_if_a_thread_is_left_behind(name: str, code: int) -> None:
    command = [sys.executable, "-c", LEAVES.format(name=name)]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (code, "others come first\n", "")
