"""The tables of quality figures of A and B side by side: values, marks and explanations."""

import math
from dataclasses import dataclass

from wheatstone.gpu.analysis.conventions import MEASURES
from wheatstone.viewer.frames.figures import (
    CONSISTENT,
    DIGITS,
    FILLED,
    INVALID,
    OWN,
    WARPED,
    Figures,
)

JUDGED = "pixels judged"
HIGHER = ("density", FILLED, CONSISTENT)
"""The figures for which larger is better."""
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


def by_truth(found: tuple[Figures | None, ...]) -> list[FigureLine]:
    """List the figures that need truth, of one slot or of two; empty without truth."""
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
    """Build the line of one figure, with a dash if it is not known."""
    values = [each.values.get(name, math.nan) if each else math.nan for each in found]
    texts = tuple(f"{v:.{DIGITS[unit]}f}" if math.isfinite(v) else NOTHING for v in values)
    better = None
    if len(values) == 2 and all(map(math.isfinite, values)) and values[0] != values[1]:
        better = int((values[1] > values[0]) == (name in HIGHER))
    return FigureLine(name, unit, texts, better)
