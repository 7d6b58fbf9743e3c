"""Source text to be read."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from tests.test_kernels_compile import hasty, kernels, nvrtc  # noqa: F401
from wheatstone.gpu.kernels.programs import FOLDER, files
from wheatstone.viewer.panels.kernels.listing import ListingLine, listing

KERNEL = {
    "sum.cu": """\
// Sums.
#include "add.cuh"

#define SIDE 3

constexpr int UNUSED = 4;

// Of three.
__device__ int three(int a) {
    return SIDE * add(a, 0);  // not UNUSED

}

extern "C" __global__ void sum_global(int* out) {
    out[0] = three(1);
}

extern "C" __global__ void sum_other(int* out) {
    out[0] = 0;
}
""",
    "add.cuh": """\
__device__ int add(int a, int b) { return a + b; }

__device__ int subtract(int a, int b) { return a - b; }
""",
}
PYTHON = {
    "half.py": '''\
"""Halves."""

from numbers import Number, Rational

WHOLE = 2
OTHER = 3


def _half(value):
    """Not OTHER."""
    return value // WHOLE


def half(value: Rational):
    # Call _half.
    return _half(value)


def other():
    return 0
'''
}


def by_file(lines: Sequence[ListingLine]) -> dict[str, tuple[ListingLine, ...]]:
    starts = [i for i, line in enumerate(lines) if not line.number] + [len(lines)]
    return {lines[a].text: tuple(lines[a + 1 : b]) for a, b in pairwise(starts)}


def test_a_whole_listing_has_every_line_of_every_file() -> None:
    lines = listing(KERNEL, "cuda", "sum_global")
    numbers = [line.number for line in by_file(lines.lines)["sum.cu"]]
    assert numbers == list(range(1, KERNEL["sum.cu"].count("\n") + 1))
    assert lines.lines[lines.entry].text.startswith('extern "C" __global__ void sum_global')
    assert lines.lines[lines.entry].number == 14


def test_a_kernel_may_begin_below_its_attributes() -> None:
    text = """\
constexpr int THREADS = 64, OTHERS = 3;

extern "C" __launch_bounds__(THREADS, 2) __global__
    void sum_bounded(int* out) {
    out[0] = 0;
}

__device__ int unused() { return OTHERS; }
"""
    lines = listing({"sum.cu": text}, "cuda", "sum_bounded", whole=False)
    assert lines.lines[lines.entry].text == "    void sum_bounded(int* out) {"
    assert [line.number for line in lines.lines[1:]] == [1, 2, 3, 4, 5, 6, 7]


def test_what_is_used_leaves_out_the_rest() -> None:
    lines = listing(KERNEL, "cuda", "sum_global", whole=False)
    used = [line.text for line in lines.lines]
    assert "#define SIDE 3" in used and "// Of three." in used
    assert not any("UNUSED =" in text or "sum_other" in text for text in used)
    assert not any("subtract" in text for text in used)
    assert "__device__ int add(int a, int b) { return a + b; }" in used


def test_python_is_cut_at_its_functions() -> None:
    lines = listing(PYTHON, "python", "half", whole=False)
    used = [line.number for line in lines.lines if line.text and line.number]
    assert used == [3, 5, 6, 9, 10, 11, 14, 15, 16]  # OTHER stands in the same paragraph


def test_kinds_drawn_over_each_other_make_the_line() -> None:
    text = '__device__ int half = 2;  // "half"'
    (line,) = (line for line in listing({"a.cu": text}, "cuda", "f").lines if line.number)
    assert dict(line.parts) == {
        "builtin": "__device__",
        "keyword": "           int",
        "text": "               half =  ;",
        "string": "                      2",
        "comment": '                          // "half"',
    }


def test_a_docstring_of_several_lines_is_a_comment_on_each() -> None:
    lines = listing({"a.py": '"""One\n  two"""\nx = 1'}, "python", "f").lines
    kinds = [[kind for kind, _ in line.parts] for line in lines]
    assert kinds[1:] == [["comment"], ["comment"], ["text", "string"]]


def test_a_function_that_another_does_not_call_is_not_listed_with_it() -> None:
    text = "\n\n\n".join(f"def {name}(\n    x: int,\n) -> None:\n    x += 1" for name in "fg")
    lines = listing({"a.py": text}, "python", "f", whole=False).lines
    assert [line.text for line in lines if "def" in line.text] == ["def f("]


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.cu")))
def test_what_a_kernel_uses_compiles_alone(nvrtc: Any, file: str) -> None:  # noqa: F811
    kernel = kernels(file)[0]
    known = [value for _, value in kernel.defines]
    lines = listing(files(file), "cuda", kernel.name, whole=False, known=known)
    own, *headers = by_file(lines.lines).values()
    text = "\n".join(line.text for part in (*headers, own) for line in part)
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), file.encode(), 0, [], [])
    wanted = (*kernel.options, "-arch=compute_90", *hasty(nvrtc))
    options = [option.encode() for option in wanted]
    (result,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = bytes(nvrtc.nvrtcGetProgramLogSize(program)[1])
    nvrtc.nvrtcGetProgramLog(program, log)
    assert result == nvrtc.nvrtcResult.NVRTC_SUCCESS, log.decode()
