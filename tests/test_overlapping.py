"""Kernels that begin while the one before ends: what the driver is told; that they wait first."""

import ctypes
import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.test_kernels_compile import FILES, kernels
from wheatstone.gpu import nvidia
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.kernels import overlapping
from wheatstone.gpu.kernels.kernel import Kernel
from wheatstone.gpu.kernels.programs import FOLDER, source, waits_first
from wheatstone.gpu.nvidia import compiled
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.inputs import inputs_of

OVERLAPPING = [
    pytest.param(waiting[0], id=file)
    for file in FILES
    if (waiting := [k for k in kernels(file) if waits_first(k.file, k.name)])
]
STUB = """\
#include <cuda.h>
#include <string.h>
CUresult cuDriverGetVersion(int *version) { *version = 12040; return 0; }
unsigned seen[8]; unsigned long long kernel, stream, first; int second, id, value; float third;
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **arguments, void **extra) {
    unsigned sizes[8] = {c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY,
                         c->blockDimZ, c->sharedMemBytes, c->numAttrs};
    memcpy(seen, sizes, sizeof sizes);
    kernel = (unsigned long long)f; stream = (unsigned long long)c->hStream;
    first = *(unsigned long long *)arguments[0];
    second = *(int *)arguments[1]; third = *(float *)arguments[2];
    id = c->attrs->id; value = c->attrs->value.programmaticStreamSerializationAllowed;
    return f == 0 ? CUDA_ERROR_INVALID_HANDLE : extra ? CUDA_ERROR_INVALID_VALUE : 0;
}
"""


def headers() -> Path:
    pip = importlib.util.find_spec("nvidia")
    places = [Path(each, "cuda_runtime") for each in (pip and pip.submodule_search_locations) or ()]
    for place in (*places, Path("/usr/local/cuda")):
        if (place / "include" / "cuda.h").is_file():
            return place / "include"
    pytest.skip("cuda.h is not installed")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ctypes.CDLL]:
    if not (compiler := shutil.which("gcc")):
        pytest.skip("no C compiler is installed")
    (tmp_path / "stub.c").write_text(STUB)
    stub, words = tmp_path / "stub.so", ("-shared", "-fPIC", f"-I{headers()}")
    subprocess.run([compiler, *words, str(tmp_path / "stub.c"), "-o", str(stub)], check=True)
    monkeypatch.setattr(nvidia, "LIBRARY", str(stub))
    nvidia.driver.cache_clear()
    yield ctypes.CDLL(str(stub))
    nvidia.driver.cache_clear()


def test_the_driver_gets_what_its_header_says(library: ctypes.CDLL) -> None:
    arguments = (np.uint64(2**40 + 1), np.int32(-7), np.float32(0.5))
    overlapping.launch(11, (3, 4), (32,), arguments, 64, 22)
    seen = list((ctypes.c_uint * 8).in_dll(library, "seen"))
    assert seen == [3, 4, 1, 32, 1, 1, 64, 1]
    wide = {n: ctypes.c_ulonglong.in_dll(library, n).value for n in ("kernel", "stream", "first")}
    assert wide == {"kernel": 11, "stream": 22, "first": 2**40 + 1}
    numbers = [ctypes.c_int.in_dll(library, name).value for name in ("second", "id", "value")]
    assert numbers == [-7, 6, 1]
    assert ctypes.c_float.in_dll(library, "third").value == 0.5
    assert nvidia.spoken_version() == 12040
    with pytest.raises(RuntimeError, match="error 400"):
        overlapping.launch(0, (1,), (32,), arguments, 0, 0)


def test_without_a_driver_nothing_overlaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvidia, "LIBRARY", "libnone.so")
    nvidia.driver.cache_clear()
    overlapping.is_possible.cache_clear()
    assert nvidia.spoken_version() == 0 and not overlapping.is_possible()
    nvidia.driver.cache_clear()
    overlapping.is_possible.cache_clear()


@pytest.mark.parametrize("kernel", OVERLAPPING)
def test_what_waits_first_reads_and_writes_nothing_before(kernel: Kernel) -> None:
    pytest.importorskip("cuda.bindings.nvrtc", reason="comes with the extra nvrtc")
    # For a GPU that the compiler does not know, which makes it write text.
    ptx, kind = compiled(kernel.file, source(kernel.file), kernel.options, 999, 12)
    assert kind == "ptx"
    body = ptx.decode().partition(f".entry {kernel.name}(")[2].partition("\n}")[0]
    before, wait, _ = body.partition("griddepcontrol.wait")
    assert wait
    touched = re.findall(r"\b(?:ld|st|atom|red|tex|suld|sust)\.[\w.]+", before)
    assert [each for each in touched if not each.startswith("ld.param")] == []


def test_nobody_waits_later() -> None:
    for file in FILES:
        waits = (FOLDER / file).read_text().count("wait_for_previous()")
        names = {kernel.name for kernel in kernels(file) if waits_first(file, kernel.name)}
        assert waits == len(names), file


@pytest.mark.cuda
@pytest.mark.parametrize(("pipeline", "size"), [("canny", (270, 480)), ("sgm", (121, 203))])
def test_frames_that_overlap_keep_their_bits(pipeline: str, size: tuple[int, int]) -> None:
    declared = PIPELINES[pipeline]
    params, random = declared.params(), np.random.default_rng(3)
    views = [
        inputs_of(declared, {s: random.integers(0, 256, size, np.uint8) for s in ("left", "right")})
        for _ in range(4)
    ]
    expected = [compute(declared, "cpu", params, **each) for each in views]
    execution = prepare(declared, "fast", params, *size)
    for number in range(1000):
        execution.upload(**views[number % 4])
        execution.run()
        if number % 7 == 0:
            result = execution.download(declared.output)
            assert np.array_equal(result, expected[number % 4])
