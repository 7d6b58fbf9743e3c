"""Every variant of every pipeline gives the reference's bits; generated from the declarations."""

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.parameters import Control, Params, controls
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ahead import with_conversion, with_rectification
from wheatstone.gpu.pipelines.inputs import inputs_of
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.run.parity.cases import random_colours, random_maps
from wheatstone.viewer.run.parity.checking import agreement, kept

SIZES = ((1, 1), (1, 40), (40, 1), (2, 3), (5, 17), (33, 61), (37, 130))  # height, width
DECLARED = (
    *PIPELINES.values(),
    with_rectification(PIPELINES["sgm"]),
    NV12,
    with_conversion(with_rectification(PIPELINES["ncc"])),
)


def _name(pipeline: Pipeline) -> str:
    ahead = {"raw_left": "rectified ", "left_luma": "converted "}
    known = pipeline in PIPELINES.values()
    return pipeline.name if known else ahead.get(pipeline.inputs[0], "") + pipeline.name


CASES = [
    pytest.param(
        pipeline,
        variant,
        id=f"{_name(pipeline)}/{variant.name}",
        marks=[pytest.mark.cuda] if variant.on_gpu else [],
    )
    for pipeline in DECLARED
    for variant in pipeline.variants
    if not variant.peer and variant.name != "reference"
]


def values_of(name: str, control: Control) -> st.SearchStrategy[Any]:
    """Allowed values of a parameter: its bounds often, and small ranges so that runs stay short."""
    if control.kind == "choice":
        return st.sampled_from(control.choices)
    if control.kind == "region":
        return st.tuples(*[st.integers(0, 9)] * 2, *[st.integers(int(control.low), 40)] * 2)
    ends = st.sampled_from((control.low, control.high))
    if control.kind == "float":
        return ends | st.floats(control.low, control.high, width=32).map(lambda x: round(x, 3))
    if name == "disparities":
        return st.sampled_from((16, 32, 48, 64, 80, 144, 512, 528, 1040))
    low, high = {"min_disparity": (-9, 9)}.get(name, (int(control.low), int(control.high)))
    return ends | st.integers(low, high)


@st.composite
def params_of(draw: st.DrawFn, pipeline: Pipeline) -> Params:
    params = pipeline.params()
    for name, control in controls(pipeline.params).items():
        params = params.adjusted(name, draw(values_of(name, control)))
    return params


@cache
def images(height: int, width: int, kind: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A left and a right image: noise, a shifted texture, or the extremes against each other."""
    generator = np.random.default_rng((height, width))
    noise = generator.integers(0, 256, (height, width), np.uint8)
    if kind == "noise":
        return noise, generator.integers(0, 256, (height, width), np.uint8)
    if kind == "shifted":
        return noise, np.ascontiguousarray(np.roll(noise, -3, axis=1))
    return np.zeros((height, width), np.uint8), np.full((height, width), 255, np.uint8)


def inputs_for(pipeline: Pipeline, height: int, width: int, kind: str) -> dict[str, Any]:
    """What a pipeline reads; maps and colours are as no camera has them."""
    views = dict(zip(("left", "right"), images(height, width, kind), strict=True))
    camera = np.array((0.1 * width, 2.7182818), np.float32)  # both are rounded, and so are sums
    maps = random_maps(np.random.default_rng(7), height, width)
    arrays = inputs_of(pipeline, views, maps, camera)
    colours = random_colours(np.random.default_rng(8), height, width)
    return arrays | {name: colours[name] for name in arrays if name in colours}


def assert_same(
    pipeline: Pipeline, variant: Variant, params: Params, height: int, width: int, kind: str
) -> None:
    """Every image that both variants keep has the same values; or the parameters are refused.

    Those computed on demand, too.
    """
    refusals = [refuses(params, height, width) for refuses in (pipeline.fits, variant.refuses)]
    if any(refusals):
        with pytest.raises(ValueError, match=re.escape(next(filter(None, refusals)))):
            prepare(pipeline, variant.name, params, height, width)
        return
    inputs = inputs_for(pipeline, height, width, kind)
    ours, reference = (
        prepare(pipeline, each.name, params, height, width, on_demand(pipeline, each))
        for each in (variant, pipeline.variant("reference"))
    )
    for execution in (ours, reference):
        execution.upload(**inputs)
        execution.run()
    compared = agreement(kept(ours), kept(reference))
    assert compared.images and not compared.differences, "; ".join(map(str, compared.differences))


@pytest.mark.parametrize(("pipeline", "variant"), CASES)
def test_variant_equals_reference(pipeline: Pipeline, variant: Variant) -> None:
    runs = settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )

    @runs
    @given(
        params=params_of(pipeline),
        size=st.sampled_from(SIZES),
        kind=st.sampled_from(("noise", "shifted", "extremes")),
    )
    def check(params: Params, size: tuple[int, int], kind: str) -> None:
        assert_same(pipeline, variant, params, *size, kind)

    check()


@pytest.mark.parametrize(("pipeline", "variant"), CASES)
def test_variant_equals_reference_at_a_size_no_block_divides(
    pipeline: Pipeline, variant: Variant
) -> None:
    presets = pipeline.presets if pipeline in PIPELINES.values() else ()  # which do not rectify
    size = (479, 631) if variant.on_gpu else (149, 211)
    for params in dict.fromkeys((pipeline.params(), *map(pipeline.preset, presets))):
        assert_same(pipeline, variant, params, *size, "shifted")


@pytest.mark.parametrize(("pipeline", "variant"), CASES)
def test_a_second_frame_does_not_remember_the_first(pipeline: Pipeline, variant: Variant) -> None:
    unchecked = {"uniqueness": 0, "lr_check": -1, "speckle_size": 0}  # noise matches nothing
    known = controls(pipeline.params)
    params = pipeline.params().changed(**{n: v for n, v in unchecked.items() if n in known})
    execution = prepare(pipeline, variant.name, params, 33, 61)
    results = []
    for kind in ("noise", "extremes", "noise"):
        execution.upload(**inputs_for(pipeline, 33, 61, kind))
        execution.run()
        results.append(execution.download(pipeline.output))
    assert np.array_equal(results[0], results[2])
    assert not np.array_equal(results[0], results[1])


@pytest.mark.parametrize(("pipeline", "variant"), CASES)
def test_output_may_go_to_a_given_array(pipeline: Pipeline, variant: Variant) -> None:
    inputs = inputs_for(pipeline, 33, 61, "shifted")
    execution = prepare(pipeline, variant.name, pipeline.params(), 33, 61)
    execution.upload(**inputs)
    with execution.device.active():
        out = execution.device.zeros((33, 61), pipeline.image(pipeline.output).dtype)
    execution.run({pipeline.output: out})
    expected = compute(pipeline, variant.name, pipeline.params(), **inputs)
    assert np.array_equal(execution.device.download(out), expected)
