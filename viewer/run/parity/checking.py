"""Check that variants compute the same bits as the reference on random configurations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from wheatstone.gpu.analysis.comparison import Difference, compare
from wheatstone.gpu.device import check_device, why_unavailable
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.run.engine import prepare_run
from wheatstone.viewer.run.parity.cases import Case, case_of
from wheatstone.viewer.run.run import Run, pipeline_named

Images = Mapping[str, NDArray[Any]]
REFERENCE = "reference"
MOST_FINDINGS = 20


@dataclass(frozen=True)
class Agreement:
    """The result of an exact comparison: counts of images and values, and the differences."""

    images: int
    elements: int
    differences: tuple[Difference, ...]


def kept(execution: Execution) -> Images:
    """Download every computed image that a prepared variant has stored, in its declared dtype."""
    pipeline = execution.pipeline
    names = [each.name for each in pipeline.images if each.name not in pipeline.inputs]
    return {name: execution.download(name) for name in names if execution.keeps(name)}


def agreement(ours: Images, reference: Images) -> Agreement:
    """Compare the images present in both results exactly; NaN equals NaN."""
    both = [name for name in ours if name in reference]
    compared = (compare(name, ours[name], reference[name]) for name in both)
    size = sum(reference[name].size for name in both)
    return Agreement(len(both), size, tuple(filter(None, compared)))


@dataclass(frozen=True)
class VariantOutcome:
    """The outcome of one variant in one case, which can be pickled.

    Attributes:
        case: the description of the case.
        pipeline: its name.
        outcome: ``same``, ``differs``, ``refused`` as declared, or ``failed``: an exception that
            the declaration does not announce.
        elements: number of values compared.
        note: the differences, the reason of a refusal, or the exception.
    """

    case: str
    pipeline: str
    variant: str
    outcome: Literal["same", "differs", "refused", "failed"]
    elements: int = 0
    differing: int = 0
    note: str = ""

    def __str__(self) -> str:
        return f"{self.case}; {self.variant} {self.outcome}: {self.note}"


def variants_here(pipeline: Pipeline) -> list[Variant]:
    """List the variants that must equal the reference and can run on this machine."""
    claiming = [v for v in pipeline.variants if not v.peer and v.name != REFERENCE]
    return [variant for variant in claiming if not why_unavailable(variant.device)]


def outcomes_of(case: Case, only: str | None = None) -> list[VariantOutcome]:
    """Compare every variant, or only the named one, with the reference in a test case."""
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
        result = agreement(computed(case, variant.name), expected)
    except Exception as error:
        return _failed(case, variant.name, error)
    differing = sum(difference.count for difference in result.differences)
    note = "; ".join(map(str, result.differences))
    outcome: Literal["differs", "same"] = "differs" if differing else "same"
    return VariantOutcome(*_named(case), variant.name, outcome, result.elements, differing, note)


def computed(case: Case, variant: str) -> Images:
    """Compute a case with a variant; return every image, also those computed only on demand."""
    keep = on_demand(case.pipeline, case.pipeline.variant(variant))
    bands = 1 if variant == REFERENCE else case.bands
    run = Run(case.pipeline, variant, case.params, keep=keep, bands=bands)
    execution = prepare_run(run, case.height, case.width)
    if execution.separate_bands > 1:  # bands that overlap: their results may differ
        execution = prepare_run(run.replace(bands=1), case.height, case.width)
    for frame in (0, 1) if case.again and variant != REFERENCE else (1,):
        execution.upload(**case.inputs(frame))
        execution.run()
    return kept(execution)


def _refused(case: Case, variant: str) -> VariantOutcome:
    """Check that an impossible configuration raises ``ValueError`` with the declared reason."""
    pipeline, size = case.pipeline, (case.params, case.height, case.width)
    reason = pipeline.fits(*size) or pipeline.variant(variant).refuses(*size)
    try:
        prepare_run(Run(pipeline, variant, case.params), case.height, case.width)
    except ValueError as error:
        if reason in str(error):
            return VariantOutcome(*_named(case), variant, "refused", note=reason)
        return _failed(case, variant, error)
    except Exception as error:
        return _failed(case, variant, error)
    return VariantOutcome(*_named(case), variant, "failed", note=f"not refused, though {reason}")


def _named(case: Case) -> tuple[str, str]:
    return str(case), case.pipeline.name


def _failed(case: Case, variant: str, error: Exception) -> VariantOutcome:
    return VariantOutcome(*_named(case), variant, "failed", note=f"{type(error).__name__}: {error}")


@dataclass(frozen=True)
class Check:
    """The result of comparing a variant with the reference on random configurations.

    Attributes:
        name: pipeline and variant.
        cases: random configurations computed.
        refused: cases that the variant refused, as its declaration says.
        elements: values compared.
        findings: one line for each case that differs or failed, the first ones only.
    """

    name: str
    cases: int
    refused: int
    elements: int
    findings: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether all compared values equal the reference's."""
        return not self.findings

    def __str__(self) -> str:
        """Summarise the check in one line, followed by the findings."""
        verdict = "identical to the reference" if self.identical else "DIFFERENT"
        line = f"{self.name}: {verdict} in {self.cases} cases, {self.elements:,} values compared"
        return "\n".join((line, *self.findings))


def check(pipeline: str, variant: str, *, cases: int = 100, seed: int = 0) -> Check:
    """Compare a variant with the reference on random sizes, parameters and images, to the bit.

    Args:
        pipeline: name of a pipeline.
        variant: name of a variant, also of one declared with ``wheatstone.variant``.
        cases: number of random configurations; the same number and seed give the same ones.
        seed: chooses the configurations.

    Raises:
        ValueError: there is no such pipeline or variant, or ``cases`` is below 1.
        Unavailable: the device of the variant is absent.
    """
    declared = pipeline_named(pipeline).variant(variant)
    check_device(variant, declared.device)
    if cases < 1:
        raise ValueError(f"cases must be at least 1 (got {cases})")
    outcomes: list[VariantOutcome] = []
    for number in range(cases):
        case = case_of(number, seed, [pipeline])
        outcomes += outcomes_of(case, variant)
    wrong = [str(each) for each in outcomes if each.outcome in ("differs", "failed")]
    return Check(
        f"{pipeline}/{variant}",
        cases,
        sum(each.outcome == "refused" for each in outcomes),
        sum(each.elements for each in outcomes),
        tuple(wrong[:MOST_FINDINGS]),
    )
