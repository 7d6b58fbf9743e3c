"""What a first start costs: what is compiled and kept, and which packages a verb imports."""

import ast
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from wheatstone.gpu import compilations as kept
from wheatstone.gpu import compile_ahead
from wheatstone.gpu.compilations import compilations, compiling, telling
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.display.frames.worker import Task, Worker

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {
    *("numba", "cv2", "OpenGL", "glfw", "imgui_bundle", "scipy", "cupy", "matplotlib"),
    *("PIL", "yaml", "imageio", "tifffile", "av", "rich", "jinja2"),
}
"""Packages that take long to import."""
MOST_COMPILED = 78
"""Functions compiled for a frame of ``sgm`` with its default parameters."""

FRAME = """
import json
import numpy as np
from numba.core import event
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.pipelines.sgm import SGM

class Names(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"]
        names.append([function.__module__, function.__qualname__])
    def on_end(self, event):
        pass

names = []
event.register("numba:compile", Names())
execution = prepare(SGM, "cpu", SGM.params(), 40, 70)
execution.run()
print(json.dumps(names))
"""
IMPORTED = """
import sys
from wheatstone.viewer.cli.cli import main

try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*{name.partition(".")[0] for name in sys.modules})
"""


def compiled_for_a_frame(cache: Path) -> list[tuple[str, str]]:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    run = subprocess.run(
        [sys.executable, "-c", FRAME],
        env=environment | {"XDG_CACHE_HOME": str(cache)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [(module, name) for module, name in json.loads(run.stdout)]


def test_a_first_start_compiles_little_and_a_second_nothing(tmp_path: Path) -> None:
    compiled = compiled_for_a_frame(tmp_path)
    assert 0 < len(compiled) <= MOST_COMPILED
    assert not [module for module, _ in compiled if module == "numba.cpython.unicode"]
    (folder,) = (tmp_path / "wheatstone" / "compiled").iterdir()
    assert list(folder.rglob("*.nbc"))
    assert not compiled_for_a_frame(tmp_path)


def slices_written(function: ast.FunctionDef) -> Iterator[int]:
    """The lines of a function that assign to a slice, whose error texts are compiled with it."""
    written = [node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.AugAssign)]
    for node in written:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Subscript):
                indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else ()
                if any(isinstance(index, ast.Slice) for index in (target.slice, *indices)):
                    yield node.lineno


def test_compiled_code_assigns_to_no_slices() -> None:
    listed = []
    for file in sorted((ROOT / "gpu" / "cpu").glob("*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                listed += [f"{file.name}:{line}" for line in slices_written(node)]
    assert not listed


def test_what_is_kept_depends_on_every_source(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    helper = tmp_path / "room" / "helper.py"
    helper.write_text("STEPS = 16\n")
    before = kept.sources_key([tmp_path])
    assert kept.sources_key([tmp_path]) == before
    helper.write_text("STEPS = 8\n")
    edited = kept.sources_key([tmp_path])
    helper.rename(tmp_path / "helper.py")
    assert len({before, edited, kept.sources_key([tmp_path])}) == 3


def test_folders_long_unused_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "user_cache_path", lambda name: tmp_path / name)
    folders = {}
    for days in (31, 29, 0):
        folders[days] = folder = kept.kept_folder("compiled", (), f"days{days}")
        assert folder
        used = folder.stat().st_mtime - days * 24 * 3600
        os.utime(folder, (used, used))
    assert set((tmp_path / "wheatstone" / "compiled").iterdir()) == {folders[0], folders[29]}


def test_what_vanishes_while_unused_files_are_removed_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "vanished").symlink_to(tmp_path / "listed, and no longer there")
    for name, age in (("used", 0), ("unused", 2 * kept.UNUSED)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    kept.remove_unused(tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {"vanished", "used"}


def test_nothing_is_kept_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wheatstone").write_text("a file stands where the folder would be")
    monkeypatch.setattr(kept, "user_cache_path", lambda name: tmp_path / name)
    assert kept.kept_folder("compiled", (), "anywhere") is None


def test_who_asks_hears_of_compilations_that_python_waits_for() -> None:
    texts: list[str] = []
    before = compilations()
    with telling(texts.append):
        compiling("wheatstone.gpu.cpu.median_filters", called_by_python=True)
        compiling("wheatstone.gpu.cpu.lanes", called_by_python=False)
    compiling("wheatstone.gpu.cpu.descriptors", called_by_python=True)
    assert texts == ["median filters"]
    assert compilations() == before + 3


def test_a_thread_hears_of_its_own_compilations_or_of_all_if_asked() -> None:
    own: list[str] = []
    every: list[str] = []
    in_thread: list[str] = []

    def compile_in_background() -> None:
        with telling(in_thread.append):
            compiling("wheatstone.gpu.cpu.median_filters", called_by_python=True)

    with telling(own.append), telling(every.append, everywhere=True):
        neighbours = threading.Thread(target=compile_in_background)
        neighbours.start()
        neighbours.join()
        compiling("wheatstone.gpu.cpu.descriptors", called_by_python=True)
    assert (own, in_thread) == (["descriptors"], ["median filters"])
    assert every == ["median filters", "descriptors"]


def test_a_frame_given_up_ends_no_other_thread_s_compilation() -> None:
    begun, given_up = threading.Event(), threading.Event()

    def job(task: Task[None]) -> None:
        with telling(lambda function: task.report(0.5, function)):
            begun.set()
            given_up.wait(10)

    worker = Worker()
    try:
        task = worker.submit("a frame", job)
        assert begun.wait(10)
        task.cancel()
        # As the display's thread does.
        compiling("wheatstone.gpu.cpu.median_filters", called_by_python=True)
        given_up.set()
        assert task.wait(10)
    finally:
        worker.close()


@pytest.mark.parametrize(
    ("words", "needed", "of_gpu"),
    [
        ("--version", "", ""),
        ("--help", "", ""),
        ("render --help", "", ""),
        ("compare --help", "", ""),
        ("bench --help", "", ""),
        ("doctor", "rich", "cupy cv2 scipy"),
        pytest.param(
            "render invert --scene-size 32x24 --out {}", "numba cv2 OpenGL PIL yaml", "cupy scipy",
            marks=pytest.mark.opengl,
        ),
    ],
)  # fmt: skip
def test_a_verb_imports_no_package_that_it_does_not_use(
    words: str, needed: str, of_gpu: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", IMPORTED, *words.format(tmp_path / "out.png").split()]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    allowed = needed if why_unavailable("cuda") else f"{needed} {of_gpu}"
    assert HEAVY & set(run.stdout.splitlines()[-1].split()) <= set(allowed.split())


def test_a_window_imports_no_room_before_somebody_enters_it() -> None:
    imported = "import sys, wheatstone.viewer.cli.view; print(*sys.modules)"
    command = [sys.executable, "-c", imported]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = run.stdout.split()
    assert "wheatstone.viewer.window.app" in names and "wheatstone.viewer.window.effects" in names
    later = (
        "wheatstone.viewer.figures.",
        "wheatstone.viewer.panels.lessons.",
        "wheatstone.viewer.panels.lesson.",
        "wheatstone.viewer.run.jobs.",
        "yaml",
    )
    assert not [name for name in names if name.startswith(later)]


@pytest.mark.parametrize("name", ["ncc", "mean"])
def test_another_process_can_call_the_last_steps_first(name: str) -> None:
    pipeline = PIPELINES[name]
    execution = prepare(pipeline, "cpu", pipeline.params(), 48, 64)
    compile_ahead.compile_from_the_end(json.loads(json.dumps(compile_ahead.request_of(execution))))


def test_another_process_begins_with_the_first_compilation_and_ends_with_the_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[subprocess.Popen[str]] = []
    start = compile_ahead.start

    def noted(execution: Execution) -> "subprocess.Popen[str]":
        started.append(start(execution))
        return started[-1]

    monkeypatch.setattr(compile_ahead, "is_worthwhile", lambda execution: True)
    monkeypatch.setattr(compile_ahead, "start", noted)
    execution = prepare(PIPELINES["mean"], "cpu", PIPELINES["mean"].params(), 48, 64)
    with compile_ahead.compiling_ahead(execution):
        assert not started
        for _ in range(2):
            compiling("wheatstone.gpu.cpu.image_filters", called_by_python=True)
        assert len(started) == 1
    assert started[0].returncode is not None


def test_a_small_frame_of_few_steps_has_no_other_process() -> None:
    pipeline = PIPELINES["invert"]
    execution = prepare(pipeline, "cpu", pipeline.params(), 4, 4)
    assert not compile_ahead.is_worthwhile(execution)
