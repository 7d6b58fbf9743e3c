"""Compute a case by every variant that this machine can run, and compare with the reference."""

from dataclasses import dataclass
from typing import Literal

from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.parity.agreement import Images, agreement, kept
from wheatstone.viewer.parity.cases import Case
from wheatstone.viewer.run.engine import prepare_run
from wheatstone.viewer.run.run import Run

REFERENCE = "reference"


@dataclass(frozen=True)
class VariantOutcome:
    """The outcome of one variant in one case.

    Attributes:
        outcome: ``same``, ``differs``, ``refused`` as declared, or ``failed``: an exception that
            the declaration does not announce.
        elements: number of values compared.
        note: the differences, the reason of a refusal, or the exception.
    """

    case: Case
    variant: str
    outcome: Literal["same", "differs", "refused", "failed"]
    elements: int = 0
    differing: int = 0
    note: str = ""

    def __str__(self) -> str:
        return f"{self.case}; {self.variant} {self.outcome}: {self.note}"


def variants_here(pipeline: Pipeline) -> list[Variant]:
    """List the variants, except the reference, that promise its bits and can run here."""
    claiming = [v for v in pipeline.variants if not v.peer and v.name != REFERENCE]
    return [variant for variant in claiming if not why_unavailable(variant.device)]


def outcomes_of(case: Case, only: str | None = None) -> list[VariantOutcome]:
    """Compute a case by the reference, then by every other variant, or by the one named."""
    variants = [v for v in variants_here(case.pipeline) if only in (None, v.name)]
    if case.pipeline.fits(case.params, case.height, case.width):
        return [_refused(case, variant.name) for variant in variants]
    try:
        expected = computed(case, REFERENCE)
    except Exception as error:
        return [_failed(case, REFERENCE, error)]
    return [_compared(case, variant, expected) for variant in variants]


def _compared(case: Case, variant: Variant, expected: Images) -> VariantOutcome:
    if variant.refuses(case.params, case.height, case.width):
        return _refused(case, variant.name)
    try:
        found = agreement(computed(case, variant.name), expected)
    except Exception as error:
        return _failed(case, variant.name, error)
    differing = sum(difference.count for difference in found.differences)
    note = "; ".join(map(str, found.differences))
    outcome: Literal["differs", "same"] = "differs" if differing else "same"
    return VariantOutcome(case, variant.name, outcome, found.elements, differing, note)


def computed(case: Case, variant: str) -> Images:
    """Compute every image of a case, including those on demand."""
    keep = on_demand(case.pipeline, case.pipeline.variant(variant))
    run = Run(case.pipeline, variant, case.params, keep=keep)
    execution = prepare_run(run, case.height, case.width)
    for frame in (0, 1) if case.again and variant != REFERENCE else (1,):
        execution.upload(**case.inputs(frame))
        execution.run()
    return kept(execution)


def _refused(case: Case, variant: str) -> VariantOutcome:
    """Check that a refused configuration raises ``ValueError`` with the declared reason."""
    pipeline, size = case.pipeline, (case.params, case.height, case.width)
    reason = pipeline.fits(*size) or pipeline.variant(variant).refuses(*size)
    try:
        prepare_run(Run(pipeline, variant, case.params), case.height, case.width)
    except ValueError as error:
        if reason in str(error):
            return VariantOutcome(case, variant, "refused", note=reason)
        return _failed(case, variant, error)
    except Exception as error:
        return _failed(case, variant, error)
    return VariantOutcome(case, variant, "failed", note=f"not refused, though {reason}")


def _failed(case: Case, variant: str, error: Exception) -> VariantOutcome:
    return VariantOutcome(case, variant, "failed", note=f"{type(error).__name__}: {error}")
