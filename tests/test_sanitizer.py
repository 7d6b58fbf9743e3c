"""The findings of compute-sanitizer, parsed from its output, and the key that runs it."""

import stat
from pathlib import Path
from typing import Any

import pytest

from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from tests.offscreen_app import keys, running_app
from tests.test_kernels_compile import nvrtc as nvrtc  # a fixture
from tests.test_own_kernel_mistakes import HERE
from wheatstone.gpu import Unavailable
from wheatstone.gpu.kernels.programs import OPTIONS, source, with_headers
from wheatstone.gpu.nvidia import compiled
from wheatstone.gpu.own_kernels.sanitizer import (
    HOMES,
    TOOLS,
    Tool,
    find_sanitizer,
    parse_findings,
    run_sanitizer,
)
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.own_kernel.kernel_words import finding_line
from wheatstone.viewer.run.kernels.sanitizing import LINES, check_sanitizer

RECORDED = HERE / "sanitizer"
"""What the versions 2025.3 and 11.x print, by tool."""


@pytest.mark.parametrize(
    ("log", "lines"),
    [
        (
            "memcheck",
            [
                "faults.cu:2: memcheck: Invalid __global__ write of size 1 bytes, by thread "
                "(36, 0, 0) of block (1, 0, 0), 1 bytes after the nearest allocation of size 100 "
                "bytes (3 times)"
            ],
        ),
        (
            "racecheck",
            [
                "faults.cu:6: racecheck: Race reported between Write access in line 6 and Read "
                "access in line 7 (512 times)"
            ],
        ),
        (
            "initcheck",
            [
                "faults.cu:10: initcheck: Uninitialized __global__ memory read of size 4 bytes, "
                "by thread (0, 0, 0) of block (0, 0, 0) (3 times)"
            ],
        ),
        (
            "synccheck",
            [
                "faults.cu:13: synccheck: Barrier error detected. Divergent thread(s) in warp, "
                "by thread (32, 0, 0) of block (0, 0, 0) (3 times)"
            ],
        ),
        (
            "memcheck_11",
            [
                "memcheck_demo.cu:6: memcheck: Invalid __global__ write of size 4 bytes, by thread "
                "(0, 0, 0) of block (0, 0, 0), its address is misaligned",
                "memcheck: Invalid __local__ read of size 8 bytes, by thread (1, 0, 0) of block "
                "(2, 0, 0)",
            ],
        ),
    ],
)
def test_recorded_output_becomes_findings_with_lines(log: str, lines: list[str]) -> None:
    tool: Tool = next(tool for tool in TOOLS if log.startswith(tool))
    findings = parse_findings(tool, (RECORDED / f"{log}.txt").read_text())
    assert [finding_line(each) for each in findings] == lines
    kernels = {"outside", "racing", "unwritten", "diverged", "unaligned_kernel", "spilled"}
    assert {each.function for each in findings} <= kernels


def test_output_without_errors_has_no_findings() -> None:
    log = "========= COMPUTE-SANITIZER\nhello\n========= ERROR SUMMARY: 0 errors\n"
    assert parse_findings("memcheck", log) == ()


def test_it_is_looked_for_where_cuda_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "compute-sanitizer"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho nothing works here\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", "/bin")
    for name in HOMES:
        monkeypatch.setenv(name, str(tmp_path))
    assert find_sanitizer() == program
    with pytest.raises(Unavailable, match="nothing works here"):
        run_sanitizer(program, "memcheck", tmp_path / "requests.json", lambda: False)
    program.write_text("#!/bin/sh\nsleep 60\n")
    assert run_sanitizer(program, "memcheck", tmp_path / "requests.json", lambda: True) == ()


def test_without_it_the_key_names_the_place_to_get_it(
    offscreen: OffscreenContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.viewer.run.kernels.sanitizing.find_sanitizer", lambda: None)
    with running_app("invert", "--scene-size", "48x40", size=(900, 600)) as app:
        keys(app, "Ctrl+Shift+F6")
        app.step()
        assert "developer.nvidia.com/cuda-downloads" in app.state.messages.on_screen.text


def test_emulated_kernels_are_not_checked_by_it(
    emulated_kernels: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "wheatstone.viewer.run.kernels.sanitizing.find_sanitizer", lambda: Path("/bin/true")
    )
    with pytest.raises(Unavailable, match="needs a GPU"):
        check_sanitizer()


def test_a_kernel_compiles_with_lines(nvrtc: Any) -> None:
    text = with_headers("invert.cu", source("invert.cu"))
    code, _ = compiled("invert.cu", text, (*OPTIONS, LINES), 90, nvrtc.nvrtcVersion()[1])
    assert b".debug_line" in code
