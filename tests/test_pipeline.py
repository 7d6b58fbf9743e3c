"""Declarations: what cannot be constructed, and what every declaration must hold to."""

from dataclasses import FrozenInstanceError, replace

import pytest

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline, Stage
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.steps import active_stages, implementation, passed_on, plan

EVERY = [
    pytest.param(p, v, id=f"{p.name}/{v.name}") for p in PIPELINES.values() for v in p.variants
]


@pytest.mark.parametrize(
    ("name", "value", "bounds"),
    [
        ("disparities", 8, "in [16, 2048], a multiple of 16"),
        ("disparities", 40, "in [16, 2048], a multiple of 16"),
        ("p1", -1, "in [0, 1023]"),
        ("uniqueness", 101, "in [0, 100]"),
        ("lr_check", -2, "in [-1, 255]"),
        ("paths", 5, "one of 4, 8, sweeps"),
        ("p2_adaptation", "hard", "one of none, divide, soft"),
        ("median", 1, "one of False, True"),
        ("subpixel", 1, "one of off, parabola, equiangular"),
        ("p1", 1.5, "in [0, 1023]"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name_and_bounds(
    name: str, value: object, bounds: str
) -> None:
    with pytest.raises(ValueError, match="must be") as refusal:
        SgmParams(**{name: value})  # type: ignore[arg-type]
    assert str(refusal.value) == f"{name} must be {bounds} (got {value!r})"


def test_the_small_penalty_must_not_exceed_the_large_one() -> None:
    with pytest.raises(ValueError, match="p1 must not exceed p2"):
        SgmParams(p1=201, p2=200)


def test_a_control_drags_the_ordered_parameter_along() -> None:
    assert SgmParams(p1=10, p2=200).adjusted("p1", 300) == SgmParams(p1=300, p2=300)
    assert SgmParams(p1=10, p2=200).adjusted("p2", 5) == SgmParams(p1=5, p2=5)


def test_steps_stop_at_bounds_and_wrap_choices() -> None:
    assert SgmParams(disparities=2048).stepped("disparities", 1).disparities == 2048
    assert SgmParams(disparities=64).stepped("disparities", -1).disparities == 48
    assert SgmParams(paths=8).stepped("paths", 1).paths == "sweeps"
    assert SgmParams(paths=8).stepped("paths", 2).paths == 4


def test_parameters_cannot_be_changed_in_place() -> None:
    with pytest.raises(FrozenInstanceError):
        SgmParams().p1 = 3  # type: ignore[misc]


def test_every_parameter_has_help_that_is_a_sentence() -> None:
    for pipeline in PIPELINES.values():
        for name, control in controls(pipeline.params).items():
            assert control.help[0].isupper() and control.help.endswith("."), name


def test_every_preset_is_valid_and_keeps_the_range() -> None:
    for pipeline in PIPELINES.values():
        for name in pipeline.presets:
            pipeline.preset(name)
    assert SGM.preset("driving", SgmParams(disparities=128)).values()["disparities"] == 128


def test_the_default_parameters_are_the_first_preset() -> None:
    assert SGM.preset("balanced") == SgmParams()


@pytest.mark.parametrize(("pipeline", "variant"), EVERY)
def test_every_stage_of_every_variant_is_implemented(pipeline: Pipeline, variant) -> None:  # type: ignore[no-untyped-def]
    for stage in (*pipeline.stages, *variant.fused):
        covered = {name for fused in variant.fused for name in fused.covers}
        if stage.name not in covered:
            assert callable(implementation(variant, stage))


@pytest.mark.parametrize(("pipeline", "variant"), EVERY)
def test_what_a_variant_names_is_declared(pipeline: Pipeline, variant) -> None:  # type: ignore[no-untyped-def]
    stages = {stage.name for stage in pipeline.stages}
    images = {image.name for image in pipeline.images}
    assert set(variant.memory) <= stages
    assert {name for fused in variant.fused for name in fused.covers} <= stages
    assert set(variant.dtypes) | set(variant.textures) <= images
    assert set(variant.ignores) <= set(controls(pipeline.params))


@pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=PIPELINES)
def test_a_sweep_goes_up_through_parameters_that_fit_an_image(pipeline: Pipeline) -> None:
    if pipeline.sweep is None:
        return
    listed = [pipeline.sweep.at(pipeline.params(), place) for place in pipeline.sweep.places]
    assert list(pipeline.sweep.places) == sorted(set(pipeline.sweep.places))
    assert len(set(listed)) == len(listed) > 1
    assert not any(pipeline.fits(params, 480, 640) for params in listed)


def test_a_stage_that_is_off_passes_its_input_on() -> None:
    params = SGM.preset("aveiro-2016")
    names = passed_on(SGM, SGM.variant("reference"), params)
    assert names["left_descriptor"] == "left"
    assert names["refined"] == names["filtered"] == "disparity" and "disparity" not in names
    running = [stage.name for stage in active_stages(SGM, SGM.variant("reference"), params)]
    assert running == [
        "matching_cost",
        "path_aggregation",
        "path_sum",
        "winner_takes_all",
        "subpixel_refinement",
    ]


def test_aggregation_and_sum_take_turns_direction_by_direction() -> None:
    steps = plan(SGM, SGM.variant("reference"), SgmParams(paths=4))
    walk = [s.stage.name for s in steps if s.stage.name.startswith("path_")]
    assert walk == ["path_aggregation", "path_sum"] * 4


def test_a_stage_on_demand_runs_only_for_its_own_images() -> None:
    for variant in SGM.variants:
        usual = active_stages(SGM, variant, SgmParams())
        assert active_stages(SGM, variant, SgmParams(), ["disparity", "left"]) == usual
    added = [
        stage.name
        for stage in active_stages(SGM, SGM.variant("cpu"), SgmParams(), ["confidence"])
        if stage not in active_stages(SGM, SGM.variant("cpu"), SgmParams())
    ]
    assert added == ["winner_margin", "confidence_measure"]  # and what it reads


def test_a_fused_step_runs_if_one_of_its_stages_is_wanted() -> None:
    both = ("confidence_measure", "rejection_reason")
    fused = Stage("both", ("sums",), ("confidence", "invalid_reason"), covers=both)
    variant = replace(SGM.variant("reference"), fused=(fused,))
    assert fused in active_stages(SGM, variant, SgmParams(), ["confidence"])
    assert fused not in active_stages(SGM, variant, SgmParams(), ["margin"])


def test_a_pipeline_refuses_to_depend_on_what_is_looked_at() -> None:
    reader = Stage("reader", ("confidence",), ("cost",))
    writer = Stage("writer", ("left",), ("disparity",), on_demand=True)
    for stage, image in ((reader, "confidence"), (writer, "disparity")):
        refusal = rf"sgm always needs \{{'{image}'\}}, written only on demand"
        with pytest.raises(ValueError, match=refusal):
            replace(SGM, stages=(*SGM.stages, stage))


def test_a_pipeline_refuses_an_image_that_no_stage_wrote() -> None:
    stray = Stage("stray", ("nowhere",), ("cost",))
    with pytest.raises(ValueError, match=r"sgm.stray reads \{'nowhere'\}"):
        replace(SGM, stages=(stray, *SGM.stages))


def test_a_pipeline_refuses_a_parameter_that_no_stage_reads() -> None:
    with pytest.raises(ValueError, match="no stage of sgm reads the parameters"):
        replace(SGM, stages=SGM.stages[:4])
