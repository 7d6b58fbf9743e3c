"""Compute pairs, one at a time in each process, while other threads read and write pairs."""

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.files.values import in_units
from wheatstone.viewer.run.inputs import host_inputs
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.frame import Frame

CONFIDENCE = "confidence"
_turn = threading.Lock()  # a device computes one pair at a time; so does what is compiled


@dataclass(frozen=True, eq=False)
class ComputedPair:
    """A pair, and the images that were computed from it.

    Attributes:
        images: (H, W) values by name, as stages wrote them.
        milliseconds: duration of the computation.
    """

    frame: Frame
    slot: Run
    images: Mapping[str, NDArray[Any]]
    milliseconds: float


def inputs_for(pipeline: Pipeline, frame: Frame) -> dict[str, NDArray[Any]]:
    """Make a pipeline's inputs from a frame; raise ``ValueError`` if it lacks a view."""
    found = host_inputs(pipeline, frame)
    if lacking := [name for name in pipeline.inputs if name not in found]:
        remedy = "name it with --right, or say by --layout where both views lie"
        raise ValueError(f"{pipeline.name} needs a {lacking[0]} view, and there is none: {remedy}")
    return found


def compute_pair(
    frame: Frame,
    inputs: Mapping[str, NDArray[Any]],
    slot: Run,
    wanted: tuple[str, ...],
) -> ComputedPair:
    """Compute images of a frame; the calling thread waits while another one computes.

    Args:
        inputs: by name, as ``inputs_for`` makes them.
        wanted: names of the images.

    Raises:
        ValueError: the parameters do not fit, or the variant does not keep an image.
        Unavailable: the device is absent, or has too little memory.
    """
    with _turn:
        execution = _prepared(slot.pipeline.name, slot.variant, slot.params, *frame.shape, wanted)
        execution.upload(**inputs)
        execution.run()
        images = {name: np.array(execution.download(name)) for name in wanted}
        took = execution.milliseconds(wait=True) or 0.0
    return ComputedPair(frame, slot, images, took)


@lru_cache(maxsize=2)
def _prepared(
    pipeline: str, variant: str, params: Params, height: int, width: int, wanted: tuple[str, ...]
) -> Execution:
    return prepare(PIPELINES[pipeline], variant, params, height, width, wanted)


def density(computed: ComputedPair, name: str) -> float:
    """Compute the share of an image's pixels that have a value, in per cent."""
    values = _values(computed, name)
    return 100 * float(np.mean(np.isfinite(values)))


def confidence(computed: ComputedPair) -> float:
    """Average the confidence of the pixels that have a disparity, in per cent; NaN without any."""
    known = np.isfinite(_values(computed, computed.slot.pipeline.output))
    values = _values(computed, CONFIDENCE)[known]
    return float(np.mean(values)) if values.size else math.nan


def _values(computed: ComputedPair, name: str) -> NDArray[np.float32]:
    return in_units(computed.images[name], computed.slot.image(name), computed.slot.params)
