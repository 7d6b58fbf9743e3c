"""Put colour conversion before another pipeline, so that it reads decoded video.

A pipeline that rectifies gets its raw views in colours; any other gets its views in grey levels,
and colours only while they are shown.
"""

from dataclasses import replace
from functools import cache

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines.in_colours import InColours
from wheatstone.gpu.pipelines.inputs import RAW
from wheatstone.gpu.pipelines.nv12 import NV12

DECODED = "decoded_"  # before the name of a view, for that view in its colours
COLOURED = {view: DECODED + view for view in ("left", "right")}
IN_COLOURS = InColours(COLOURED, NV12.image(COLOURED["left"]), DECODED)


@cache
def with_conversion(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline that converts decoded video first; one that already does is unchanged."""
    if set(NV12.inputs) <= set(pipeline.inputs):
        return pipeline
    if set(RAW) <= set(pipeline.inputs):
        return _to_raw_views(pipeline)
    declared = {image.name for image in pipeline.images}
    own = (image for image in NV12.images if image.name not in declared)
    return replace(
        pipeline,
        inputs=_inputs(pipeline),
        images=(*own, *pipeline.images, *IN_COLOURS.aliases(pipeline)),
        stages=(*NV12.stages, *pipeline.stages),
        views=IN_COLOURS.views(pipeline),
    )


def _to_raw_views(pipeline: Pipeline) -> Pipeline:
    """Return a rectifying pipeline whose raw views are the colours converted from video."""
    conversion = next(stage for stage in NV12.stages if stage.writes == tuple(COLOURED.values()))
    always = replace(conversion, writes=RAW, on_demand=False)
    return replace(
        pipeline,
        inputs=_inputs(pipeline),
        images=(*(NV12.image(name) for name in NV12.inputs), *pipeline.images),
        stages=(always, *pipeline.stages),
    )


def _inputs(pipeline: Pipeline) -> tuple[str, ...]:
    """List a pipeline's inputs, with those of decoded video in place of its views."""
    others = (name for name in pipeline.inputs if name not in (*RAW, *COLOURED))
    return (*NV12.inputs, *others)
