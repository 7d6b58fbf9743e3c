"""Whoever computes a stage names its arguments as the stage's declaration does."""

import inspect
from importlib import import_module
from types import ModuleType

import pytest

from wheatstone.gpu import kernels, peers, reference
from wheatstone.gpu.pipeline import Pipeline, Stage, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm.variants import HIERARCHICAL
from wheatstone.gpu.steps import implementation

# These stages have an image and a parameter of one name, which can name one argument only: that of
# the image in the first is called otherwise, and that of the parameter in the second.
IMAGES = {"matching_cost": {"cost": "cost_volume"}}
PARAMS = {name: {"peaks": "count"} for name in ("find_peaks", "packed_peaks")}
STEPS = [
    (pipeline, variant, stage)
    for pipeline in PIPELINES.values()
    for variant in pipeline.variants
    for stage in (*pipeline.stages, *variant.fused)
    if stage in variant.fused or all(stage.name not in step.covers for step in variant.fused)
    if stage.name != "searched_blocks" or variant.name in ("reference", *HIERARCHICAL)
]
NAMES = [f"{pipeline.name}/{variant.name}/{stage.name}" for pipeline, variant, stage in STEPS]


def declared(stage: Stage) -> list[str]:
    images, params = IMAGES.get(stage.name, {}), PARAMS.get(stage.name, {})
    names = [images.get(name, name) for name in stage.reads + stage.writes]
    return names + [params.get(name, name) for name in stage.params]


@pytest.mark.parametrize(("pipeline", "variant", "stage"), STEPS, ids=NAMES)
def test_an_implementation_names_its_arguments_as_the_declaration_does(
    pipeline: Pipeline, variant: Variant, stage: Stage
) -> None:
    names = list(inspect.signature(implementation(variant, stage)).parameters)
    assert [name for name in names if name != "memory"] == declared(stage)


def test_only_a_name_of_two_arguments_is_replaced() -> None:
    stages = [stage for _, _, stage in STEPS]
    twice = {
        (stage.name, name)
        for stage in stages
        for name in set(stage.reads + stage.writes) & set(stage.params)
    }
    replaced = [
        (stage, name) for names in (IMAGES, PARAMS) for stage in names for name in names[stage]
    ]
    assert sorted(replaced) == sorted(twice)


@pytest.mark.parametrize("package", [reference, kernels, peers], ids=lambda one: one.__name__)
def test_a_package_computes_each_stage_that_it_lists(package: ModuleType) -> None:
    lost = [
        f"{module}.{stage}"
        for stage, module in package.MODULES.items()
        if not callable(getattr(import_module(module), stage, None))
    ]
    assert not lost
