"""How good a disparity is, in figures: by ground truth where there is one, and without."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.analysis.conventions import CONVENTIONS, MEASURES, as_judged, measures
from gpu.analysis.metrics import consistent, density, warp_error
from gpu.parameters import Params
from gpu.pipeline import Image
from viewer.choices.judging import TruthChoice
from viewer.files.values import in_units
from viewer.picture.truth import judged_of, largest_searched
from viewer.sources.frame import Frame
from viewer.sources.grey import grey_views

JUDGED, INVALID, FILLED, CONSISTENT, WARPED = (
    "pixels judged",
    "invalid",
    "filled",
    "L-R consistent",
    "warp error",
)
OWN = {FILLED: "%", CONSISTENT: "%", WARPED: "grey"}
"""The figures that need no truth, and their units."""
HIGHER = ("density", FILLED, CONSISTENT)
"""The figures of which the larger is the better."""
DIGITS = {"%": 2, "px": 3, "grey": 2}
NOTHING = "\N{EN DASH}"
HELP = {
    **{
        f"bad-{limit}": f"Pixels judged that are wrong by more than {limit} px."
        for limit in ("0.5", "1", "2", "4")
    },
    "D1": "Pixels judged that are wrong by more than 3 px and by more than 5 %.",
    "average error": "Mean of |d - truth|, of the pixels judged that have a result.",
    "RMS": "Root of the mean of (d - truth) squared, of the same pixels.",
    **{
        f"A{percent}": f"The error that {percent} % of these pixels do not exceed."
        for percent in (50, 90, 95, 99)
    },
    "density": "Pixels judged that have a result; ETH3D calls it coverage.",
    INVALID: "Pixels judged that have no result.",
    JUDGED: "Pixels whose truth is known, in the region and inside the border that is left out.",
    FILLED: "Pixels of the whole image that have a result.",
    CONSISTENT: "Left-right check of the left disparity by itself: pixels of the whole image whose "
    "place in the right view lies inside it, and that no nearer result claims.",
    WARPED: "Mean of |left - right|, the right view read where the disparities say, linear between "
    "columns: small where they are right, and where there is no texture.",
}


@dataclass(frozen=True, eq=False)
class FigureQuestion:
    """A result whose figures are to be found out.

    Attributes:
        stored: (H, W) the result, as stored.
        image: declares the result.
        params: of the slot that computed it.
        frame: what it was computed from.
        choice: how it is judged.
    """

    stored: NDArray[Any]
    image: Image
    params: Params
    frame: Frame
    choice: TruthChoice


@dataclass(frozen=True)
class Figures:
    """The figures of a result.

    Attributes:
        judged: number of pixels judged; 0 without truth.
        values: by name: those of ``MEASURES``, ``INVALID`` and ``OWN``; without truth ``OWN`` only.
    """

    judged: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class FigureLine:
    """A line of the table: one figure of A and of B.

    Attributes:
        texts: the figure of A and of B, without the unit.
        better: 0 or 1, the slot whose figure is the better one; None if neither is.
    """

    name: str
    unit: str
    texts: tuple[str, ...]
    better: int | None = None


def figures(question: FigureQuestion) -> Figures:
    """Compute the figures of a result."""
    disparity = in_units(question.stored, question.image, question.params)
    own = {**_own(disparity, question.frame)}
    truth, choice = question.frame.truth, question.choice
    if truth is None:
        return Figures(0, own)
    mask = judged_of(question.frame, choice)
    searched = largest_searched(question.image, question.params)
    convention = CONVENTIONS[choice.convention]
    judged = measures(convention, disparity, truth, mask, searched)
    count = int(as_judged(convention, disparity, mask, searched)[1].sum())
    return Figures(count, {**judged, INVALID: 100 - judged["density"], **own})


def _own(disparity: NDArray[np.float32], frame: Frame) -> dict[str, float]:
    """Compute the figures that need no truth.

    Args:
        disparity: (H, W) in pixels; NaN where there is none.
    """
    views = grey_views(frame)
    filled = density(disparity, np.ones(disparity.shape, bool))
    warped = warp_error(disparity, views["left"], views["right"]) if "right" in views else math.nan
    return {FILLED: filled, CONSISTENT: consistent(disparity), WARPED: warped}


def by_truth(found: tuple[Figures | None, ...]) -> list[FigureLine]:
    """List the figures that truth gives, of one slot or of two; none without truth."""
    if not any(each and each.judged for each in found):
        return []
    units = {**MEASURES, INVALID: "%"}
    counts = tuple(f"{each.judged:,}" if each else NOTHING for each in found)
    return [
        *(_line(name, unit, found) for name, unit in units.items()),
        FigureLine(JUDGED, "", counts),
    ]


def without_truth(found: tuple[Figures | None, ...]) -> list[FigureLine]:
    """List the figures that need no truth, of one slot or of two."""
    return [_line(name, unit, found) for name, unit in OWN.items()]


def _line(name: str, unit: str, found: tuple[Figures | None, ...]) -> FigureLine:
    """Make the line of one figure, with a dash where it is not known."""
    values = [each.values.get(name, math.nan) if each else math.nan for each in found]
    texts = tuple(f"{v:.{DIGITS[unit]}f}" if math.isfinite(v) else NOTHING for v in values)
    better = None
    if len(values) == 2 and all(map(math.isfinite, values)) and values[0] != values[1]:
        better = int((values[1] > values[0]) == (name in HIGHER))
    return FigureLine(name, unit, texts, better)
