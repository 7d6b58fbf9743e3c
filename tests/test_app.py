"""The whole program in a real window, driven by real keys; each run is a process of its own."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.pictures import read
from tests.toy import TOY
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.picture.layout import Arrangement
from wheatstone.viewer.display.picture.legend import PAPER
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.screenshot import read_recipe

pytestmark = pytest.mark.window
ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 180  # seconds; a first start compiles, and others may use the cores
TOY_PROGRAM = "tests.toy_program"
SMALL = ["--scene-size", "96x64", "--disparities", "16", "--variant", "reference"]


class Program:
    def __init__(self, environment: dict[str, str], folder: Path, module: str, *words: str) -> None:
        if not shutil.which("xdotool", path=environment.get("PATH")):
            pytest.skip("xdotool is missing: apt-get install xdotool")
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT), environment.get("PYTHONPATH", "")])
        settings = {"XDG_CONFIG_HOME": str(folder / "settings")}
        self.environment = environment | {"PYTHONPATH": path} | settings
        self.folder = folder
        command = [sys.executable, "-m", "tests.refreshed", module, "view", *words]
        self.process = subprocess.Popen(
            command, cwd=folder, env=self.environment, stderr=subprocess.PIPE, text=True
        )
        self.xdotool("search", "--sync", "--onlyvisible", "--name", "Wheatstone", "windowfocus")

    def xdotool(self, *words: str) -> None:
        subprocess.run(
            ["xdotool", *words],
            env=self.environment,
            check=True,
            timeout=PATIENCE,
            stdout=subprocess.DEVNULL,
        )

    def press(self, *keys: str) -> None:
        self.xdotool("key", "--delay", "120", *keys)

    def drag(self, start: tuple[int, int], end: tuple[int, int], button: int = 1) -> None:
        """Press a button at a place in the window, in pixels, and release it at another."""
        at = ["mousemove", "--sync", "--window", "%1"]
        press = [*at, *map(str, start), "sleep", "0.2", "mousedown", str(button), "sleep", "0.2"]
        release = [*at, *map(str, end), "sleep", "0.2", "mouseup", str(button), "sleep", "0.3"]
        self.xdotool("search", "--onlyvisible", "--name", "Wheatstone", *press, *release)

    def shot(self, number: int) -> Path:
        path = self.folder / f"wheatstone-{number:03}.png"
        self.press("s")
        deadline = time.monotonic() + PATIENCE
        while not path.exists() and time.monotonic() < deadline:
            assert self.process.poll() is None, self.process.communicate()[1]
            time.sleep(0.05)
        assert path.exists()
        return path

    def quit(self, *keys: str) -> tuple[int, str]:
        """Press keys that quit; the exit code and what the program said, not its libraries."""
        self.press(*keys)
        _, output = self.process.communicate(timeout=PATIENCE)
        ours = [
            line for line in output.splitlines() if line.startswith(("wheatstone", "Traceback"))
        ]
        return self.process.returncode, "\n".join(ours)


@contextmanager
def running(
    environment: dict[str, str], folder: Path, *words: str, module: str = "wheatstone"
) -> Iterator[Program]:
    program = Program(environment, folder, module, *words)
    try:
        yield program
    finally:
        program.process.kill()
        program.process.communicate()


def panes_of(shot: Path) -> tuple[int, int]:
    """Height and width that the panes of a screenshot have: it without what stands below."""
    seen = read(shot)
    above = np.flatnonzero((seen[:, 0] != PAPER[::-1]).any(axis=1))
    return int(above[-1]) + 1, seen.shape[1]


def test_the_window_shows_what_render_writes_and_opens_it_as_it_was_left(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    with running(x_display, tmp_path, *SMALL, "--size", "400x300") as program:
        program.press("space", "v", "m", "bracketright")
        assert rendered_again(tmp_path, program.shot(1))
        program.xdotool("mousemove", "200", "130", "click", "4", "sleep", "0.3")
        program.xdotool("mousemove", "200", "130", "mousedown", "1", "sleep", "0.3")
        program.xdotool("mousemove", "240", "130", "sleep", "0.3", "mouseup", "1", "sleep", "0.3")
        shot = program.shot(2)
        assert program.quit("q") == (0, "")
    with running(x_display, tmp_path, shot.name) as program:
        again = program.shot(3)
        assert program.quit("q") == (0, "")
    first, second = read_recipe(shot), read_recipe(again)
    assert first and second
    assert first["view"]["zoom"] == pytest.approx(1.2)
    assert first["view"]["center"][0] < 0.45
    assert first["params"] == second["params"]
    assert first["view"] == second["view"] and first["view"]["paused"]


def test_dragging_draws_the_region_and_shift_or_another_button_pans(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    words = ("toy", "--scene-size", "96x64", "--view", "marked", "--size", "400x300", "--no-bars")
    with running(x_display, tmp_path, *words, module=TOY_PROGRAM) as program:
        program.press("space")
        before = read_recipe(program.shot(1))
        height, width = panes_of(tmp_path / "wheatstone-001.png")
        shown = Arrangement(((64, 96), (64, 96)), (width, height))
        start, end = (20, 90), (120, 160)
        program.drag(start, end)
        drawn = read_recipe(program.shot(2))
        program.drag((300, 90), (330, 90))
        program.drag(end, start, button=3)
        program.xdotool("keydown", "shift")
        program.drag((30, 90), (50, 90))  # xdotool waits until the mouse has moved
        program.xdotool("keyup", "shift")
        panned = read_recipe(program.shot(3))
        code, output = program.quit("q")
    assert (code, output) == (0, "")
    assert before and drawn and panned
    first, last = shown.position(*start, 0), shown.position(*end, 0)
    x, y = int(first.column), int(first.row)
    expected = [x, y, int(last.column) - x + 1, int(last.row) - y + 1]
    assert before["params"]["template"] == [2, 3, 8, 7]
    assert drawn["params"]["template"] == panned["params"]["template"] == expected
    assert drawn["view"]["center"] == before["view"]["center"]
    moved = 30 - 100 + 20  # pixels to the right, by the three drags
    left, right = (shown.position(x, 0, 0).fraction[0] for x in (0, moved))
    assert panned["view"]["center"][0] == pytest.approx(0.5 - (right - left), abs=0.01)


def test_two_slots_are_compared_by_keys_and_drags(
    x_display: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PIPELINES, "toy", TOY)  # to render here what another process showed
    words = ("toy", "--negative", "--view", "negated", "--scene-size", "96x64", "--size", "400x300")
    with running(x_display, tmp_path, *words, "--no-bars", module=TOY_PROGRAM) as program:
        program.press("space", "shift+2", "w", "e")
        wiped = read_recipe(program.shot(1))
        height, width = read(tmp_path / "wheatstone-001.png").shape[:2]
        program.drag((width // 2, height // 2), (width // 4, height // 3))
        program.drag((width - 40, height // 2), (width - 20, height // 2))
        dragged = read_recipe(program.shot(2))
        program.press("Tab", "shift+e", "shift+e", "Tab", "Right", "j", "x", "shift+d")
        last = read_recipe(program.shot(3))
        code, output = program.quit("q")
    assert (code, output) == (0, "")
    assert wiped and dragged and last
    assert (wiped["compare"]["mode"], wiped["b"]["variant"]) == ("wipe", "narrow")
    assert wiped["made"]["identity"] == "identical: 0 of 6,144 differ"
    assert dragged["compare"]["seam"] == pytest.approx(0.25, abs=0.01)
    assert dragged["view"]["center"][0] < wiped["view"]["center"][0]
    assert (last["compare"]["mode"], last["view"]["variant"]) == ("signed-difference", "narrow")
    assert last["compare"]["seam"] == pytest.approx(0.3, abs=0.01)
    for number in (1, 2, 3):
        assert rendered_again(tmp_path, tmp_path / f"wheatstone-{number:03}.png", "toy")


def rendered_again(folder: Path, shot: Path, *words: str) -> bool:
    """Tell whether `render` draws the bytes of a screenshot from its recipe."""
    seen, again = read(shot), folder / "again.png"
    size = f"{seen.shape[1]}x{seen.shape[0]}"
    assert main(["render", *words, str(shot), "--out", str(again), "--size", size]) == 0
    return np.array_equal(seen, read(again))


def test_a_window_that_is_terminated_saves_its_session_and_its_files(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    with running(x_display, tmp_path, *SMALL, "--size", "400x300") as program:
        program.press("space", "m")
        program.shot(1)
        program.process.send_signal(signal.SIGTERM)
        _, output = program.process.communicate(timeout=PATIENCE)
    assert program.process.returncode == 128 + signal.SIGTERM and "Traceback" not in output
    saved = user_settings.read(tmp_path / "settings" / "wheatstone" / "settings.toml")
    assert saved["view"]["colormap"] == "turbo"
