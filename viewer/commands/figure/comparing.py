"""List the items that a figure compares: presets, parameter values or measured variants."""

import argparse
from contextlib import closing

from wheatstone.gpu import Unavailable
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.commands.figure.pairs import NamedPair
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.figures.cells import Compared, of_presets, of_values, of_variants
from wheatstone.viewer.figures.plan import MeasuredVariant
from wheatstone.viewer.figures.studio import Tell
from wheatstone.viewer.figures.templates import TEMPLATES, Template
from wheatstone.viewer.figures.timing import NOT_MEASURED, measured
from wheatstone.viewer.former_options import parameter_value
from wheatstone.viewer.measuring.sweep import REFERENCE
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.sources.grey import grey_views

MEMORIES = ("global", "texture", "shared", "constant")
"""The variants that a course's report compares with the host's, one for each GPU memory."""


def compared_of(
    options: argparse.Namespace,
    template: Template,
    pair: NamedPair,
    state: ViewerState,
    tell: Tell,
) -> tuple[Compared, ...]:
    """List the items that a figure compares.

    Args:
        state: the state that all items have in common.
        tell: called with the variant that is measured.

    Raises:
        ValueError: the items are not given, or impossible.
    """
    if template.compares == "presets":
        usual = list(state.slot.pipeline.presets)[:2]
        names = options.preset or (usual if template is TEMPLATES["two-presets"] else ())
        return of_presets(state, names)
    if template.compares == "values":
        if not options.over:
            raise ValueError("an ablation needs values: give --over NAME=VALUE,VALUE")
        name, words = options.over
        control = controls(state.slot.pipeline.params)[name]
        values = [parameter_value(control, name, word) for word in words]
        return of_values(state.slot, name, values)
    return of_variants(state.slot, _measured(options, template, pair, state, tell))


def _measured(
    options: argparse.Namespace,
    template: Template,
    pair: NamedPair,
    state: ViewerState,
    tell: Tell,
) -> dict[str, MeasuredVariant]:
    """Measure the variants that a figure compares, unless the pair cannot be opened."""
    pipeline = PIPELINES[state.slot.pipeline.name]
    names = options.variants or _usual_variants(template, pipeline, state)
    try:
        with closing(user_settings.reopened(pair.source)) as source:
            views = grey_views(source.frame(state.frame % source.length))
            return measured(pipeline, names, state.slot.params, views, tell)
    except (OSError, ValueError, Unavailable):
        return dict.fromkeys(names, NOT_MEASURED)  # the cells say why


def _usual_variants(template: Template, pipeline: Pipeline, state: ViewerState) -> list[str]:
    """List the variants of a template that this machine can run, and print which it cannot."""
    every = {variant.name: variant for variant in pipeline.variants}
    if template is TEMPLATES["course"]:
        every = {name: one for name, one in every.items() if name in (REFERENCE, *MEMORIES)}
    left_out = [name for name, one in every.items() if state.absent.get(one.device)]
    if left_out:
        why = state.absent[every[left_out[0]].device]
        say(f"left out: {', '.join(left_out)} ({why}); --variants names them")
    return [name for name in every if name not in left_out]
