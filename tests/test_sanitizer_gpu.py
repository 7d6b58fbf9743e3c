"""compute-sanitizer itself, on right kernels and on mistaken ones."""

from pathlib import Path

import pytest

from tests.test_own_kernel_mistakes import HERE, MISTAKES, STAGES, mistaken, written
from wheatstone.gpu.own_kernels.sanitizer import TOOLS, find_sanitizer
from wheatstone.viewer.panels.own_kernel.kernel_words import finding_line
from wheatstone.viewer.run.kernels.sanitizing import sanitized

pytestmark = [pytest.mark.cuda, pytest.mark.faults]


def findings_on(folder: Path, kernel: str, text: str) -> list[str]:
    if find_sanitizer() is None:
        pytest.skip("compute-sanitizer is not installed")
    steps: list[str] = []
    kernels = written(folder, kernel, text).kernels
    report = sanitized(kernels, lambda _, step: steps.append(step), lambda: False)
    assert len(steps) == len(TOOLS)
    return [finding_line(each) for each in report.findings]


@pytest.mark.parametrize("kernel", STAGES)
def test_a_right_kernel_has_no_findings(tmp_path: Path, kernel: str) -> None:
    assert findings_on(tmp_path, kernel, (HERE / f"{kernel}.cu").read_text()) == []


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("out_of_bounds_by_a_row", "memcheck"),
        ("missing_bounds_check", "memcheck"),
        ("missing_barrier", "racecheck"),
    ],
)
def test_the_tool_finds_a_mistake_and_its_line(tmp_path: Path, name: str, tool: str) -> None:
    mistake, text = MISTAKES[name], mistaken(name)
    lines = findings_on(tmp_path, mistake["kernel"], text)
    assert any(f" {tool}: " in line and line.startswith("median_filter.cu:") for line in lines), (
        lines
    )
