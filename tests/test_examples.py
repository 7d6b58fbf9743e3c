"""The examples and the code of the guide: all of them run, on a machine without a GPU, too."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest

import wheatstone as ws
from tests.programs import environment
from wheatstone.gpu.device import why_unavailable
from wheatstone.opencv import DEFAULTS, MODES, run_of
from wheatstone.viewer.cli.cli import main
from wheatstone.window_process import WindowProcess, WindowSettings

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
GUIDE = ROOT / "docs" / "python.md"
PRINTED = {
    "own_pair": "depth in the middle",
    "compare_presets": "balanced",
    "batch_folder": "disparities/000003.png",
    "opencv_drop_in": "wheatstone.png: ",
    "own_variant": "identical",
    "learned_cost": "mc-cnn: " if find_spec("mc_cnn") else "mccnn is not installed",
    "video_on_gpu": "",  # frames, or in one line what is missing
}
CHANGED = {
    **{"minDisparity": 5, "numDisparities": 32, "blockSize": 5, "P1": 90, "P2": 500},
    **{"disp12MaxDiff": 3, "preFilterCap": 31, "uniquenessRatio": 7, "mode": 3},
    **{"speckleWindowSize": 33, "speckleRange": 2},
}
"""A value of each of OpenCV's parameters that is not the default."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    return tmp_path


@pytest.fixture
def files(folder: Path) -> Path:
    frame = ws.open("scene:garden", size=(96, 64)).frame(0)
    for side in ("left", "right"):
        (folder / "drive" / side).mkdir(parents=True)
        view = getattr(frame, side)[..., ::-1]
        for path in (folder / f"{side}.png", *(folder / "drive" / side / f"{n}.png" for n in "12")):
            cv2.imwrite(str(path), view)
    assert frame.truth is not None
    np.save(folder / "truth.npy", frame.truth)
    matrix = "[80 0 48; 0 80 32; 0 0 1]"
    calibration = f"cam0={matrix}\ncam1={matrix}\ndoffs=0\nbaseline=120\nwidth=96\nheight=64\n"
    (folder / "calib.txt").write_text(calibration)
    return folder


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[WindowProcess]]:
    """Windows that ``ws.show`` serves as in a notebook; a browser's cell is in test_notebook."""
    shown: list[WindowProcess] = []

    def show(source: ws.Source, run: ws.Run, compare: ws.Run | None = None) -> WindowProcess:
        settings = WindowSettings(source, run, compare)
        shown.append(WindowProcess("serve", settings, (), subprocess.PIPE))
        assert shown[-1].first_line().startswith("http://127.0.0.1:")
        return shown[-1]

    monkeypatch.setattr(ws, "show", show, raising=False)
    yield shown
    for window in shown:
        window.close()


def script(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_six_scripts_and_two_notebooks() -> None:
    assert [path.stem for path in SCRIPTS] == sorted(PRINTED) and len(NOTEBOOKS) == 2


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_without_files(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script(path).main()
    printed = capsys.readouterr().out
    assert PRINTED[path.stem] in printed and printed.endswith("\n")
    if "needs" in printed:
        assert path.stem == "video_on_gpu" and printed.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("own_pair", ("left.png", "right.png", "calib.txt")),
        ("compare_presets", ("left.png", "right.png", "truth.npy")),
        ("batch_folder", ("drive", "out")),
        ("opencv_drop_in", ("left.png", "right.png")),
    ],
)
def test_a_script_takes_files(
    name: str, words: tuple[str, ...], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(ROOT / "examples" / f"{name}.py").main(*words)
    assert capsys.readouterr().out.count("\n") >= 2


@pytest.mark.opengl
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_no_outputs_and_its_cells_run(
    path: Path, windows: list[WindowProcess]
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install matplotlib")
    names: dict[str, Any] = {}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            exec("".join(cell["source"]), names)
    assert len(windows) == 1 and not windows[0].running


def code_of(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.opengl
def test_the_code_of_the_guide_runs(files: Path, windows: list[WindowProcess]) -> None:
    names: dict[str, Any] = {}
    blocks = code_of(GUIDE)
    assert len(blocks) > 8
    for block in blocks:
        if "torch" in block and (why_unavailable("cuda") or not find_spec("torch")):
            continue
        exec(block, names)
    assert {path.name for path in files.glob("0*.pfm")} == {"000000.pfm", "000001.pfm"}
    assert (files / "points.ply").stat().st_size > 1000
    assert len(windows) == 1 and windows[0].running


def test_the_code_of_the_readme_runs(files: Path) -> None:
    (block,) = code_of(ROOT / "README.md")
    assert len([line for line in block.splitlines() if line]) == 5
    exec(block, {})
    assert (files / "points.ply").stat().st_size > 1000


@pytest.mark.opengl
def test_the_first_pair_is_written_and_computed_as_its_page_says(folder: Path) -> None:
    page = ROOT / "docs" / "first-pair.md"
    views, computed = code_of(page)
    exec(views, {})
    (folder / "out").mkdir()
    for line in re.findall(r"^    wheatstone (render .+)$", page.read_text(), re.MULTILINE):
        assert main(shlex.split(line)) == 0
    assert {"disparity.png", "depth.png"} <= {path.name for path in folder.glob("out/*")}
    written = [folder / "out" / name for name in ("disparity.pfm", "points.ply")]
    rendered = [path.read_bytes() for path in written]
    exec(computed, {})
    assert rendered == [path.read_bytes() for path in written]


def test_the_table_of_opencv_s_parameters_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| ([^|]*)\| ", GUIDE.read_text(), re.MULTILINE)
    assert {name: int(default) for name, default, _ in rows} == DEFAULTS
    given = {**DEFAULTS, "P1": 72, "P2": 288}
    base = run_of(given).params.values()
    for name, _, sets in rows:
        changed = run_of({**given, name: CHANGED[name]}).params.values()
        different = {key for key in base if base[key] != changed[key]}
        assert different == set(re.findall(r"`(\w+)`", sets)), name
    for mode, paths in MODES.items():
        text = {8: "8 paths", 4: "4 paths", "sweeps": "sweeps"}[paths]
        assert re.search(rf"\({mode}\)[^;|]*: {text}", GUIDE.read_text())
