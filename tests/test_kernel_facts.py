"""What is known of a variant's kernels: launches everywhere, resources on a GPU."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from wheatstone.gpu.analysis.kernel_facts import kernel_facts, launches, with_resources
from wheatstone.gpu.kernels.image_filters import mean_filter
from wheatstone.gpu.kernels.kernel import noted_launches
from wheatstone.gpu.kernels.programs import files
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.steps import Setup, on_demand

HEIGHT, WIDTH = 241, 322
CUDA_VARIANTS = [
    pytest.param(pipeline, variant, id=f"{pipeline.name}/{variant.name}")
    for pipeline in PIPELINES.values()
    for variant in pipeline.variants
    if variant.on_gpu
]


def test_a_launch_is_known_without_a_gpu() -> None:
    (facts,) = kernel_facts(Setup(MEAN, MEAN.variant("shared"), MEAN.params(), HEIGHT, WIDTH))
    assert (facts.stage, facts.kernel.name) == ("mean_filter", "mean_filter_shared")
    assert (facts.grids, facts.block, facts.shared) == (((11, 16),), (32, 16), 0)
    assert facts.resources is None


def test_a_kernel_launched_several_times_is_one_with_several_grids() -> None:
    params = SgmParams(paths=4)
    facts = kernel_facts(Setup(SGM, SGM.variant("shared"), params, HEIGHT, WIDTH))
    paths = [one for one in facts if one.stage == "path_aggregation"]
    assert [one.grids for one in paths] == [((HEIGHT,), (HEIGHT,), (WIDTH,), (WIDTH,))]
    assert paths[0].block == (params.disparities,)


def test_images_made_on_demand_bring_their_kernels() -> None:
    asked = Setup(SGM, SGM.variant("fast"), SgmParams(), HEIGHT, WIDTH)
    usual = {one.stage for one in kernel_facts(asked)}
    more = {one.stage for one in kernel_facts(asked, wanted=("confidence",))}
    assert more - usual == {"packed_confidence", "confidence_measure"}


def test_whoever_asks_inside_notes_for_itself() -> None:
    flags = SimpleNamespace(c_contiguous=True)
    image = SimpleNamespace(shape=(9, 70), dtype=np.dtype("uint8"), flags=flags)
    with noted_launches() as noted:
        assert len(launches(Setup(MEAN, MEAN.variant("global"), MEAN.params(), 1, 1))) == 1
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
    facts = kernel_facts(
        Setup(pipeline, variant, params, HEIGHT, WIDTH), on_demand(pipeline, variant)
    )
    assert len(facts) >= len({one.stage for one in facts}) > 0
    assert all(one.kernel.name in "".join(files(one.kernel.file).values()) for one in facts)


@pytest.mark.cuda
@pytest.mark.parametrize(("pipeline", "variant"), CUDA_VARIANTS)
def test_a_gpu_tells_what_kernels_take(pipeline: Pipeline, variant: Variant) -> None:
    params = pipeline.params()
    setup = Setup(pipeline, variant, params, HEIGHT, WIDTH)
    for facts in kernel_facts(setup, on_demand(pipeline, variant)):
        resources = with_resources(facts).resources
        assert resources is not None
        assert 0 < resources.registers <= 255
        assert min(resources.shared, resources.local, resources.constant) >= 0
        assert math.prod(facts.block) <= resources.max_threads <= 1024
        assert 0 < resources.occupancy <= 1


@pytest.mark.cuda
def test_a_tile_in_shared_memory_is_reported_to_the_byte() -> None:
    params = MeanParams(radius=3)
    (facts,) = kernel_facts(Setup(MEAN, MEAN.variant("shared"), params, HEIGHT, WIDTH))
    resources = with_resources(facts).resources
    assert resources and resources.shared == (16 + 6) * (32 + 6)
