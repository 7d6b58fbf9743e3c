"""Findings and handles of colour bars in a real window, worked by the mouse."""

import json
import time
from pathlib import Path

import pytest

from tests.patience import wait_until
from tests.test_app import running
from tests.turned_pairs import turned_pair
from wheatstone.viewer.settings.screenshot import read_recipe

BAR = ("--no-hatch-outside",)  # whose legend takes room of the colour bar
WORDS = ("--disparities", "16", "--variant", "cpu", "--paths", "4", "--size", "1280x800", *BAR)
PAUSE = "0.8"  # seconds, in which a frame passes however busy the cores are
pytestmark = pytest.mark.window


def test_a_finding_is_dismissed_and_the_end_of_a_bar_is_dragged(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    pair = turned_pair().save(tmp_path)
    kept = tmp_path / "settings" / "wheatstone" / "dismissed.json"
    with running(x_display, tmp_path, "sgm", *pair, *WORDS) as program:
        program.shot(1)
        time.sleep(3)  # the rows are measured after the first picture
        program.shot(2)
        program.xdotool("mousemove", "621", "68", "sleep", PAUSE, "click", "1", "sleep", PAUSE)
        wait_until(kept.is_file)
        program.drag((1170, 736), (900, 736))
        recipe = read_recipe(program.shot(3))
        code, _ = program.quit("q")
    assert code == 0 and recipe
    (dismissed,) = json.loads(kept.read_text())["dismissed"].values()
    assert dismissed == ["rows"]
    low, high = recipe["chosen"]["look"]["ranges"]["sgm.disparity"]
    assert low == 0 and 10 < high < 12.5
