"""Determine which variants a user's kernels can extend, and which of their fused steps remain."""

from collections.abc import Container, Iterable
from functools import cache

from wheatstone.gpu.parameters import Params, controls, did_you_mean
from wheatstone.gpu.pipeline import Pipeline, Stage, Variant
from wheatstone.gpu.plugins import BUILT_IN


def gpu_variants(pipeline: Pipeline) -> list[Variant]:
    """List the built-in CUDA variants of a pipeline that can be a base for the user's kernels."""
    names = [name for of, name in BUILT_IN if of == pipeline.name]
    return [v for v in pipeline.variants if v.on_gpu and not v.peer and v.name in names]


def own_stages(pipeline: Pipeline) -> list[Stage]:
    """List the stages for which a user can write a kernel; see ``Stage.own``."""
    return [each for each in pipeline.stages if not each.own(params_with(each, pipeline), 1, 1)]


@cache
def params_with(stage: Stage, pipeline: Pipeline) -> Params:
    """Return the default parameters, with one value changed if a stage is off by default."""
    usual = pipeline.params()
    if stage.when(usual):
        return usual
    changed = (
        usual.adjusted(name, value)
        for name, control in controls(pipeline.params).items()
        for value in (*control.choices, control.low, control.high)
        if control.allows(value)
    )
    return next(filter(stage.when, changed), usual)


def check_base(pipeline: Pipeline, base: str, own: Iterable[tuple[str, bool]]) -> None:
    """Check that the base variant computes the user's stages separately from other stages.

    Args:
        own: names of the user's stages, and whether their launches are those of the base.

    Raises:
        ValueError: a stage or the base does not exist, or a step of the base covers a stage of the
            user's and another one; the message names the variants that can be the base.
    """
    stages, possible = dict(own), [variant.name for variant in gpu_variants(pipeline)]
    known = [stage.name for stage in own_stages(pipeline)]
    for name in stages:
        if name not in known:
            like = did_you_mean(name, known)
            raise ValueError(
                f"{pipeline.name} has no stage {name!r}{like}; it has {', '.join(known)}"
            )
    if base not in possible:
        like = did_you_mean(base, possible)
        raise ValueError(
            f"{base!r}{like} cannot be the base in {pipeline.name}; use {', '.join(possible)}"
        )
    if together := _together(pipeline, pipeline.variant(base), stages):
        others = [v.name for v in gpu_variants(pipeline) if not _together(pipeline, v, stages)]
        raise ValueError(f"{base} computes {together} with other stages; use {', '.join(others)}")


def _together(pipeline: Pipeline, variant: Variant, own: dict[str, bool]) -> str:
    """Return the first of the user's stages that a variant computes fused with others, or empty."""
    kept = kept_steps(pipeline, variant, own)
    done = {name for step in kept for name in step.covers}
    for name, as_base in own.items():
        steps = [step for step in variant.fused if name in step.covers]
        if as_base:
            stage = next(each for each in pipeline.stages if each.name == name)
            if len(steps) > 1 or any(not _does_the_same(step, stage) for step in steps):
                return name
        elif any(not own.keys() >= {*step.covers} for step in steps):
            return name
    lost = [s for s in variant.fused if s not in kept and not own.keys() & {*s.covers}]
    return next(iter(own)) if any(not done >= {*step.covers} for step in lost) else ""


def _does_the_same(step: Stage, stage: Stage) -> bool:
    """Return whether a step does the same as a stage: covers only it, and reads no other images."""
    return step.covers == (stage.name,) and {*step.reads} <= {*stage.reads}


def kept_steps(pipeline: Pipeline, variant: Variant, own: Container[str]) -> list[Stage]:
    """List the fused steps of a variant that can remain if the stages in ``own`` are not fused."""
    kept = [step for step in variant.fused if not any(name in own for name in step.covers)]
    while (fitting := [step for step in kept if _fits(pipeline, step, kept)]) != kept:
        kept = fitting
    return kept


def _fits(pipeline: Pipeline, step: Stage, kept: list[Stage]) -> bool:
    """Return whether a fused step can remain: it reads all that its stages need from unfused ones.

    It must also write all that such stages read of its own.
    """
    fused = {name for each in kept for name in each.covers}
    alone = [stage for stage in pipeline.stages if stage.name not in fused]
    covered = [stage for stage in pipeline.stages if stage.name in step.covers]
    if {s.name for s in covered} != {*step.covers} or any(s in alone for s in covered):
        return False
    given = {name for stage in alone for name in stage.writes}
    asked = {name for stage in alone for name in stage.reads}
    reads = {name for stage in covered for name in stage.reads}
    writes = {name for stage in covered for name in stage.writes}
    return reads & given <= {*step.reads} and writes & asked <= {*step.writes}


def base_step(pipeline: Pipeline, base: Variant, stage: str) -> Stage:
    """Return the step that computes a stage in a variant: its fused step, or the stage itself."""
    steps = [step for step in base.fused if stage in step.covers]
    return (steps or [step for step in pipeline.stages if step.name == stage])[0]
