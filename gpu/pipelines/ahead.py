"""Extend a pipeline by colour conversion and rectification in front of it.

The result is a pipeline like any other: its stages are timed, probed and compared, each variant
converts and rectifies in its own way, and a disparity is invalid where a rectified view shows
nothing. A pipeline that rectifies decoded video gets its raw views in colours; any other gets its
views in grey levels, and colours only while they are shown.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import CodeType
from typing import Any

from wheatstone.gpu.image import Image
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline, Stage, Variant, View
from wheatstone.gpu.pipelines.inputs import COLOURS, RAW
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.rectify import RECTIFY


@dataclass(frozen=True)
class InColours:
    """The colour images that correspond to grey views: their names and their declared format.

    Attributes:
        names: the name of a view's colour image, by the view's name.
        image: the declaration of one colour image.
        prefix: put before another name of a view, for that view in colours.
    """

    names: Mapping[str, str]
    image: Image
    prefix: str

    def aliases(self, pipeline: Pipeline) -> tuple[Image, ...]:
        """Declare a colour image for each image that is another name for a grey view."""
        return tuple(self._alias(image) for image in pipeline.images if image.stands_for)

    def _alias(self, image: Image) -> Image:
        assert image.stands_for
        meant = _Coloured(image.stands_for, tuple(self.names.items()))
        return replace(self.image, name=self.prefix + image.name, help=image.help, stands_for=meant)

    def reading(self, variant: Variant) -> Variant:
        """Return a variant whose steps read these colour images instead of the source's own."""
        if not variant.inputs:
            return variant
        names = {colour: self.names[view] for colour, view in COLOURS.items()}
        steps = (replace(s, reads=tuple(names.get(n, n) for n in s.reads)) for s in variant.fused)
        inputs = tuple(name for name in variant.inputs if name not in names)
        return replace(variant, fused=tuple(steps), inputs=inputs)

    def views(self, pipeline: Pipeline) -> tuple[View, ...]:
        """Return a pipeline's views (image displays) with colour images in place of grey ones."""
        others = {i.name: self.prefix + i.name for i in pipeline.images if i.stands_for}
        return tuple(_renamed(view, {**self.names, **others}) for view in pipeline.views)


def _renamed(view: View, names: Mapping[str, str]) -> View:
    panes, colors = (
        tuple(names.get(name, name) for name in group) for group in (view.panes, view.colors)
    )
    return replace(view, panes=panes, colors=colors)


@dataclass(frozen=True)
class _Coloured:
    """A function that returns, for parameters, the colour image that another name refers to.

    Unlike a local function, it can be pickled and sent to another process.
    """

    meant: Callable[[Any], str]
    names: tuple[tuple[str, str], ...]

    def __call__(self, params: Any) -> str:
        name = self.meant(params)
        return dict(self.names).get(name, name)

    @property
    def __code__(self) -> CodeType:
        """Return the code of the wrapped function, which shows the parameters that are read."""
        return self.meant.__code__


DECODED = "decoded_"  # before the name of a view, for that view in its colours
DECODED_VIEWS = {view: DECODED + view for view in ("left", "right")}
IN_DECODED_COLOURS = InColours(DECODED_VIEWS, NV12.image(DECODED_VIEWS["left"]), DECODED)


@cache
def with_conversion(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline with conversion of decoded video in front, unless it has that already."""
    if set(NV12.inputs) <= set(pipeline.inputs):
        return pipeline
    if set(RAW) <= set(pipeline.inputs):
        return _to_raw_views(pipeline)
    declared = {image.name for image in pipeline.images}
    own = (image for image in NV12.images if image.name not in declared)
    converting = replace(
        pipeline,
        inputs=_inputs(pipeline),
        in_bands=False,
        images=(*own, *pipeline.images, *IN_DECODED_COLOURS.aliases(pipeline)),
        stages=(*NV12.stages, *pipeline.stages),
        variants=tuple(map(IN_DECODED_COLOURS.reading, pipeline.variants)),
        views=IN_DECODED_COLOURS.views(pipeline),
    )
    pipeline.followers.append(lambda v: converting.add_variant(IN_DECODED_COLOURS.reading(v)))
    return converting


def _to_raw_views(pipeline: Pipeline) -> Pipeline:
    """Return a rectifying pipeline that takes decoded video and converts it to raw views."""
    conversion = next(
        stage for stage in NV12.stages if stage.writes == tuple(DECODED_VIEWS.values())
    )
    always = replace(conversion, writes=RAW, on_demand=False)
    converting = replace(
        pipeline,
        inputs=_inputs(pipeline),
        in_bands=False,
        images=(*(NV12.image(name) for name in NV12.inputs), *pipeline.images),
        stages=(always, *pipeline.stages),
    )
    pipeline.followers.append(converting.add_variant)
    return converting


def _inputs(pipeline: Pipeline) -> tuple[str, ...]:
    """List the inputs of a pipeline that converts video: decoded video in place of its views."""
    others = (name for name in pipeline.inputs if name not in (*RAW, *DECODED_VIEWS))
    return (*NV12.inputs, *others)


RECTIFIED = "rectified_"  # before the name of a view, for that view in its colours
RECTIFIED_VIEWS = {view: RECTIFIED + view for view in ("left", "right")}
IN_RECTIFIED_COLOURS = InColours(RECTIFIED_VIEWS, RECTIFY.image(RECTIFIED_VIEWS["left"]), RECTIFIED)
MAPS = ("left_map", "right_map")
MASK, REASON = "outside_mask", "outside_reason"
UNMASKED = "unmasked_"  # before the name of what a mask is laid over
FALLBACK = {"cuda": "global", "cpu": "cpu"}
CHECKS = (
    3 + 3
)  # of a pixel: its own presence, its partner's place, whether that is in, its presence


@cache
def with_rectification(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline with rectification of its views in front, unless it has that already."""
    if set(RECTIFY.inputs) <= set(pipeline.inputs):
        return pipeline
    masked = _masked(pipeline)
    declared = {image.name for image in pipeline.images}
    own = [image for image in RECTIFY.images if image.name not in declared]
    rectifying = replace(
        pipeline,
        inputs=(*RECTIFY.inputs, *(n for n in pipeline.inputs if n not in RECTIFIED_VIEWS)),
        images=(
            *own,
            *pipeline.images,
            *(_unmasked(pipeline, name) for name in masked),
            *IN_RECTIFIED_COLOURS.aliases(pipeline),
        ),
        stages=(*RECTIFY.stages, *_with_masks(pipeline, masked)),
        variants=tuple(_rectifying(variant, masked) for variant in pipeline.variants),
        views=IN_RECTIFIED_COLOURS.views(pipeline),
    )
    pipeline.followers.append(lambda each: rectifying.add_variant(_rectifying(each, masked)))
    return rectifying


@cache
def after_rectification(pipeline: Pipeline) -> Pipeline:
    """Return the part of a pipeline after rectification, whose inputs are the rectified views.

    A pipeline that does not begin with rectification, or is not computed in bands, is unchanged.
    """
    if not (pipeline.in_bands and set(RECTIFY.inputs) <= set(pipeline.inputs)):
        return pipeline
    own = (name for name in pipeline.inputs if name not in RAW)
    stages = tuple(stage for stage in pipeline.stages if stage not in RECTIFY.stages)
    return replace(pipeline, inputs=(*RECTIFIED_VIEWS, *own), stages=stages)


def rectifying_variant(variant: Variant) -> Variant:
    """Return the rectification without textures that runs on the device of a variant."""
    return RECTIFY.variant(FALLBACK[variant.device])


def _masked(pipeline: Pipeline) -> dict[str, Stage]:
    output = pipeline.image(pipeline.output)
    if not output.disparity:
        return {}
    stages = {output.name: _mask(output)}
    if output.explained_by:
        stages[output.explained_by] = _reason(output)
    return stages


def _mask(output: Image) -> Stage:
    return Stage(
        MASK,
        (UNMASKED + output.name, *MAPS),
        (output.name,),
        ("min_disparity",),
        help="Reject pixels that lie outside a rectified view, or whose match does.",
        operations=mask_operations,
    )


def _reason(output: Image) -> Stage:
    return Stage(
        REASON,
        (UNMASKED + output.explained_by, UNMASKED + output.name, *MAPS),
        (output.explained_by,),
        ("min_disparity",),
        help="Label the pixels that lie outside a rectified view.",
        operations=mask_operations,
        on_demand=True,
    )


def mask_operations(params: Params, height: int, width: int) -> int:
    """Count the operations of masking a result: checks of each pixel and its match."""
    return CHECKS * height * width


def _unmasked(pipeline: Pipeline, name: str) -> Image:
    image = pipeline.image(name)
    return replace(
        image,
        name=UNMASKED + name,
        help=f"{image.help} Before pixels outside a rectified view are rejected.",
    )


def _with_masks(pipeline: Pipeline, masked: Mapping[str, Stage]) -> list[Stage]:
    """List a pipeline's stages, with masking stages inserted after the stages they mask."""
    stages: list[Stage] = []
    for stage in pipeline.stages:
        stages += [_renamed_stage(stage, masked), *(masked[n] for n in stage.writes if n in masked)]
    return stages


def _renamed_stage(stage: Stage, masked: Iterable[str]) -> Stage:
    writes = tuple(UNMASKED + name if name in masked else name for name in stage.writes)
    return replace(stage, writes=writes)


def _rectifying(plain: Variant, masked: Iterable[str]) -> Variant:
    """Return a variant preceded by rectification, of the rectification variant of the same name.

    If there is none, the plain rectification variant of its device is used.
    """
    variant = IN_RECTIFIED_COLOURS.reading(plain)
    names = [each.name for each in RECTIFY.variants]
    first = RECTIFY.variant(variant.name if variant.name in names else FALLBACK[variant.device])
    changes: dict[str, Any] = {
        "memory": {**variant.memory, **first.memory},
        "fused": (*first.fused, *(_renamed_stage(step, masked) for step in variant.fused)),
        "textures": (*variant.textures, *first.textures),
    }
    return replace(variant, **changes)
