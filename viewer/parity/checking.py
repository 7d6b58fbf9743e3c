"""Check that a variant gives the reference's bits on random configurations."""

from dataclasses import dataclass

from wheatstone.gpu.device import check_device
from wheatstone.viewer.parity.cases import case_of
from wheatstone.viewer.parity.outcomes import VariantOutcome, outcomes_of
from wheatstone.viewer.run.run import pipeline_named

MOST_FINDINGS = 20


@dataclass(frozen=True)
class Check:
    """The result of a check.

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
        """Whether all values equal the reference's."""
        return not self.findings

    def __str__(self) -> str:
        """Summarise the result in a line, followed by the findings."""
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
