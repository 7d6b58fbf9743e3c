"""Measure variants for a figure: their times, and whether their results are right."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.measurement import measure
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.figures.plan import MeasuredVariant
from wheatstone.viewer.figures.studio import Tell
from wheatstone.viewer.measuring.sweep import REFERENCE
from wheatstone.viewer.measuring.variants import Images, compared, results_of
from wheatstone.viewer.reading.plain_text import label
from wheatstone.viewer.run.engine import first_frame
from wheatstone.viewer.run.run import Run

FRAMES, SECONDS = 50, 1.0  # timed of each variant, at most
NOT_MEASURED = MeasuredVariant(None, "unknown")

Views = Mapping[str, NDArray[np.uint8]]
"""Grey views (H, W) by name."""


def measured(
    pipeline: Pipeline, names: Sequence[str], params: Params, views: Views, tell: Tell
) -> dict[str, MeasuredVariant]:
    """Measure variants one after the other, the reference first; skip those that cannot run.

    Args:
        tell: receives the name of the variant measured.
    """
    found, expected = dict[str, MeasuredVariant](), None
    for name in (REFERENCE, *(name for name in names if name != REFERENCE)):
        tell(f"timing {pipeline.name}/{name}", None)
        try:
            execution = first_frame(Run(pipeline, name, params), views)
            found[name], images = _measured(execution, pipeline, name, expected)
        except (Unavailable, ValueError, MemoryError):
            found[name] = NOT_MEASURED  # the cell says why
            continue
        expected = images if name == REFERENCE else expected
    return {name: found[name] for name in names}


def _measured(
    execution: Execution, pipeline: Pipeline, name: str, expected: Images | None
) -> tuple[MeasuredVariant, Images]:
    """Compare a variant with the reference's result, then time it."""
    images = results_of(execution)
    identity, _ = compared(pipeline.variant(name), images, expected)
    times = measure(execution, FRAMES, SECONDS).device
    rounded = float(f"{times.median:.4g}")
    return MeasuredVariant(rounded, identity, label(execution.device.name)), images
