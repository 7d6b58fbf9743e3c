"""The items that a figure compares: presets, parameter values or measured variants."""

from collections.abc import Mapping, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.measurement import measure
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.parameters import Params, controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.figure.pairs import NamedPair
from wheatstone.viewer.cli.figure.request import FigureRequest
from wheatstone.viewer.figures.canvas import Tell
from wheatstone.viewer.figures.cells import Compared, of_presets, of_values, of_variants
from wheatstone.viewer.figures.plan import MeasuredVariant
from wheatstone.viewer.figures.templates import TEMPLATES, Template
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.options import parameter_value
from wheatstone.viewer.run.engine import first_frame
from wheatstone.viewer.run.measuring.sweep import REFERENCE
from wheatstone.viewer.run.measuring.variants import Images, compared, results_of
from wheatstone.viewer.run.run import Run

FRAMES, SECONDS = 50, 1.0  # timed of each variant, at most
NOT_MEASURED = MeasuredVariant(None, "unknown")

Views = Mapping[str, NDArray[np.uint8]]
"""Grey views (H, W) by name."""
MEMORIES = ("global", "texture", "shared", "constant")
"""The variants that a course's report compares with the host's, one for each GPU memory."""


def compared_of(
    request: FigureRequest, template: Template, pair: NamedPair, state: ViewerState, tell: Tell
) -> tuple[Compared, ...]:
    """List the items that a figure compares, as its template and the options define them.

    Args:
        state: the state that all items have in common.
        tell: called with the variant that is measured.

    Raises:
        ValueError: the items are not given, or impossible.
    """
    if template.compares == "presets":
        usual = list(state.slot.pipeline.presets)[:2]
        both = template is TEMPLATES["two-presets"] and not request.b_values
        names = request.preset or (usual if both else ())
        return of_presets(state, names)
    if template.compares == "values":
        if not request.over:
            raise ValueError("an ablation needs values: give --over NAME=VALUE,VALUE")
        name, words = request.over
        control = controls(state.slot.pipeline.params)[name]
        values = [parameter_value(control, name, word) for word in words]
        return of_values(state.slot, name, values)
    return of_variants(state.slot, _measured_variants(request, template, pair, state, tell))


def _measured_variants(
    request: FigureRequest, template: Template, pair: NamedPair, state: ViewerState, tell: Tell
) -> dict[str, MeasuredVariant]:
    """Measure the variants that a figure compares, unless the pair cannot be opened."""
    pipeline = PIPELINES[state.slot.pipeline.name]
    names = request.variants or _usual_variants(template, pipeline, state)
    try:
        with closing(open_source(pair.spec)) as source:
            views = grey_views(source.frame(state.frame % source.length))
            return measure_variants(pipeline, names, state.slot.params, views, tell)
    except (OSError, ValueError, Unavailable):
        return dict.fromkeys(names, NOT_MEASURED)  # the cells say why


def _usual_variants(template: Template, pipeline: Pipeline, state: ViewerState) -> list[str]:
    """List a template's variants that this machine can run, and print the omitted ones."""
    every = {variant.name: variant for variant in pipeline.variants}
    if template is TEMPLATES["course"]:
        every = {name: one for name, one in every.items() if name in (REFERENCE, *MEMORIES)}
    omitted = [name for name, one in every.items() if state.absent.get(one.device)]
    if omitted:
        why = state.absent[every[omitted[0]].device]
        say(f"omitted: {', '.join(omitted)} ({why}); --variants selects variants")
    return [name for name in every if name not in omitted]


def measure_variants(
    pipeline: Pipeline, names: Sequence[str], params: Params, views: Views, tell: Tell
) -> dict[str, MeasuredVariant]:
    """Compare variants with the reference and time them; return the results by name.

    A variant that cannot run is skipped, with ``NOT_MEASURED`` as its result.

    Args:
        tell: receives the name of the variant measured.
    """
    measured, expected = dict[str, MeasuredVariant](), None
    for name in (REFERENCE, *(name for name in names if name != REFERENCE)):
        tell(f"timing {pipeline.name}/{name}", None)
        try:
            execution = first_frame(Run(pipeline, name, params), views)
            measured[name], images = _measured(execution, pipeline, name, expected)
        except (Unavailable, ValueError, MemoryError):
            measured[name] = NOT_MEASURED  # the cell says why
            continue
        expected = images if name == REFERENCE else expected
    return {name: measured[name] for name in names}


def _measured(
    execution: Execution, pipeline: Pipeline, name: str, expected: Images | None
) -> tuple[MeasuredVariant, Images]:
    """Compare a variant's result with the reference's, then time the variant."""
    images = results_of(execution)
    identity, _ = compared(pipeline.variant(name), images, expected)
    times = measure(execution, FRAMES, SECONDS).device
    rounded = float(f"{times.median:.4g}")
    return MeasuredVariant(rounded, identity, label(execution.device.name)), images
