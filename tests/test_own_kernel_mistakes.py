"""Typical mistakes in kernels, and the verdict on each: its state, the kind of fault, the place."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from wheatstone.viewer.run.kernels.comparing import THOROUGH
from wheatstone.viewer.run.kernels.folder import KernelFolder
from wheatstone.viewer.run.kernels.judging import KernelJudge, judge

HERE = Path(__file__).resolve().parent / "own_kernels"
MISTAKES: dict[str, Any] = tomllib.loads((HERE / "mistakes.toml").read_text())
STAGES = {
    "median_filter": ("sgm", "global", "median_filter"),
    "mean_filter": ("mean", "global", "mean_filter"),
    "mean_filter_texture": ("mean", "texture", "mean_filter"),
    "winner_takes_all": ("sgm", "global", "winner_takes_all"),
}
"""Pipeline, base and stage of each kernel."""
FEW = replace(THOROUGH, cases=0, large=False)


def written(folder: Path, kernel: str, text: str) -> KernelFolder:
    pipeline, base, stage = STAGES[kernel]
    (folder / f"{kernel}.cu").write_text(text)
    (folder / "kernel.toml").write_text(
        f'name = "mine"\npipeline = "{pipeline}"\nbase = "{base}"\n'
        f'[stages.{stage}]\nfile = "{kernel}.cu"\n'
    )
    return KernelFolder.read(folder)


def line_of(text: str, statement: str) -> int:
    return 1 + text[: text.index(statement)].count("\n")


def mistaken(name: str) -> str:
    """Return the text of a kernel with a mistake."""
    mistake = MISTAKES[name]
    right = (HERE / f"{mistake['kernel']}.cu").read_text()
    assert mistake["right"] in right
    return right.replace(mistake["right"], mistake["wrong"], 1)


@pytest.mark.parametrize("kernel", STAGES)
def test_without_a_mistake_a_kernel_is_identical(
    emulated_kernels: None, tmp_path: Path, kernel: str
) -> None:
    folder = written(tmp_path, kernel, (HERE / f"{kernel}.cu").read_text())
    judging = KernelJudge(folder.kernels)
    judging.compare(judging.cases(0, 0))
    assert judging.verdict.stages[0].identical == judging.verdict.cases > 5


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_and_its_place_named(
    emulated_kernels: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    mistake, text = MISTAKES[name], mistaken(name)
    if mistake.get("reason") == "time":
        monkeypatch.setattr("wheatstone.gpu.own_kernels.process.LIMIT", 0.2)
    verdict = judge(written(tmp_path, mistake["kernel"], text), effort=FEW)
    assert verdict.state == mistake["state"], verdict
    line = line_of(text, mistake["statement"]) if "statement" in mistake else None
    if verdict.state == "compile error":
        assert mistake["message"] in verdict.errors[0].message
        assert abs(verdict.errors[0].line - (line or 0)) <= 1
        return
    stage = verdict.failed
    assert stage
    if stage.wrong:
        assert mistake["message"] in str(stage.wrong)
        assert list(stage.wrong.index) == mistake.get("index", list(stage.wrong.index))
        return
    assert stage.fault and stage.fault.reason == mistake["reason"]
    assert mistake["message"] in stage.fault.message
    if line is not None:
        assert stage.fault.line == line


@pytest.mark.cuda
@pytest.mark.faults
@pytest.mark.parametrize("name", MISTAKES)
def test_a_gpu_finds_a_mistake_or_is_known_to_miss_it(tmp_path: Path, name: str) -> None:
    mistake = MISTAKES[name]
    verdict = judge(written(tmp_path, mistake["kernel"], mistaken(name)), effort=FEW)
    assert verdict.state in mistake.get("on_gpu", [mistake["state"]]), verdict
    assert not verdict.emulated
