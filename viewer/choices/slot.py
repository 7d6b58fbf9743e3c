"""A slot: what is computed for one place on the screen, and what it is unless chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpu.parameters import Params
from gpu.pipeline import Pipeline, Variant
from gpu.pipelines import PIPELINES


@dataclass(frozen=True)
class Slot:
    """What is computed for one place on the screen: a pipeline, a variant of it, its parameters."""

    pipeline: Pipeline
    variant: str
    params: Params

    @property
    def name(self) -> str:
        """Pipeline and variant."""
        return f"{self.pipeline.name}/{self.variant}"

    @property
    def declaration(self) -> Variant:
        """The variant's declaration."""
        return self.pipeline.variant(self.variant)


def default_variant(pipeline: Pipeline, absent: Mapping[str, str]) -> str:
    """The fastest variant this machine can run: ``fast`` or another on the GPU, else ``cpu``."""
    device = "cpu" if absent.get("cuda", "") else "cuda"
    names = [v.name for v in pipeline.variants if v.device == device and not v.peer]
    preferred = [name for name in ("fast", "cpu") if name in names]
    return preferred[0] if preferred else names[-1]


def rival(slot: Slot, absent: Mapping[str, str]) -> str:
    """The variant that a slot is compared with unless told otherwise: a fast one that is not it."""
    default = default_variant(slot.pipeline, absent)
    able = [v for v in slot.pipeline.variants if not v.peer and not v.refuses(slot.params, 1, 1)]
    others = [v.name for v in able if v.name != slot.variant]
    for name in (default, "cpu", "reference", *others):
        if name in others:
            return name
    return slot.variant


def default_slot(pipeline: str, absent: Mapping[str, str], **changes: Any) -> Slot:
    """A pipeline with its default variant and parameters.

    Raises:
        ValueError: there is no such pipeline.
    """
    if pipeline not in PIPELINES:
        raise ValueError(f"there is no pipeline {pipeline!r}; there is {', '.join(PIPELINES)}")
    declaration = PIPELINES[pipeline]
    variant = default_variant(declaration, absent)
    return Slot(declaration, variant, declaration.params(**changes))
