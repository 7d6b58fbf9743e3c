"""Values at the cursor in a real window: pins, the clipboard, and the menu of a pixel."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_app import SMALL, running
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.screenshot import read_recipe

PAUSE = "0.8"  # seconds, in which a frame passes however busy the cores are
PASTE = "import copykitten; print(copykitten.paste())"
PASTE_PICTURE = "import copykitten; print(*copykitten.paste_image()[1:])"
pytestmark = pytest.mark.window


def pasted(environment: dict[str, str], code: str) -> str:
    """What another program gets from the clipboard."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_pixels_are_pinned_copied_and_explained_by_mouse(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    with running(x_display, tmp_path, *SMALL, "--size", "900x420") as program:
        program.press("space")
        program.shot(1)
        program.xdotool("mousemove", "400", "200", "sleep", PAUSE, "click", "1", "sleep", PAUSE)
        program.xdotool("mousemove", "600", "150", "sleep", PAUSE)
        program.press("ctrl+c")
        program.xdotool("sleep", PAUSE)
        values = dict(line.split("\t") for line in pasted(x_display, PASTE).splitlines())
        program.press("ctrl+shift+c")
        program.xdotool("sleep", PAUSE)
        width, height = map(int, pasted(x_display, PASTE_PICTURE).split())
        program.xdotool("mousemove", "500", "110", "sleep", PAUSE, "click", "3", "sleep", PAUSE)
        program.xdotool("mousemove", "540", "126", "sleep", PAUSE, "click", "1", "sleep", PAUSE)
        recipe = read_recipe(program.shot(2))
        program.xdotool("mousemove", "260", "180", "sleep", PAUSE)
        program.press("alt+p", "ctrl+k", "ctrl+bracketright", "alt+t", "alt+m")
        program.xdotool("sleep", PAUSE)
        then = read_recipe(program.shot(3))
        code, output = program.quit("q")
    assert (code, output) == (0, "")
    assert recipe and then
    of_keys = then["chosen"]["look"]
    assert of_keys["pins"][1] == of_keys["pin"] and list(of_keys["ranges"]) == ["sgm.disparity"]
    saved = user_settings.read(tmp_path / "settings" / "wheatstone" / "settings.toml")
    assert {"costs", "inspector", "measure"} <= set(saved["window"]["panels"])
    look = recipe["chosen"]["look"]
    (pin,) = look["pins"]
    assert pin[1] < look["pin"][1] < int(values["x"])  # as the cursor was from left to right
    assert values["disparity"].endswith(" px") and values["truth"].endswith(" px")
    assert width == 900 and 300 < height <= 420
