"""What the kernel card shows, without drawing it."""

from dataclasses import replace

import pytest

from wheatstone.gpu.analysis.kernel_facts import Resources
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.pipelines.ncc import NCC, NccParams
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.steps import Setup
from wheatstone.viewer.choices.panel_choices import NOBODY, KernelChoice
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.panels.kernels.kernel_card import COLUMNS, cells, chosen_slots, notes, read
from wheatstone.viewer.panels.kernels.kernel_parts import counterpart, parts
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
    _, needs_gpu, languages = notes(card, "no driver")
    assert "no driver" in needs_gpu and "not compared" in languages


def test_the_same_work_stands_on_the_other_side() -> None:
    fast, shared, cpu = (
        parts(Setup(SGM, SGM.variant(name), SgmParams(), *SIZE))
        for name in ("fast", "shared", "cpu")
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


def test_a_card_shows_what_is_on_the_screen_by_default() -> None:
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
    (part,) = parts(Setup(MEAN, MEAN.variant("global"), MeanParams(), *SIZE))
    assert cells(part)[:3] == ("1", "11 x 16 = 176", "32 x 16 = 512")
    assert set(cells(part)[3:]) == {"-"}
    assert part.facts
    resources = Resources(24, 836, 16, 0, 1024, 48, 64)
    known = replace(part, facts=replace(part.facts, resources=resources, shared=64))
    by_key = dict(zip(COLUMNS, cells(known), strict=True))
    assert by_key["registers"] == "24"
    assert by_key["shared per block"] == "836 + 64 B"
    assert by_key["local per thread"] == "16 B"
    assert by_key["occupancy"] == "75%, 48 of 64 warps"


def test_a_variant_that_refuses_says_why_instead() -> None:
    params = NccParams(template=(0, 0, 64, 64))
    with pytest.raises(ValueError, match="ncc/constant: the template of 64x64 has 4096 pixels"):
        read(Run(NCC, "constant", params), None, KernelChoice(), SIZE)


def test_grids_of_several_launches_are_written_by_their_ends() -> None:
    kernel_parts = parts(Setup(SGM, SGM.variant("shared"), SgmParams(paths=8), *SIZE))
    paths = next(part for part in kernel_parts if part.stage.name == "path_aggregation")
    assert cells(paths)[:2] == ("8", "241 .. 562")


@pytest.mark.parametrize(("pipeline", "variant"), VARIANTS)
def test_every_part_of_every_variant_can_be_read(pipeline: Pipeline, variant: Variant) -> None:
    kernel_parts = parts(Setup(pipeline, variant, pipeline.params(), *SIZE))
    assert len({part.name for part in kernel_parts}) == len(kernel_parts)
    for part in kernel_parts:
        for whole in (False, True):
            listing = part.listing(whole)
            assert f"{part.function}(" in listing.lines[listing.entry].text
