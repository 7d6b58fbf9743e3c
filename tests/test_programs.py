"""Kernels compiled on all cores and kept; what the driver is told of those that overlap."""

import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.test_kernels_compile import FILES, kernels
from wheatstone.gpu import driver, kept, nvrtc
from wheatstone.gpu.compilations import telling
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.kernels import overlapping, programs
from wheatstone.gpu.kernels.invert import KERNELS as INVERT
from wheatstone.gpu.kernels.kernel import Kernel
from wheatstone.gpu.kernels.mean_filter import KERNELS as MEAN
from wheatstone.gpu.kernels.programs import Program, Target, compile_all, uncompiled
from wheatstone.gpu.kernels.source import FOLDER, source, waits_first
from wheatstone.gpu.nvrtc import compiled
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.inputs import inputs_of

HOPPER = Target(90, 12)
PROGRAMS = list(dict.fromkeys(each.program for each in (*INVERT.values(), *MEAN.values())))[:3]


@pytest.fixture(autouse=True)
def _with_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pytest.importorskip("cuda.bindings.nvrtc", reason="comes with the extra nvrtc")
    monkeypatch.setattr(kept, "user_cache_path", lambda name: tmp_path / name)
    monkeypatch.setattr(programs, "_modules", {})  # of a GPU's, other tests loaded some
    kept.kept_folder.cache_clear()
    yield
    kept.kept_folder.cache_clear()


def test_what_was_compiled_is_kept_for_the_next_start() -> None:
    assert uncompiled(PROGRAMS, HOPPER) == PROGRAMS
    told: list[str] = []
    with telling(told.append):
        first = compile_all(PROGRAMS, HOPPER)
        assert told == [each.file.removesuffix(".cu").replace("_", " ") for each in PROGRAMS]
        assert compile_all(PROGRAMS, HOPPER) == first
    assert len(told) == len(PROGRAMS)
    assert list(first) == PROGRAMS and uncompiled(PROGRAMS, HOPPER) == []
    assert {path.read_bytes()[:4] for path in first.values()} == {b"\x7fELF"}
    assert {path.suffix for path in HOPPER.folder.iterdir()} == {".cubin"}


def test_a_newer_gpu_than_the_compiler_knows_gets_code_that_the_driver_finishes() -> None:
    (path,) = compile_all(PROGRAMS[:1], Target(999, 12)).values()
    assert path.suffix == ".ptx" and b".target sm_" in path.read_bytes()


def test_other_options_and_other_gpus_are_other_files() -> None:
    with_option = Program(PROGRAMS[0].file, (*PROGRAMS[0].options, "-DUNUSED=1"))
    compile_all([PROGRAMS[0]], HOPPER)
    assert uncompiled([with_option], HOPPER) == [with_option]
    assert uncompiled([PROGRAMS[0]], Target(75, 12)) == [PROGRAMS[0]]


@pytest.mark.parametrize("spoil", [b"", b"\x7fELF", None])
def test_a_spoilt_file_is_compiled_anew(spoil: bytes | None) -> None:
    (path,) = compile_all(PROGRAMS[:1], HOPPER).values()
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"x" if spoil is None else spoil)
    assert uncompiled(PROGRAMS[:1], HOPPER) == PROGRAMS[:1]
    assert compile_all(PROGRAMS[:1], HOPPER) == {PROGRAMS[0]: path}
    assert path.read_bytes() == whole


def test_an_error_names_the_file_and_what_the_compiler_says() -> None:
    broken = Program(PROGRAMS[0].file, (*PROGRAMS[0].options, "-Dvoid=nothing"))
    with pytest.raises(RuntimeError, match=rf"{broken.file} does not compile: .*nothing"):
        compile_all([broken], HOPPER)
    assert not list(HOPPER.folder.iterdir())


def test_who_is_told_may_end_it() -> None:
    def stop(kernel: str) -> None:
        raise InterruptedError(kernel)

    with telling(stop), pytest.raises(InterruptedError):
        compile_all(PROGRAMS, HOPPER)
    assert compile_all(PROGRAMS, HOPPER)


def test_several_are_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(2, timeout=60)

    def compiled(*of: object) -> tuple[bytes, str]:
        together.wait()  # for another that compiles, too
        return b"code", "cubin"

    monkeypatch.setattr(programs, "compiled", compiled)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert len(compile_all(PROGRAMS[:2], HOPPER)) == 2


def test_where_nothing_can_be_kept_it_is_compiled_for_this_process(tmp_path: Path) -> None:
    (tmp_path / "wheatstone").write_text("a file stands where the folder would be")
    (path,) = compile_all(PROGRAMS[:1], HOPPER).values()
    assert path.is_file() and tmp_path not in path.parents


def test_the_compiler_is_told_apart_without_loading_it() -> None:
    state = nvrtc.compiler_state(12)
    assert re.match(r"nvrtc1[23]\b", state) and state == nvrtc.compiler_state(12)


OVERLAPPING = [
    pytest.param(found[0], id=file)
    for file in FILES
    if (found := [k for k in kernels(file) if waits_first(k.file, k.name)])
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
    monkeypatch.setattr(driver, "LIBRARY", str(stub))
    driver.driver.cache_clear()
    yield ctypes.CDLL(str(stub))
    driver.driver.cache_clear()


def test_the_driver_is_told_what_its_header_says(library: ctypes.CDLL) -> None:
    arguments = (np.uint64(2**40 + 1), np.int32(-7), np.float32(0.5))
    overlapping.launch(11, (3, 4), (32,), arguments, 64, 22)
    seen = list((ctypes.c_uint * 8).in_dll(library, "seen"))
    assert seen == [3, 4, 1, 32, 1, 1, 64, 1]
    wide = {n: ctypes.c_ulonglong.in_dll(library, n).value for n in ("kernel", "stream", "first")}
    assert wide == {"kernel": 11, "stream": 22, "first": 2**40 + 1}
    numbers = [ctypes.c_int.in_dll(library, name).value for name in ("second", "id", "value")]
    assert numbers == [-7, 6, 1]
    assert ctypes.c_float.in_dll(library, "third").value == 0.5
    assert driver.spoken_version() == 12040
    with pytest.raises(RuntimeError, match="error 400"):
        overlapping.launch(0, (1,), (32,), arguments, 0, 0)


def test_without_a_driver_nothing_overlaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LIBRARY", "libnone.so")
    driver.driver.cache_clear()
    overlapping.is_possible.cache_clear()
    assert driver.spoken_version() == 0 and not overlapping.is_possible()
    driver.driver.cache_clear()
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
            found = execution.download(declared.output)
            assert np.array_equal(found, expected[number % 4])
