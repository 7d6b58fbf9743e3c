"""Folders of the user's own kernels: made for every stage, read, run without a GPU, and judged."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from tests.test_kernels_compile import nvrtc as nvrtc  # a fixture
from wheatstone.gpu import Unavailable
from wheatstone.gpu.kernels.kernel import Launch
from wheatstone.gpu.nvidia import _bindings, compiled
from wheatstone.gpu.own_kernels.bases import check_base, gpu_variants, own_stages
from wheatstone.gpu.own_kernels.compiling import _code_for_any_gpu, architecture_error
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.run.kernels import judging
from wheatstone.viewer.run.kernels.calls import default_launches, reference_calls
from wheatstone.viewer.run.kernels.comparing import LARGE, QUICK, THOROUGH
from wheatstone.viewer.run.kernels.folder import KernelFolder
from wheatstone.viewer.run.kernels.judging import KernelFailed, KernelJudge, judge
from wheatstone.viewer.run.kernels.new import new_files, write_folder

STAGES = [
    pytest.param(pipeline, stage.name, id=f"{pipeline.name}-{stage.name}")
    for pipeline in PIPELINES.values()
    for stage in own_stages(pipeline)
]


def bases_of(pipeline: Pipeline, stage: str) -> Iterator[str]:
    """Yield the variants from which the kernel of a stage can be copied."""
    for variant in gpu_variants(pipeline):
        try:
            check_base(pipeline, variant.name, [(stage, True)])
        except ValueError:
            continue
        yield variant.name


COPIES = [
    pytest.param(pipeline, stage.name, base, id=f"{pipeline.name}-{stage.name}-{base}")
    for pipeline in PIPELINES.values()
    for stage in own_stages(pipeline)
    for base in bases_of(pipeline, stage.name)
]
FIRST_COPIES = [
    pytest.param(pipeline, stage, next(bases_of(pipeline, stage)), id=f"{pipeline.name}-{stage}")
    for pipeline in PIPELINES.values()
    for stage in (one.name for one in own_stages(pipeline))
]
"""One copy of each stage; a GPU checks all ``COPIES`` in the same time."""


def made(
    path: Path, pipeline: Pipeline, *stages: str, base: str | None = None, python: bool = False
) -> KernelFolder:
    write_folder(path, new_files(pipeline, stages, "mine", base, in_python=python))
    return KernelFolder.read(path)


def launches_of(folder: KernelFolder) -> list[Launch]:
    (own,) = folder.kernels.stages
    return default_launches(OwnFunction(folder.kernels, own))


@pytest.mark.parametrize(("pipeline", "stage"), STAGES)
def test_every_stage_can_begin_empty_or_as_a_python_function(
    tmp_path: Path, pipeline: Pipeline, stage: str
) -> None:
    empty = made(tmp_path / "empty", pipeline, stage)
    (own,) = empty.kernels.stages
    assert own.entry == stage and "// Write " in own.text
    assert len(launches_of(empty)) == 1
    in_python = made(tmp_path / "python", pipeline, stage, python=True)
    assert compile(in_python.kernels.stages[0].text, "kernel.py", "exec")


@pytest.mark.parametrize(("pipeline", "stage"), STAGES)
def test_every_stage_can_be_copied_from_a_variant(pipeline: Pipeline, stage: str) -> None:
    assert list(bases_of(pipeline, stage))


@pytest.mark.parametrize(("pipeline", "stage", "base"), FIRST_COPIES)
def test_a_copy_compiles_for_a_gpu(
    tmp_path: Path, nvrtc: Any, pipeline: Pipeline, stage: str, base: str
) -> None:
    folder = made(tmp_path / "copy", pipeline, stage, base=base)
    for launch in launches_of(folder):
        program = launch.kernel.program
        compiled(program.file, program.source, program.all_options, 90, nvrtc.nvrtcVersion()[1])


@pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=PIPELINES)
def test_all_stages_of_a_pipeline_fit_in_one_folder(tmp_path: Path, pipeline: Pipeline) -> None:
    names = [stage.name for stage in own_stages(pipeline)]
    folder = made(tmp_path / "all", pipeline, *names)
    assert [own.stage for own in folder.kernels.stages] == names


@pytest.mark.parametrize(("pipeline", "stage", "base"), FIRST_COPIES)
def test_a_copy_is_identical_to_the_reference(
    tmp_path: Path, emulated_kernels: None, pipeline: Pipeline, stage: str, base: str
) -> None:
    folder = made(tmp_path / "copy", pipeline, stage, base=base)
    judge_one = KernelJudge(folder.kernels, effort=replace(THOROUGH, large=False))
    judge_one.compare(judge_one.cases(1, 0)[-1:])
    assert judge_one.verdict.failed is None
    assert judge_one.verdict.stages[0].identical == 1


def test_an_index_that_overflows_in_large_images_is_wrong_however_few_cases_are_random(
    tmp_path: Path, emulated_kernels: None
) -> None:
    folder = made(tmp_path / "short", PIPELINES["invert"], "invert", base="global")
    file = folder.path / "invert.cu"
    file.write_text(
        file.read_text().replace("left[at(y, x, width)]", "left[(unsigned short)at(y, x, width)]")
    )
    verdict = judge(KernelFolder.read(folder.path), effort=replace(THOROUGH, cases=1))
    stage = verdict.failed
    assert stage and stage.wrong and stage.case
    assert (stage.case.height, stage.case.width) == LARGE
    overflows = divmod(2**16, LARGE[1])
    assert stage.wrong.index >= overflows and f"y {stage.wrong.index[0]}" in str(stage.wrong)
    assert verdict.stages[0].identical == verdict.cases - 1


@pytest.mark.parametrize(
    ("right", "wrong"),
    [('extern "C" __global__', "__global__"), ('extern "C" __global__ void', "void")],
)
def test_a_kernel_that_a_gpu_cannot_launch_does_not_compile(
    tmp_path: Path, nvrtc: Any, emulated_kernels: None, right: str, wrong: str
) -> None:
    folder = made(tmp_path / "own", PIPELINES["invert"], "invert", base="global")
    file = folder.path / "invert.cu"
    file.write_text(file.read_text().replace(right, wrong))
    verdict = judge(KernelFolder.read(folder.path), effort=QUICK)
    assert verdict.state == "compile error"
    assert verdict.errors[0].file == "invert.cu"


@pytest.fixture
def no_nvrtc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without NVIDIA's compiler, as one is after an installation without a GPU."""
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    for cached in (_bindings, _code_for_any_gpu):
        cached.cache_clear()
    yield
    for cached in (_bindings, _code_for_any_gpu):
        cached.cache_clear()


def test_a_kernel_is_checked_without_the_compiler_for_gpus(
    tmp_path: Path, emulated_kernels: None, no_nvrtc: None
) -> None:
    folder = made(tmp_path / "own", PIPELINES["invert"], "invert", base="global")
    verdict = judge(folder, effort=replace(QUICK, cases=2))
    assert (verdict.state, verdict.errors) == ("identical", ())
    with pytest.raises(Unavailable, match=r"wheatstone\[cuda\]"):
        architecture_error({launch.kernel.program for launch in launches_of(folder)})


def test_a_save_draws_no_case_and_computes_no_reference_again(
    tmp_path: Path, emulated_kernels: None
) -> None:
    folder = made(tmp_path / "own", PIPELINES["invert"], "invert", base="global")
    file = folder.path / "invert.cu"
    judge(folder, effort=QUICK)
    before = [cached.cache_info().misses for cached in (judging._drawn, reference_calls)]
    file.write_text(f"{file.read_text()}\n// saved\n")
    assert judge(KernelFolder.read(folder.path), effort=QUICK).state == "identical"
    after = [cached.cache_info().misses for cached in (judging._drawn, reference_calls)]
    assert before == after and all(before)


def test_a_quick_check_sees_a_start_value_that_is_below_the_highest_costs(
    tmp_path: Path, emulated_kernels: None
) -> None:
    text = (Path(__file__).parent / "own_kernels" / "winner_takes_all.cu").read_text()
    wrong = text.replace("d = 1;", "d = 0, m = 1000;").replace(
        "if (own[d] < own[best]) best = d;", "if (own[d] < m) { best = d; m = own[d]; }"
    )
    (tmp_path / "winner.cu").write_text(wrong)
    (tmp_path / "kernel.toml").write_text(
        'name = "mine"\npipeline = "sgm"\nbase = "global"\n'
        '[stages.winner_takes_all]\nfile = "winner.cu"\n'
    )
    quick = KernelJudge(KernelFolder.read(tmp_path).kernels, effort=QUICK)
    with pytest.raises(KernelFailed):
        quick.compare([case for case in quick.cases(0, 0) if case.kind == "extremes"])
    assert quick.verdict.failed and quick.verdict.failed.wrong
