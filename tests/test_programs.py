"""Kernels compiled on all cores and kept; by the real compiler, without a GPU."""

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from wheatstone.gpu import compilations as kept
from wheatstone.gpu import nvidia
from wheatstone.gpu.compilations import telling
from wheatstone.gpu.kernels import programs
from wheatstone.gpu.kernels.image_filters import MEAN_FILTER_KERNELS, invert
from wheatstone.gpu.kernels.programs import Program, Target, compile_all, uncompiled

HOPPER = Target(90, 12)
KERNELS = (*invert.kernels.values(), *MEAN_FILTER_KERNELS.values())
PROGRAMS = list(dict.fromkeys(each.program for each in KERNELS))[:3]


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
    texts: list[str] = []
    with telling(texts.append):
        first = compile_all(PROGRAMS, HOPPER)
        assert texts == [each.file.removesuffix(".cu").replace("_", " ") for each in PROGRAMS]
        assert compile_all(PROGRAMS, HOPPER) == first
    assert len(texts) == len(PROGRAMS)
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
def test_a_spoilt_file_is_compiled_again(spoil: bytes | None) -> None:
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


def test_who_hears_of_it_may_end_it() -> None:
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


def test_the_compiler_is_distinguished_without_loading_it() -> None:
    state = nvidia.compiler_state(12)
    assert re.match(r"nvrtc1[23]\b", state) and state == nvidia.compiler_state(12)
