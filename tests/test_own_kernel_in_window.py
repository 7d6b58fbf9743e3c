"""In a real window, a kernel is edited: it does not compile, is wrong, and is identical again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import reloading_window
from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from tests.patience import PATIENCE
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.run.kernels.new import new_files, write_folder

pytestmark = pytest.mark.window


def test_a_kernel_is_edited_while_the_window_shows_its_result(
    emulated_kernels: None, x_display: dict[str, str], tmp_path: Path
) -> None:
    write_folder(tmp_path / "own", new_files(PIPELINES["invert"], ["invert"], "mine", "global"))
    script = Path(reloading_window.__file__)
    path = os.pathsep.join([str(script.parent.parent), x_display.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "own")],
        cwd=tmp_path,
        env=x_display | {"PYTHONPATH": path, "XDG_CONFIG_HOME": str(tmp_path / "settings")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    answers = json.loads(run.stdout)
    assert answers["opened"]["states"][-1] == "identical" and answers["frames"] <= 1
    assert answers["broken"]["states"][-1] == "compile error"
    assert answers["wrong"]["states"][-1] == "wrong"
    assert answers["mended"]["states"][-1] == "identical"
    right = answers["opened"]["brightest"]
    shown = [answers[name]["brightest"] for name in ("broken", "wrong", "mended")]
    assert shown == [right, 0, right]
