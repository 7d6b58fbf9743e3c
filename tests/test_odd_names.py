"""Every verb takes files whose names are no UTF-8, and writes down names that it reads again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.programs import environment
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.screenshot import read_recipe

ROOT = Path(__file__).resolve().parent.parent
LEFT, RIGHT, DATA = b"l\xff.png", b"r\xfe\n.png", b"data\xff"
LEAN = (b"--disparities", b"16", b"--variant", b"reference")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    scene = np.random.default_rng(5).integers(0, 256, (40, 70), np.uint8)
    left, right = scene[:, :64], scene[:, 4:68]
    inner = os.path.join(os.fsencode(tmp_path), DATA, b"wall\xfd")
    os.makedirs(inner)
    write(os.path.join(os.fsencode(tmp_path), LEFT), left)
    write(os.path.join(os.fsencode(tmp_path), RIGHT), right)
    write(os.path.join(inner, b"im0.png"), left)
    write(os.path.join(inner, b"im1.png"), right)
    write(os.path.join(inner, b"disp0GT.pfm"), np.full(left.shape, 4, np.float32))
    return tmp_path


def write(path: bytes, pixels: np.ndarray) -> None:
    done, encoded = cv2.imencode(Path(os.fsdecode(path)).suffix, pixels)
    assert done
    Path(os.fsdecode(path)).write_bytes(encoded.tobytes())


def run(folder: Path, *words: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [os.fsencode(sys.executable), b"-m", b"wheatstone", *words]
    ended = subprocess.run(command, cwd=folder, env=environment(), capture_output=True)
    assert ended.returncode == 0, ended.stderr
    assert b"Traceback" not in ended.stderr
    ended.stdout.decode(), ended.stderr.decode()  # every line is text
    return ended


@pytest.mark.opengl
def test_render_writes_a_picture_that_restores_its_view(folder: Path) -> None:
    shot = b"shot\xff.png"
    output = run(folder, b"render", LEFT, RIGHT, *LEAN, b"--out", shot, b"--values", b"v\xff.npy")
    assert b"l\\xff.png | r\\xfe\\n.png" in output.stderr
    recipe = read_recipe(folder / os.fsdecode(shot))
    assert recipe and recipe["source"]["left"] == str(folder / os.fsdecode(LEFT))
    again = run(folder, b"render", shot, b"--out", b"again.png")
    assert b"l\\xff.png | r\\xfe\\n.png" in again.stderr


def test_bench_writes_command_lines_that_a_shell_runs_again(folder: Path) -> None:
    words = (b"mean", LEFT, RIGHT, b"--variants", b"cpu", b"--repeat", b"2")
    files = (b"--json", b"b.json", b"--markdown", b"b.md", b"--csv", b"b\xff.csv")
    run(folder, b"bench", *words, *files)
    command = json.loads((folder / "b.json").read_text())["command"]
    assert command.startswith(r"wheatstone bench mean $'l\377.png' $'r\376\012.png' --variants")
    assert command.replace("\\", "\\\\") in (folder / "b.md").read_text()


def test_compare_and_evaluate_name_their_files(folder: Path) -> None:
    run(folder, b"compare", b"mean", b"cpu", b"reference", LEFT, RIGHT, b"--out", b"c\xff.png")
    files = (b"--json", b"e.json", b"--markdown", b"e.md", b"--csv", b"e.csv")
    run(folder, b"evaluate", DATA, *LEAN, *files)
    written = json.loads((folder / "e.json").read_text())
    assert (written["data"], written["pairs"][0]["pair"]) == (r"data\xff", r"wall\xfd")
    assert r"wall\\xfd" in (folder / "e.md").read_text()
    assert r"wall\xfd" in (folder / "e.csv").read_text()


def test_the_session_at_exit_is_saved_and_restored(folder: Path) -> None:
    source = open_source(SourceSpec(*(str(folder / os.fsdecode(name)) for name in (LEFT, RIGHT))))
    user_settings.save(ViewerState(default_slot("sgm", {"cuda": "absent"}), {}), source.spec)
    saved = user_settings.read(user_settings.last_session())
    assert saved["source"] == source.spec.to_dict()
    assert open_source(SourceSpec.from_dict(saved["source"])).name == r"l\xff.png | r\xfe\n.png"
