"""How values are shown and looked at, as plain data: what the user chose of it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

Range = tuple[float, float]


@dataclass(frozen=True)
class Look:
    """Ranges, colour bar, inspector and histogram.

    Attributes:
        ranges: smallest and largest value shown, in the image's unit, by pipeline and image, such
            as ``sgm.disparity``; those without an entry are shown as declared.
        colorbar: whether bars below the picture say what colours mean.
        pin: row and column of the pixel that the inspector stays at; None: it follows the cursor.
        logarithmic: whether the histogram's counts stand on a logarithmic axis.
        whole: whether the histogram counts the whole image, not what is seen of it.

    Raises:
        ValueError: a range is not finite or does not go up, or the pin is no place.
    """

    ranges: Mapping[str, Range] = field(default_factory=dict)
    colorbar: bool = True
    pin: tuple[int, int] | None = None
    logarithmic: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        for low, high in self.ranges.values():
            checked_range(low, high)
        if self.pin is not None:
            row, column = self.pin
            if min(row, column) < 0:
                raise ValueError(f"a pixel's row and column are 0 or more (got {row}, {column})")

    def with_range(self, name: str, chosen: Range | None) -> Self:
        """With an image's range set; None: as declared."""
        others = {key: value for key, value in self.ranges.items() if key != name}
        return replace(self, ranges=others | ({name: checked_range(*chosen)} if chosen else {}))


def checked_range(low: float, high: float) -> Range:
    """A range. Raises ``ValueError`` unless it is finite and goes up."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"a range goes from a number to a larger one (got {low:g} to {high:g})")
    return float(low), float(high)


def parse_range(text: str) -> Range:
    """LOW,HIGH as a range. Raises ``ValueError`` if it is none."""
    low, _, high = text.partition(",")
    try:
        return checked_range(float(low), float(high))
    except ValueError:
        raise ValueError(f"a range is LOW,HIGH, such as 3,40 (got {text!r})") from None
