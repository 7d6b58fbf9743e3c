"""The menus in a real window: clicks, Alt and arrow keys, and keys that stay in an open menu."""

from pathlib import Path

import pytest

from tests.test_app import SMALL, running
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.screenshot import read_recipe

PAUSE = "0.8"  # seconds, in which a frame passes however busy the cores are
pytestmark = pytest.mark.window


def test_menus_are_gone_through_by_mouse_and_by_keys(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    with running(x_display, tmp_path, *SMALL, "--size", "900x420") as program:
        program.press("space")
        program.shot(1)
        program.xdotool("mousemove", "285", "12", "sleep", PAUSE, "click", "1", "sleep", PAUSE)
        program.xdotool("mousemove", "300", "18", "sleep", PAUSE, "click", "1", "sleep", PAUSE)
        program.xdotool("mousemove", "600", "300", "sleep", PAUSE)
        program.press("alt")
        program.xdotool("sleep", PAUSE)
        program.press("v", "q", "m")  # into the open menu, where they do nothing
        program.xdotool("sleep", PAUSE, "key", "Escape", "sleep", PAUSE)
        program.press("m")
        recipe = read_recipe(program.shot(2))
        code, said = program.quit("q")
    assert (code, said) == (0, "")
    assert recipe
    assert (recipe["view"]["view"], recipe["view"]["colormap"]) == ("disparity", "turbo")
    saved = user_settings.read(tmp_path / "settings" / "wheatstone" / "settings.toml")
    assert saved["window"]["panels"] == ["parameters"]
