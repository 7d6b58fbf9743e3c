"""Keys belong to what has the keyboard when they are pressed, also while a frame is slow."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import stalled_window
from wheatstone.viewer.choices.file_choices import OPEN_PATH

pytestmark = pytest.mark.window


@pytest.fixture(scope="module")
def answers(x_display: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is missing: apt-get install xdotool")
    script, folder = Path(stalled_window.__file__), tmp_path_factory.mktemp("stalled")
    path = os.pathsep.join([str(script.parent.parent), x_display.get("PYTHONPATH", "")])
    settings = {"PYTHONPATH": path, "XDG_CONFIG_HOME": str(folder / "settings")}
    (folder / "current").mkdir()
    run = subprocess.run(
        [sys.executable, str(script), str(folder / "programs")],
        cwd=folder / "current",
        env=x_display | settings,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout))


def test_a_path_typed_right_after_its_key_is_in_the_prompt_and_changes_nothing_else(
    answers: dict[str, Any],
) -> None:
    prompt = answers["prompt"]
    assert prompt["asks"] == [OPEN_PATH, stalled_window.PATH]
    assert prompt["same"] and answers["files"] == []
    assert prompt["after"] == [None, "turbo"]  # Esc closed the prompt, and M was a key again


def test_a_word_typed_right_after_the_palette_s_key_is_searched(answers: dict[str, Any]) -> None:
    palette = answers["palette"]
    assert palette["query"] == "qsM1" and palette["same"]
    assert palette["after"] == ["viridis", "left"]  # Enter took the entry, and V was a key again


def test_a_number_typed_right_after_a_click_is_in_its_field(answers: dict[str, Any]) -> None:
    field = answers["field"]
    assert field["here"] == [31, "cpu"]  # neither 3 nor 1 chose a variant
    assert field["stepped"]  # Enter left the field, and M was a key again


def test_keys_after_alt_belong_to_the_menus_until_escape(answers: dict[str, Any]) -> None:
    assert answers["menus"] == {"was": "cpu", "is": "reference", "closing": False}


def test_a_key_that_works_a_panel_opens_its_prompt_for_the_next_ones(
    answers: dict[str, Any],
) -> None:
    assert answers["panel"] == {"asks": OPEN_PATH, "query": "xyz"}


def test_keys_wait_for_the_desktop_s_dialog_and_do_nothing_here(answers: dict[str, Any]) -> None:
    assert answers["dialog"] == {"same": True, "was": [True, True], "stepped": True}
