"""Define requests to unfold a stage, and compute a frame up to that stage by the reference."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.unfolding.tiling import Tiling
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.image import Image
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline

REFERENCE = "reference"
FLAT = ("height", "width")


def no_report(share: float) -> None:
    """Ignore a report of progress."""


@dataclass(eq=False)
class Kept:
    """Cache of one frame's last computation, from which slices through other pixels are taken."""

    until: tuple[str, int] = ("", 0)
    execution: Execution | None = None


@dataclass(frozen=True, eq=False)
class Asked:
    """Request to unfold a stage of a frame.

    Attributes:
        inputs: the pipeline's inputs by name, as ``Execution.upload`` takes them.
        height, width: of the frame in pixels.
        stage: the stage to unfold.
        pixel: row and column of the pixel through which slices go.
        path: number of the path to follow, from 1; a number beyond the last means the last.
        tiling: layout of the threads of a stage over the image, if that is shown.
        report: called with the progress, from 0 to 1; an exception that it raises ends the work.
        kept: earlier computation of the same frame with the same parameters.
    """

    pipeline: Pipeline
    params: Params
    inputs: Mapping[str, NDArray[Any]]
    height: int
    width: int
    stage: str
    pixel: tuple[int, int]
    path: int = 1
    tiling: Tiling | None = None
    report: Callable[[float], None] = no_report
    kept: Kept = field(default_factory=Kept)


class _Enough(Exception):
    """Signal that all needed stages of the frame are computed."""


def computed_until(asked: Asked, stage: str, turn: int = 0) -> Execution:
    """Compute a frame by the reference, up to a stage and no further.

    Args:
        turn: index of the last run of the stage, from 0, if the stage runs for several items.

    Raises:
        ValueError: the stage does not run with these parameters, or the parameters do not fit.
        Unavailable: there is too little memory.
    """
    kept = asked.kept
    if not kept.execution or kept.until != (stage, turn):
        kept.execution = None  # gives its arrays back first
        kept.execution, kept.until = _computed(asked, stage, turn), (stage, turn)
    return kept.execution


def _computed(asked: Asked, stage: str, turn: int) -> Execution:
    """Compute a frame by the reference, up to one run of a stage."""
    pipeline, size = asked.pipeline, (asked.height, asked.width)
    declared = next(each for each in pipeline.stages if each.name == stage)
    execution = prepare(pipeline, REFERENCE, asked.params, *size, declared.writes)
    runs = [n for n, step in enumerate(execution.steps) if step.stage.name == stage]
    if not runs:
        said = stage.replace("_", " ")
        raise ValueError(f"{said} is off with these parameters: there is nothing to slow down")
    last = runs[min(turn, len(runs) - 1)] + 1
    execution.upload(**asked.inputs)

    def after(done: int) -> None:
        """Report progress, and end the frame after the last step that is needed."""
        asked.report(done / last)
        if done >= last:
            raise _Enough

    try:
        execution.run(timed=False, after=after)
    except _Enough:
        pass
    return execution


def flat_images(pipeline: Pipeline, names: tuple[str, ...]) -> list[Image]:
    """List the declarations of the named images that have one value per pixel."""
    declared = [pipeline.image(name) for name in names]
    return [image for image in declared if image.dims == FLAT]


def copy_of(execution: Execution, name: str) -> NDArray[Any]:
    """Copy an image of an execution, so that the execution's arrays can be freed."""
    return np.array(execution.array(name))
