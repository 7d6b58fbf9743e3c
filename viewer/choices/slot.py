"""The two compared runs, A and B (pipeline, variant and parameters), and their defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from wheatstone.gpu.image import DepthScale
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ahead import with_conversion, with_rectification
from wheatstone.viewer.run.run import Run, default_variant, pipeline_named


@dataclass(frozen=True)
class Ahead:
    """The stages, such as rectification, that a source of frames needs before any pipeline's own.

    Attributes:
        values: shows a source of values, on which no other pipeline computes; None for images.
    """

    converts: bool = False
    rectifies: bool = False
    values: Pipeline | None = None

    def of(self, pipeline: Pipeline) -> Pipeline:
        """Return a pipeline with the stages that the source of frames needs in front of its own."""
        rectifying = with_rectification(pipeline) if self.rectifies else pipeline
        return with_conversion(rectifying) if self.converts else rectifying


NOTHING_AHEAD = Ahead()
EVERY_AHEAD = tuple(Ahead(one, two) for one, two in product((False, True), repeat=2))


def fitted(slot: Run, ahead: Ahead, scale: DepthScale | None) -> Run:
    """Copy a run with the stages that its source of frames needs first, and with a depth scale.

    If the pipeline is not a known one, only the scale is changed.
    """
    if ahead.values:
        return Run(ahead.values, ahead.values.variants[0].name)
    slot, known = replace(slot, scale=scale), PIPELINES.get(slot.pipeline.name)
    if known is None or not any(slot.pipeline is each.of(known) for each in EVERY_AHEAD):
        return slot
    return replace(slot, pipeline=ahead.of(known))


def rival(slot: Run, absent: Mapping[str, str]) -> str:
    """Return the variant that a run is compared with by default: a fast one other than its own."""
    default = default_variant(slot.pipeline, absent)
    able = [v for v in slot.pipeline.offered if not v.peer and not v.refuses(slot.params, 1, 1)]
    others = [v.name for v in able if v.name != slot.variant]
    for name in (default, "cpu", "reference", *others):
        if name in others:
            return name
    return slot.variant


def with_variant(slot: Run, name: str) -> Run:
    """Return a run with another variant; unchanged if its pipeline has no variant of the name."""
    known = any(variant.name == name for variant in slot.pipeline.variants)
    return replace(slot, variant=name) if known else slot


def unlike(slot: Run, absent: Mapping[str, str]) -> Run:
    """Return run B's default for a comparison, different from run A where that is possible.

    It has another preset where presets serve the same purpose, that is where one is fast. Else it
    is a copy, whose parameters the user changes, or another variant if there are no parameters.
    """
    presets = slot.pipeline.presets
    others = (presets["fast"], *presets.values()) if "fast" in presets else ()
    for settings in others:
        params = slot.params.changed(**settings)
        if params != slot.params and not slot.declaration.refuses(params, 1, 1):
            return replace(slot, params=params)
    return slot if slot.params.values() else replace(slot, variant=rival(slot, absent))


def default_slot(pipeline: str, absent: Mapping[str, str], **changes: Any) -> Run:
    """Return a pipeline's default run; raise ``ValueError`` if there is no such pipeline."""
    declaration = pipeline_named(pipeline)
    return Run(declaration, default_variant(declaration, absent), **changes)
