"""The user's own kernels on a GPU, in a process of their own."""

import math
import os
import time
from pathlib import Path

import numpy as np
import pytest

from tests.test_own_kernels import COPIES, made
from wheatstone.gpu.device import open_device
from wheatstone.gpu.kernels.programs import with_headers
from wheatstone.gpu.own_kernels.contract import OwnKernels, OwnStage
from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.gpu.own_kernels.process import restart
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.run.kernels.comparing import QUICK
from wheatstone.viewer.run.kernels.judging import KernelJudge, judge

pytestmark = [pytest.mark.cuda, pytest.mark.faults]
KERNEL = """#include "common.cuh"
extern "C" __global__ void invert(const uint8_t* __restrict__ left, uint8_t* __restrict__ inverted,
                                  int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    BODY
}
"""
GOOD = "inverted[y * width + x] = 255 - left[y * width + x];"
IMAGE = np.arange(480 * 640, dtype=np.uint32).astype(np.uint8).reshape(480, 640)


def function(body: str, file: str = "invert.cu") -> OwnFunction:
    text = with_headers(file, KERNEL.replace("BODY", body)) if file.endswith(".cu") else body
    own = OwnStage("invert", file, text, "invert")
    return OwnFunction(OwnKernels("mine", "invert", "global", (own,)), own)


def result(called: OwnFunction) -> np.ndarray:
    device = open_device("cuda")
    with device.active():
        left, inverted = (device.zeros(IMAGE.shape, IMAGE.dtype) for _ in range(2))
        device.upload(left, IMAGE)
        called(left, inverted)
        return device.download(inverted)


def works() -> bool:
    return np.array_equal(result(function(GOOD)), 255 - IMAGE)


def test_a_kernel_computes_its_image() -> None:
    assert works()


def test_an_endless_kernel_is_ended_and_another_one_runs_soon() -> None:
    assert works()
    begin = time.monotonic()
    with pytest.raises(KernelFault, match="did not end within 2 s"):
        result(function("while (clock64() >= 0) {}"))
    assert works() and time.monotonic() - begin < 10


def test_an_illegal_address_ends_the_process_and_not_the_program() -> None:
    with pytest.raises(KernelFault) as raised:
        result(function("*(volatile uint8_t*)8 = left[0];"))
    assert raised.value.reason in ("access", "crash")
    begin = time.monotonic()
    assert works() and time.monotonic() - begin < 5


def test_a_write_next_to_an_image_is_found() -> None:
    with pytest.raises(KernelFault, match="writes outside inverted"):
        result(function(f"{GOOD} if (x == 0 && y == 0) inverted[height * width] = 1;"))
    assert works()


def test_an_error_of_the_compiler_names_the_line() -> None:
    with pytest.raises(KernelFault) as raised:
        result(function("inverted[0] = nothing;"))
    assert (raised.value.reason, raised.value.file, raised.value.line) == (
        "compile",
        "invert.cu",
        6,
    )


IN_PYTHON = {
    "cupy": """
import cupy
def invert(left, inverted):
    cupy.subtract(255, left, out=inverted)
""",
    "cupy.RawKernel": """
import cupy
code = '''extern "C" __global__ void f(const unsigned char* a, unsigned char* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = 255 - a[i];
}'''
kernel = cupy.RawKernel(code, "f")
def invert(left, inverted):
    kernel((left.size // 256 + 1,), (256,), (left, inverted, left.size))
""",
    "numba.cuda": """
from numba import cuda
@cuda.jit
def kernel(left, inverted):
    y, x = cuda.grid(2)
    if y < left.shape[0] and x < left.shape[1]:
        inverted[y, x] = 255 - left[y, x]
def invert(left, inverted):
    kernel[(left.shape[0] // 16 + 1, left.shape[1] // 16 + 1), (16, 16)](left, inverted)
""",
    "triton": """
import torch, triton
import triton.language as tl
@triton.jit
def kernel(left, inverted, count, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < count
    tl.store(inverted + places, 255 - tl.load(left + places, mask), mask)
def invert(left, inverted):
    views = [torch.as_tensor(each, device="cuda") for each in (left, inverted)]
    kernel[(left.size // 1024 + 1,)](*views, left.size, BLOCK=1024)
""",
}


@pytest.mark.parametrize("package", IN_PYTHON)
def test_a_python_function_gets_arrays_of_the_gpu(package: str) -> None:
    for name in (package.partition(".")[0], *["torch"] * (package == "triton")):
        pytest.importorskip(name)
    if package == "numba.cuda" and not hasattr(np, "row_stack"):  # which its launches look up
        pytest.skip("numba.cuda of this version does not run with this version of NumPy")
    assert np.array_equal(result(function(IN_PYTHON[package], "invert.py")), 255 - IMAGE)


@pytest.fixture
def alone() -> None:
    """Skip the test where others use the memory of the GPU at the same time."""
    if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) > 1:
        pytest.skip("other tests take and give back memory of the GPU: run this file alone")


def test_200_versions_take_no_memory(alone: None) -> None:
    import cupy

    assert works()
    free = []
    for version in range(200):
        assert np.array_equal(result(function(f"{GOOD} // {version}")), 255 - IMAGE)
        if version in (50, 199):
            open_device("cuda").give_back()
            free.append(cupy.cuda.runtime.memGetInfo()[0])
    assert free[0] - free[1] < 32 * 2**20


def test_memory_is_given_back_with_the_process(alone: None) -> None:
    import cupy

    assert works()
    restart()
    before = cupy.cuda.runtime.memGetInfo()[0]
    assert works()
    restart()
    assert abs(cupy.cuda.runtime.memGetInfo()[0] - before) < 32 * 2**20


@pytest.mark.parametrize(("pipeline", "stage", "base"), COPIES)
def test_a_copy_is_identical_to_the_reference(
    tmp_path: Path, pipeline: Pipeline, stage: str, base: str
) -> None:
    judging = KernelJudge(made(tmp_path / "copy", pipeline, stage, base=base).kernels)
    judging.compare(judging.cases(8, 0))
    assert judging.verdict.failed is None and judging.verdict.stages[0].identical > 3


def test_a_verdict_has_times_and_registers(tmp_path: Path) -> None:
    folder = made(tmp_path / "copy", PIPELINES["sgm"], "median_filter", base="global")
    verdict = judge(folder, effort=QUICK)
    (stage,) = verdict.stages
    assert verdict.state == "identical" and not verdict.emulated
    assert stage.time and {"global", "shared"} <= stage.time.ratios.keys()
    assert all(math.isfinite(ratio) and ratio > 0 for ratio in stage.time.ratios.values())
    assert stage.use and stage.use[0].registers > 0 and 0 < stage.use[0].occupancy <= 1
