"""Put rectification before another pipeline, so that it reads raw views.

The result is a pipeline like any other: its stages are timed, probed and compared, each variant
rectifies in its own way, and a disparity is invalid where a rectified view shows nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from wheatstone.gpu.image import Image
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline, Stage, Variant
from wheatstone.gpu.pipelines.in_colours import InColours
from wheatstone.gpu.pipelines.rectify import RECTIFY

RECTIFIED = "rectified_"  # before the name of a view, for that view in its colours
COLOURED = {view: RECTIFIED + view for view in ("left", "right")}
IN_COLOURS = InColours(COLOURED, RECTIFY.image(COLOURED["left"]), RECTIFIED)
MAPS = ("left_map", "right_map")
MASK, REASON = "outside_mask", "outside_reason"
UNMASKED = "unmasked_"  # before the name of what a mask is laid over
FALLBACK = {"cuda": "global", "cpu": "cpu"}
CHECKS = (
    3 + 3
)  # of a pixel: its own presence, its partner's place, whether that is in, its presence


@cache
def with_rectification(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline that rectifies its views first; one that already does is unchanged."""
    if set(RECTIFY.inputs) <= set(pipeline.inputs):
        return pipeline
    masked = _masked(pipeline)
    declared = {image.name for image in pipeline.images}
    own = [image for image in RECTIFY.images if image.name not in declared]
    return replace(
        pipeline,
        inputs=(*RECTIFY.inputs, *(n for n in pipeline.inputs if n not in COLOURED)),
        images=(
            *own,
            *pipeline.images,
            *(_unmasked(pipeline, name) for name in masked),
            *IN_COLOURS.aliases(pipeline),
        ),
        stages=(*RECTIFY.stages, *_with_masks(pipeline, masked)),
        variants=tuple(_rectifying(variant, masked) for variant in pipeline.variants),
        views=IN_COLOURS.views(pipeline),
    )


def _masked(pipeline: Pipeline) -> dict[str, Stage]:
    output = pipeline.image(pipeline.output)
    if not output.disparity:
        return {}
    found = {output.name: _mask(output)}
    if output.explained_by:
        found[output.explained_by] = _reason(output)
    return found


def _mask(output: Image) -> Stage:
    return Stage(
        MASK,
        (UNMASKED + output.name, *MAPS),
        (output.name,),
        ("min_disparity",),
        help="Reject pixels that a rectified view does not show, or not their partner.",
        operations=mask_operations,
    )


def _reason(output: Image) -> Stage:
    return Stage(
        REASON,
        (UNMASKED + output.explained_by, UNMASKED + output.name, *MAPS),
        (output.explained_by,),
        ("min_disparity",),
        help="Name the pixels that no rectified view shows.",
        operations=mask_operations,
        on_demand=True,
    )


def mask_operations(params: Params, height: int, width: int) -> int:
    """Count the comparisons of a pixel and its partner, and the partner's position."""
    return CHECKS * height * width


def _unmasked(pipeline: Pipeline, name: str) -> Image:
    image = pipeline.image(name)
    return replace(image, name=UNMASKED + name, help=f"{image.help} As if all were shown.")


def _with_masks(pipeline: Pipeline, masked: Mapping[str, Stage]) -> list[Stage]:
    """List a pipeline's stages, each mask after the stage whose result it masks."""
    stages: list[Stage] = []
    for stage in pipeline.stages:
        stages += [_renamed(stage, masked), *(masked[n] for n in stage.writes if n in masked)]
    return stages


def _renamed(stage: Stage, masked: Iterable[str]) -> Stage:
    writes = tuple(UNMASKED + name if name in masked else name for name in stage.writes)
    return replace(stage, writes=writes)


def _rectifying(variant: Variant, masked: Iterable[str]) -> Variant:
    """Add rectification to a variant, by the variant of that name or its device's plain one."""
    names = [each.name for each in RECTIFY.variants]
    first = RECTIFY.variant(variant.name if variant.name in names else FALLBACK[variant.device])
    changes: dict[str, Any] = {
        "memory": {**variant.memory, **first.memory},
        "fused": (*first.fused, *(_renamed(step, masked) for step in variant.fused)),
        "textures": (*variant.textures, *first.textures),
    }
    return replace(variant, **changes)
