"""Convert a frame into the arrays that a pipeline reads, on the host."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines.inputs import CAMERA, OF_VIEW, RAW, with_presence
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.nv12.images import COEFFICIENTS
from wheatstone.gpu.pipelines.rectify import RECTIFY
from wheatstone.viewer.sources.frame import Frame
from wheatstone.viewer.sources.grey import grey_levels, view_of


def host_input(name: str, frame: Frame, out: NDArray[Any] | None = None) -> NDArray[Any] | None:
    """Create an input of a pipeline from a frame; None if the frame has no such view.

    Args:
        out: an array of the input's shape and dtype that may be overwritten with it.
    """
    view = OF_VIEW.get(name, name)
    if name in NV12.inputs:
        return _decoded(name, frame)
    if name == CAMERA:
        scale = frame.calibration_or_assumed.scale
        return np.array((scale.product, scale.offset), np.float32)
    if name in RAW:
        raw = view_of(frame, name)
        return None if raw is None else with_presence(raw, out)
    if name in OF_VIEW:
        if not frame.raw:
            return np.zeros((*frame.shape, 2), np.int16)
        maps = frame.raw.rectification
        return (maps.left if view == "left" else maps.right).displacement
    pixels = view_of(frame, name)
    return None if pixels is None else grey_levels(pixels, out)


def _decoded(name: str, frame: Frame) -> NDArray[Any]:
    """Return a view's luma or chroma plane, or its coefficients, from a decoder, on the host."""
    assert frame.planes, "frames of a planar source have planes"
    if name == COEFFICIENTS:
        return frame.planes[0].coefficients
    side, part = name.split("_")
    luma, chroma = frame.planes[side == "right"].host
    return luma if part == "luma" else chroma


def host_inputs(pipeline: Pipeline, frame: Frame) -> dict[str, NDArray[Any]]:
    """Convert a frame into the inputs of a pipeline, by name; missing views are omitted."""
    inputs = {name: host_input(name, frame) for name in pipeline.inputs}
    return {name: array for name, array in inputs.items() if array is not None}


@cache
def reads_both_views(pipeline: Pipeline) -> bool:
    """Return whether a pipeline's results depend on aligned rows of the two views."""
    return pipeline is RECTIFY or any("right" in stage.reads for stage in pipeline.stages)
