"""The process of the user's own kernels: faults end it, not the program."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.kernels.programs import with_headers
from wheatstone.gpu.own_kernels.calls import Checking
from wheatstone.gpu.own_kernels.contract import OwnKernels, OwnStage
from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.gpu.own_kernels.process import restart
from wheatstone.gpu.own_kernels.variant import OwnFunction, declare
from wheatstone.gpu.pipelines import PIPELINES

pytestmark = pytest.mark.usefixtures("emulated_kernels")
KERNEL = """#include "common.cuh"
extern "C" __global__ void invert(const uint8_t* __restrict__ left, uint8_t* __restrict__ inverted,
                                  int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    BODY
}
"""
GOOD = "inverted[y * width + x] = 255 - left[y * width + x];"
IMAGE = np.arange(35, dtype=np.uint8).reshape(5, 7)


def function(text: str, file: str = "invert.cu") -> OwnFunction:
    own = OwnStage("invert", file, text, "invert")
    return OwnFunction(OwnKernels("mine", "invert", "global", (own,)), own)


def cuda(body: str) -> OwnFunction:
    return function(with_headers("invert.cu", KERNEL.replace("BODY", body)))


def python(body: str) -> OwnFunction:
    return function(f"def invert(left, inverted):\n    {body}\n", "invert.py")


def result(called: OwnFunction) -> np.ndarray:
    inverted = np.zeros_like(IMAGE)
    called(IMAGE, inverted)
    return inverted


def fault(called: OwnFunction) -> KernelFault:
    with pytest.raises(KernelFault) as raised:
        result(called)
    return raised.value


def test_a_kernel_computes_its_image() -> None:
    assert np.array_equal(result(cuda(GOOD)), 255 - IMAGE)


def test_a_kernel_that_does_not_end_is_ended_and_the_next_call_works() -> None:
    assert fault(cuda("volatile int i = 0; while (i == 0) {}")).reason == "time"
    assert np.array_equal(result(cuda(GOOD)), 255 - IMAGE)


@pytest.mark.skipif(os.cpu_count() == 1, reason="one core: one process at a time")
def test_a_call_of_a_kernel_that_is_endless_elsewhere_is_ended_with_that_one() -> None:
    endless = cuda("volatile int i = 0; while (i == 0) {}")
    large = np.zeros((400, 400), np.uint8)  # for which it would be waited longer than 16 s
    with ThreadPoolExecutor(1) as threads:
        picture = threads.submit(endless, large, np.zeros_like(large))
        assert fault(endless).reason == "time"
        with pytest.raises(KernelFault, match="did not end; a loop in it may be endless"):
            picture.result()


@pytest.mark.parametrize("index", ["-1", "height * width"])
def test_an_access_outside_an_image_names_the_image_and_the_line(index: str) -> None:
    called, images = cuda(f"inverted[{index}] = left[0];"), [IMAGE, np.zeros_like(IMAGE)]
    with pytest.raises(KernelFault) as raised:
        called.call(("left", "inverted"), images, (), Checking(accesses=True), first=True)
    actual = raised.value
    assert (actual.reason, actual.file, actual.line) == ("access", "invert.cu", 6)
    assert "inverted" in actual.message


def test_a_kernel_that_does_not_compile_says_where() -> None:
    actual = fault(cuda("inverted[0] = nothing;"))
    assert (actual.reason, actual.file, actual.line) == ("compile", "invert.cu", 6)
    assert "nothing" in actual.message


def test_an_impossible_grid_is_a_fault() -> None:
    own = OwnStage("invert", "invert.cu", cuda(GOOD).own.text, "invert", grid=("width - width",),
                   threads="custom")  # fmt: skip
    actual = fault(OwnFunction(OwnKernels("mine", "invert", "global", (own,)), own))
    assert actual.reason == "launch" and "at least 1" in actual.message


def test_a_python_function_computes_its_image_and_may_print() -> None:
    called = python("print('hello'); inverted[:] = 255 - left")
    assert np.array_equal(result(called), 255 - IMAGE)


def test_a_python_function_has_its_source() -> None:
    called = python(
        "import inspect; inverted[:] = 255 - left * ('left' in inspect.getsource(invert))"
    )
    assert np.array_equal(result(called), 255 - IMAGE)


def test_an_exception_of_a_python_function_has_its_line() -> None:
    actual = fault(python("inverted[5, 0] = 0 // (left[0, 0] * 0)[3]"))
    assert (actual.reason, actual.file, actual.line) == ("exception", "invert.py", 2)
    assert np.array_equal(result(cuda(GOOD)), 255 - IMAGE)


def test_a_process_that_ends_is_started_again() -> None:
    actual = fault(python("import os; os._exit(3)"))
    assert actual.reason == "crash" and "exit code 3" in actual.message
    assert np.array_equal(result(cuda(GOOD)), 255 - IMAGE)


def test_before_the_first_call_of_a_frame_an_image_holds_a_pattern() -> None:
    part = cuda("if (x == 0) inverted[y * width] = 1;")
    for first, before in ((True, 0xA5), (False, 0)):
        inverted = np.zeros_like(IMAGE)
        part.of_images(("left", "inverted"), first=first)(IMAGE, inverted)
        assert (inverted[:, 0] == 1).all() and (inverted[:, 1:] == before).all()


def test_a_frame_with_a_fault_has_no_stage_times() -> None:
    faulty = "if (left[0]) inverted[height * width + 64] = 1;"
    declare(replace(cuda(f"{GOOD} {faulty}").kernels, name="faulty"))
    invert = PIPELINES["invert"]
    execution = prepare(invert, "faulty", invert.params(), 5, 7)
    execution.upload(left=np.zeros_like(IMAGE))
    execution.run(stages=True)
    assert execution.stage_milliseconds().keys() == {"invert"}
    execution.upload(left=np.ones_like(IMAGE))
    with pytest.raises(KernelFault):
        execution.run(stages=True)
    assert execution.stage_milliseconds() == {}


def test_many_kernels_with_many_threads_fit_in_a_process() -> None:
    own = replace(cuda(GOOD).own, block=(32, 32))
    for number in range(34):  # whose stacks take 34 * 1024 * 2 mappings
        each = replace(own, text=f"{own.text}// {number}\n")
        called = OwnFunction(OwnKernels("mine", "invert", "global", (each,)), each)
        assert np.array_equal(result(called), 255 - IMAGE)


def test_nothing_remains_in_shared_memory(tmp_path: Path) -> None:
    before = {path.name for path in Path("/dev/shm").glob("wheatstone-kernel-*")}
    result(cuda(GOOD))
    restart()
    after = {path.name for path in Path("/dev/shm").glob("wheatstone-kernel-*")}
    assert after <= before
