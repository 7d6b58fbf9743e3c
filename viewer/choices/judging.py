"""The user's choices for ground truth: how results are compared, and how errors are shown."""

from dataclasses import dataclass, replace
from typing import Any, Self

from wheatstone.gpu.analysis.conventions import CONVENTIONS, MIDDLEBURY, REGIONS, Region
from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.choices.declared import ChoiceGroup, one_of
from wheatstone.viewer.choices.mixing import DIFFERENCES

SHOWS = {
    "off": "The result.",
    "errors": "Error of the result against the ground truth.",
    "truth": "The ground truth.",
}
SHOWN_AS = {"off": "result", "errors": "error map", "truth": "ground truth"}
REGION_NAMES = {"seen": "non-occluded", "known": "all"}


def is_disparity(image: Image) -> bool:
    """Return whether an image holds disparities, which ground truth can be compared with."""
    return image.unit == "px" and image.invalid is not None


def _why_no_show(state: Any, value: str) -> str:
    pipeline = state.slot.pipeline
    if value == "off":
        return ""
    if not is_disparity(pipeline.image(pipeline.output)):
        return f"{pipeline.name} computes no disparity to compare with ground truth"
    if state.mixing.mode in DIFFERENCES:
        return "the difference of A and B is shown; D shows the results"
    return ""


@dataclass(frozen=True)
class TruthChoice(ChoiceGroup):
    """The user's choices for comparing results with ground truth, and for showing errors.

    Raises:
        ValueError: there is no such convention or region, or ``show`` has an unknown value.
    """

    heading = "ground truth"
    in_place = "show"

    convention: str = one_of(
        MIDDLEBURY.name,
        tuple(CONVENTIONS),
        f"convention of the evaluation: {', '.join(CONVENTIONS)}",
        option="truth-convention",
        metavar="C",
        exact=False,
        meanings={name: convention.help for name, convention in CONVENTIONS.items()},
        keys=("U",),
        says=lambda truth: f"{truth.title}: {CONVENTIONS[truth.convention].help}",
    )
    region: Region = one_of(
        MIDDLEBURY.region,
        REGIONS,
        "pixels to judge: visible in both views, or all with ground truth; default: the "
        "convention's first",
        title="pixels judged",
        option="truth-region",
        exact=False,
        shown_as=REGION_NAMES,
        keys=("Shift+U",),
        key_help="judge all pixels, or non-occluded ones",
        says=lambda truth: f"{REGION_NAMES[truth.region]} pixels are judged",
    )
    show: str = one_of(
        "off",
        tuple(SHOWS),
        "show the error map, the ground truth, or the result",
        title="ground truth",
        option="error-map",
        of_source=True,
        flag_values=("off", "errors"),
        exact=False,
        meanings=SHOWS,
        shown_as=SHOWN_AS,
        listed=False,  # the list of views holds its values
        keys=("Y",),
        each=("show error map or ground truth",),
        key_help="show error map, then ground truth, then the result",
        says=lambda truth: (
            SHOWS[truth.show] if truth.show != "errors" else f"Errors: {truth.title}."
        ),
        why_not=_why_no_show,
    )

    def chosen(self, name: str, value: Any) -> Self:
        """Copy the choices with one of them set; a new convention also sets its default region."""
        changed = super().chosen(name, value)
        if name == "convention":
            return replace(changed, region=CONVENTIONS[value].region)
        return changed

    @property
    def judging(self) -> Self:
        """Copy the choices with the error display off; the others determine the error figures."""
        return replace(self, show="off")

    @property
    def title(self) -> str:
        """Return a title that names the ground truth convention and the evaluated pixels."""
        return f"{self.convention}, {REGION_NAMES[self.region]} pixels"
