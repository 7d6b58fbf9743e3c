"""Slots A and B: what each computes, and what it computes before anything is chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from wheatstone.gpu.image import DepthScale
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image, Pipeline, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.nv12.ahead import with_conversion
from wheatstone.gpu.pipelines.rectify.ahead import with_rectification


@dataclass(frozen=True)
class Slot:
    """What one of A and B computes: a pipeline, by which variant, with which parameters.

    Attributes:
        scale: what depths are told in; it makes no other slot. None before a frame is there.
    """

    pipeline: Pipeline
    variant: str
    params: Params
    scale: DepthScale | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """Name pipeline and variant, such as ``sgm/fast``."""
        return f"{self.pipeline.name}/{self.variant}"

    @property
    def declaration(self) -> Variant:
        """Look up the declaration of the variant."""
        return self.pipeline.variant(self.variant)

    def image(self, name: str) -> Image:
        """Look up the declaration of an image, an image of depths in the unit of the scale."""
        return self.pipeline.image(name).scaled(self.scale)


@dataclass(frozen=True)
class Ahead:
    """What pipelines do before their own stages, as their source needs it.

    Attributes:
        converts: they convert decoded video to grey levels or colours.
        rectifies: they rectify the views.
    """

    converts: bool = False
    rectifies: bool = False

    def of(self, pipeline: Pipeline) -> Pipeline:
        """Put that ahead of a pipeline."""
        rectifying = with_rectification(pipeline) if self.rectifies else pipeline
        return with_conversion(rectifying) if self.converts else rectifying


NOTHING_AHEAD = Ahead()
EVERY_AHEAD = tuple(Ahead(*each) for each in product((False, True), repeat=2))


def fitted(slot: Slot, ahead: Ahead, scale: DepthScale | None) -> Slot:
    """Let a slot's pipeline do first what is needed, and tell depths in a scale.

    What is no known pipeline stays as it is, but for the scale.
    """
    slot, known = replace(slot, scale=scale), PIPELINES.get(slot.pipeline.name)
    if known is None or not any(slot.pipeline is each.of(known) for each in EVERY_AHEAD):
        return slot
    return replace(slot, pipeline=ahead.of(known))


def default_variant(pipeline: Pipeline, absent: Mapping[str, str]) -> str:
    """Name the fastest variant this machine can run: ``fast`` or another on the GPU, else ``cpu``.

    Args:
        absent: for every kind of device that cannot be used here, why not.
    """
    device = "cpu" if absent.get("cuda", "") else "cuda"
    names = [v.name for v in pipeline.variants if v.device == device and not v.peer]
    preferred = [name for name in ("fast", "cpu") if name in names]
    return preferred[0] if preferred else names[-1]


def rival(slot: Slot, absent: Mapping[str, str]) -> str:
    """Name the variant that a slot is compared with by default: a fast one other than its own."""
    default = default_variant(slot.pipeline, absent)
    able = [v for v in slot.pipeline.variants if not v.peer and not v.refuses(slot.params, 1, 1)]
    others = [v.name for v in able if v.name != slot.variant]
    for name in (default, "cpu", "reference", *others):
        if name in others:
            return name
    return slot.variant


def default_slot(pipeline: str, absent: Mapping[str, str], **changes: Any) -> Slot:
    """Make a slot of a pipeline with its default variant and parameters.

    Args:
        changes: parameters that differ from their defaults.

    Raises:
        ValueError: there is no such pipeline.
    """
    if pipeline not in PIPELINES:
        raise ValueError(f"there is no pipeline {pipeline!r}; there is {', '.join(PIPELINES)}")
    declaration = PIPELINES[pipeline]
    variant = default_variant(declaration, absent)
    return Slot(declaration, variant, declaration.params(**changes))
