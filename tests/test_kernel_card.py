"""The kernel card: what it shows, its listings, and what is known of kernels."""

import importlib
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wheatstone.gpu.analysis.kernel_facts import Resources, kernel_facts, launches, with_resources
from wheatstone.gpu.kernels.kernel import Kernel, noted_launches
from wheatstone.gpu.kernels.mean_filter import mean_filter
from wheatstone.gpu.kernels.source import FOLDER, files
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.pipelines.ncc import NCC, NccParams
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.choices.panel_choices import NOBODY, KernelChoice
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.panels.kernels.kernel_card import (
    COLUMNS,
    cells,
    chosen_slots,
    notes,
    read,
    side_by_side,
)
from wheatstone.viewer.panels.kernels.kernel_parts import counterpart, parts
from wheatstone.viewer.panels.kernels.listing import Language, Listing, ListingLine, listing
from wheatstone.viewer.run.run import Run

SIZE = (241, 322)
ABSENT = {"cuda": "no driver"}
VARIANTS = [
    pytest.param(pipeline, variant, id=f"{pipeline.name}/{variant.name}")
    for pipeline in PIPELINES.values()
    for variant in pipeline.variants
]


def mean(variant: str) -> Run:
    return Run(MEAN, variant, MeanParams())


def test_a_card_begins_at_the_kernel() -> None:
    card = read(mean("shared"), None, KernelChoice(whole=True), SIZE)
    line = card.rows[card.entry].left
    assert line and line.text.startswith('extern "C" __global__ void mean_filter_shared(')
    headings = [row.left.text for row in card.rows if row.left and not row.left.number]
    assert headings == ["mean_filter.cu", "common.cuh", "mirror.cuh", "window.cuh"]


def test_two_variants_of_a_kernel_differ_where_their_memory_does() -> None:
    card = read(mean("shared"), mean("unrolled"), KernelChoice(), SIZE)
    marked = {row.mark: [] for row in card.rows}  # type: dict[str, list[str]]
    for row in card.rows:
        marked[row.mark] += [line.text for line in (row.left, row.right) if line]
    assert any("__shared__" in line for line in marked["-"])
    assert any("mean_at" in line for line in marked["+"])
    assert any("mean_filter_unrolled" in line for line in marked["~"])
    assert any("window_mean(Pixel pixel" in line for line in marked[" "])


def test_the_code_of_a_cpu_variant_is_python() -> None:
    card = read(mean("reference"), mean("global"), KernelChoice(), SIZE)
    line = card.rows[card.entry].left
    assert line and line.text.startswith("def mean_filter(")
    assert not card.compared and {row.mark for row in card.rows} == {" "}
    assert notes(card, "no driver")[1:] == [
        "Registers, memory and occupancy need a GPU: no driver.",
        "Two languages: the sources stand beside each other uncompared.",
    ]


def test_the_same_work_stands_on_the_other_side() -> None:
    fast, shared, cpu = (
        parts(SGM, SGM.variant(name), SgmParams(), *SIZE) for name in ("fast", "shared", "cpu")
    )
    answers = {}
    for part in fast:
        answer = counterpart(part, fast, shared)
        answers[part.name] = answer.stage.name if answer else ""
    assert answers["packed_aggregation"] == "path_aggregation"
    assert answers["packed_winner"] == "winner_takes_all"
    winner = next(part for part in shared if part.stage.name == "consistency_check")
    answer = counterpart(winner, shared, cpu)
    assert answer and answer.name == "winner_takes_all"  # the fused step that checks, too


def test_a_card_shows_what_is_on_the_screen_unless_told() -> None:
    state = ViewerState(mean("reference"), ABSENT)
    assert chosen_slots(state) == (mean("reference"), None)
    state.mix(mode="wipe")
    assert chosen_slots(state) == (mean("reference"), mean("cpu"))
    state.kernel_card = KernelChoice(left="texture", right=NOBODY)
    assert chosen_slots(state) == (mean("texture"), None)
    state.kernel_card = KernelChoice(left="texture", right="texture")
    assert chosen_slots(state) == (mean("texture"), None)
    state.kernel_card = KernelChoice(left="of another pipeline", right="shared")
    assert chosen_slots(state) == (mean("reference"), mean("shared"))


def test_a_table_tells_launch_and_resources() -> None:
    (part,) = parts(MEAN, MEAN.variant("global"), MeanParams(), *SIZE)
    assert cells(part)[:3] == ("1", "11 x 16 = 176", "32 x 16 = 512")
    assert set(cells(part)[3:]) == {"-"}
    assert part.facts
    found = Resources(24, 836, 16, 0, 1024, 48, 64)
    known = replace(part, facts=replace(part.facts, resources=found, shared=64))
    told = dict(zip(COLUMNS, cells(known), strict=True))
    assert told["registers"] == "24"
    assert told["shared a block"] == "836 + 64 B"
    assert told["local a thread"] == "16 B"
    assert told["occupancy"] == "75%, 48 of 64 warps"


def test_a_variant_that_refuses_says_why_instead() -> None:
    params = NccParams(template=(0, 0, 64, 64))
    with pytest.raises(ValueError, match="ncc/constant: the template of 64x64 has 4096 pixels"):
        read(Run(NCC, "constant", params), None, KernelChoice(), SIZE)


def test_grids_of_several_launches_are_told_by_their_ends() -> None:
    found = parts(SGM, SGM.variant("shared"), SgmParams(paths=8), *SIZE)
    paths = next(part for part in found if part.stage.name == "path_aggregation")
    assert cells(paths)[:2] == ("8", "241 .. 562")


@pytest.mark.parametrize(("pipeline", "variant"), VARIANTS)
def test_every_part_of_every_variant_can_be_read(pipeline: Pipeline, variant: Variant) -> None:
    found = parts(pipeline, variant, pipeline.params(), *SIZE)
    assert len({part.name for part in found}) == len(found)
    for part in found:
        for whole in (False, True):
            listing = part.listing(whole)
            assert f"{part.function}(" in listing.lines[listing.entry].text


HEIGHT, WIDTH = 241, 322
CUDA_VARIANTS = [
    pytest.param(pipeline, variant, id=f"{pipeline.name}/{variant.name}")
    for pipeline in PIPELINES.values()
    for variant in pipeline.variants
    if variant.on_gpu
]


def test_a_launch_is_known_without_a_gpu() -> None:
    (facts,) = kernel_facts(MEAN, MEAN.variant("shared"), MEAN.params(), HEIGHT, WIDTH)
    assert (facts.stage, facts.kernel.name) == ("mean_filter", "mean_filter_shared")
    assert (facts.grids, facts.block, facts.shared) == (((11, 16),), (32, 16), 0)
    assert facts.resources is None


def test_a_kernel_launched_several_times_is_one_with_several_grids() -> None:
    params = SgmParams(paths=4)
    facts = kernel_facts(SGM, SGM.variant("shared"), params, HEIGHT, WIDTH)
    paths = [one for one in facts if one.stage == "path_aggregation"]
    assert [one.grids for one in paths] == [((HEIGHT,), (HEIGHT,), (WIDTH,), (WIDTH,))]
    assert paths[0].block == (params.disparities,)


def test_images_made_on_demand_bring_their_kernels() -> None:
    asked = (SGM, SGM.variant("fast"), SgmParams(), HEIGHT, WIDTH)
    usual = {one.stage for one in kernel_facts(*asked)}
    more = {one.stage for one in kernel_facts(*asked, wanted=("confidence",))}
    assert more - usual == {"packed_confidence", "confidence_measure"}


def test_whoever_asks_inside_notes_for_itself() -> None:
    flags = SimpleNamespace(c_contiguous=True)
    image = SimpleNamespace(shape=(9, 70), dtype=np.dtype("uint8"), flags=flags)
    with noted_launches() as noted:
        assert len(launches(MEAN, MEAN.variant("global"), MEAN.params(), 1, 1)) == 1
        assert noted == []
        mean_filter(image, image, 1, "opencv", "unrolled")
    assert [(launch.kernel.name, launch.grid) for launch in noted] == [
        ("mean_filter_unrolled", (3, 1))
    ]


def test_files_begin_with_the_kernels_own() -> None:
    headers = ["common.cuh", "mirror.cuh", "window.cuh"]
    assert list(files("mean_filter.cu")) == ["mean_filter.cu", *headers]
    assert "mean_filter_shared(" in files("mean_filter.cu")["mean_filter.cu"]


@pytest.mark.parametrize(("pipeline", "variant"), CUDA_VARIANTS)
def test_every_stage_of_a_cuda_variant_has_kernels(pipeline: Pipeline, variant: Variant) -> None:
    params = pipeline.params()
    facts = kernel_facts(pipeline, variant, params, HEIGHT, WIDTH, on_demand(pipeline, variant))
    assert len(facts) >= len({one.stage for one in facts}) > 0
    assert all(one.kernel.name in "".join(files(one.kernel.file).values()) for one in facts)


@pytest.mark.cuda
@pytest.mark.parametrize(("pipeline", "variant"), CUDA_VARIANTS)
def test_a_gpu_tells_what_kernels_take(pipeline: Pipeline, variant: Variant) -> None:
    params = pipeline.params()
    for facts in kernel_facts(
        pipeline, variant, params, HEIGHT, WIDTH, on_demand(pipeline, variant)
    ):
        found = with_resources(facts).resources
        assert found is not None
        assert 0 < found.registers <= 255
        assert min(found.shared, found.local, found.constant) >= 0
        assert math.prod(facts.block) <= found.max_threads <= 1024
        assert 0 < found.occupancy <= 1


@pytest.mark.cuda
def test_a_tile_in_shared_memory_is_told_to_the_byte() -> None:
    params = MeanParams(radius=3)
    (facts,) = kernel_facts(MEAN, MEAN.variant("shared"), params, HEIGHT, WIDTH)
    resources = with_resources(facts).resources
    assert resources and resources.shared == (16 + 6) * (32 + 6)


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
    found = listing(KERNEL, "cuda", "sum_global")
    numbers = [line.number for line in by_file(found.lines)["sum.cu"]]
    assert numbers == list(range(1, KERNEL["sum.cu"].count("\n") + 1))
    assert found.lines[found.entry].text.startswith('extern "C" __global__ void sum_global')
    assert found.lines[found.entry].number == 14


def test_a_kernel_may_begin_below_its_attributes() -> None:
    text = """\
constexpr int THREADS = 64, OTHERS = 3;

extern "C" __launch_bounds__(THREADS, 2) __global__
    void sum_bounded(int* out) {
    out[0] = 0;
}

__device__ int unused() { return OTHERS; }
"""
    found = listing({"sum.cu": text}, "cuda", "sum_bounded", whole=False)
    assert found.lines[found.entry].text == "    void sum_bounded(int* out) {"
    assert [line.number for line in found.lines[1:]] == [1, 2, 3, 4, 5, 6, 7]


def test_what_is_used_leaves_out_the_rest() -> None:
    found = listing(KERNEL, "cuda", "sum_global", whole=False)
    used = [line.text for line in found.lines]
    assert "#define SIDE 3" in used and "// Of three." in used
    assert not any("UNUSED =" in text or "sum_other" in text for text in used)
    assert not any("subtract" in text for text in used)
    assert "__device__ int add(int a, int b) { return a + b; }" in used


def test_python_is_cut_at_its_functions() -> None:
    found = listing(PYTHON, "python", "half", whole=False)
    used = [line.number for line in found.lines if line.text and line.number]
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


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.cu")))
def test_what_a_kernel_uses_compiles_alone(nvrtc: Any, file: str) -> None:
    binding = importlib.import_module(f"wheatstone.gpu.kernels.{file.removesuffix('.cu')}")
    kernel: Kernel = next(iter(binding.KERNELS.values()))
    known = [value for _, value in kernel.defines]
    found = listing(files(file), "cuda", kernel.name, whole=False, known=known)
    own, *headers = by_file(found.lines).values()
    text = "\n".join(line.text for part in (*headers, own) for line in part)
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), file.encode(), 0, [], [])
    options = [option.encode() for option in (*kernel.options, "-arch=compute_90")]
    (result,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = bytes(nvrtc.nvrtcGetProgramLogSize(program)[1])
    nvrtc.nvrtcGetProgramLog(program, log)
    assert result == nvrtc.nvrtcResult.NVRTC_SUCCESS, log.decode()


def of(text: str, language: Language = "cuda") -> Listing:
    return listing({"a": text}, language, "f")


def marks(left: str, right: str) -> list[tuple[str, str, str]]:
    rows = side_by_side(of(left), of(right))[1:]
    return [
        (row.mark, row.left.text if row.left else "", row.right.text if row.right else "")
        for row in rows
    ]


def test_lines_that_changed_stand_beside_each_other() -> None:
    left = "int a = 1;\nint width = left(x, y);\nreturn a;"
    right = "int a = 1;\nfence();\nint width = right(x, y);\nreturn a;"
    assert marks(left, right) == [
        (" ", "int a = 1;", "int a = 1;"),
        ("+", "", "fence();"),
        ("~", "int width = left(x, y);", "int width = right(x, y);"),
        (" ", "return a;", "return a;"),
    ]


def test_lines_with_nothing_in_common_stand_apart() -> None:
    assert marks("one(two);", "three(four);") == [("-", "one(two);", ""), ("+", "", "three(four);")]


def test_every_line_appears_once_and_in_order() -> None:
    left = "\n".join(f"int a{i} = {i % 3};" for i in range(40))
    right = "\n".join(f"int a{i} = {i % 4};" for i in range(5, 50))
    rows = side_by_side(of(left), of(right))
    assert tuple(row.left for row in rows if row.left) == of(left).lines
    assert tuple(row.right for row in rows if row.right) == of(right).lines


def test_empty_lines_bear_no_mark() -> None:
    assert marks("int a;\n\nint b;", "int a;\nint b;")[1] == (" ", "", "")


def test_languages_are_not_compared_but_begin_together() -> None:
    left, right = of("int a;\nint b;\nint f(int c);"), of("def f(c):\n    return c", "python")
    rows = side_by_side(left, right)
    assert [row.mark for row in rows] == [" "] * len(rows)
    assert (left.lines[left.entry], right.lines[right.entry]) in [(r.left, r.right) for r in rows]
