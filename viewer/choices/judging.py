"""How results are judged by ground truth, as plain data."""

from dataclasses import dataclass, replace
from typing import Self

from gpu.analysis.conventions import CONVENTIONS, MIDDLEBURY, REGIONS, Region
from gpu.pipeline import Image

SHOWS = {
    "off": "The result.",
    "errors": "How far the result is from the truth.",
    "truth": "The truth.",
}
SHOWN_AS = {"off": "the result", "errors": "the error map", "truth": "the truth"}
REGION_NAMES = {"seen": "non-occluded", "known": "all"}


@dataclass(frozen=True)
class TruthChoice:
    """How results are judged, and what is seen of that in the picture.

    Attributes:
        convention: the name of one of ``gpu.analysis.conventions``.
        region: which pixels are judged.
        show: one of ``SHOWS``.

    Raises:
        ValueError: there is none of these.
    """

    convention: str = MIDDLEBURY.name
    region: Region = MIDDLEBURY.region
    show: str = "off"

    def __post_init__(self) -> None:
        known = {"convention": CONVENTIONS, "region": REGIONS, "show": SHOWS}
        for name, values in known.items():
            if getattr(self, name) not in values:
                raise ValueError(
                    f"{name} must be one of {', '.join(values)} (got {getattr(self, name)!r})"
                )

    @property
    def judging(self) -> Self:
        """Only how results are judged: what figures depend on."""
        return replace(self, show="off")

    @property
    def title(self) -> str:
        """Convention and region in words."""
        return f"{self.convention}, {REGION_NAMES[self.region]} pixels"


def judged_by(choice: TruthChoice, convention: str) -> TruthChoice:
    """A choice with another convention, and the pixels it judges first of all."""
    region = CONVENTIONS[convention].region if convention in CONVENTIONS else choice.region
    return replace(choice, convention=convention, region=region)


def is_disparity(image: Image) -> bool:
    """Whether an image holds disparities, which truth can judge."""
    return image.unit == "px" and image.invalid is not None
