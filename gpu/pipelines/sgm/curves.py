"""Costs and results of one pixel as plain data, as computed by ``gpu.pipelines.sgm.probe``."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import Int64, Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import ABSENT, MARGIN_STEPS, SUBPIXEL_STEPS


@dataclass(frozen=True)
class Fit:
    """A curve through the sums of the winner and its two neighbours, for subpixel refinement.

    Attributes:
        index: index of the winner.
        sums: S(d-1), S(d), S(d+1).
    """

    name: ClassVar[str]
    index: int
    sums: tuple[int, int, int]

    @property
    @abstractmethod
    def vertex(self) -> tuple[float, float]:
        """Compute the curve's minimum, before rounding: index of the disparity, and sum."""

    @abstractmethod
    def at(self, index: float) -> float:
        """Compute the curve's value at an index of the disparity, which may be fractional."""


class Parabola(Fit):
    """A parabola through the sums of the winner and its two neighbours."""

    name = "parabola"

    @property
    def curvature(self) -> int:
        """Compute S(d-1) + S(d+1) - 2 S(d), at least 1."""
        below, here, above = self.sums
        return max(below + above - 2 * here, 1)

    @property
    def vertex(self) -> tuple[float, float]:
        slope = (self.sums[2] - self.sums[0]) / 2
        offset = -slope / self.curvature
        return self.index + offset, self.at(self.index + offset)

    def at(self, index: float) -> float:
        offset = index - self.index
        slope = (self.sums[2] - self.sums[0]) / 2
        return self.sums[1] + slope * offset + self.curvature / 2 * offset**2


class Angle(Fit):
    """Two lines, falling and rising equally steeply, through the sums of winner and neighbours."""

    name = "angle"

    @property
    def slope(self) -> int:
        """Compute max(S(d-1), S(d+1)) - S(d), at least 1."""
        below, here, above = self.sums
        return max(max(below, above) - here, 1)

    @property
    def vertex(self) -> tuple[float, float]:
        offset = (self.sums[0] - self.sums[2]) / (2 * self.slope)
        return self.index + offset, self.at(self.index + offset)

    def at(self, index: float) -> float:
        offset = index - self.index
        falling = self.sums[0] - self.slope * (offset + 1)
        rising = self.sums[2] - self.slope * (1 - offset)
        return max(falling, rising)


FITS: Mapping[str, Callable[[int, tuple[int, int, int]], Fit]] = {
    "parabola": Parabola,
    "equiangular": Angle,
}
"""Constructors of the fits, which take the winner's index and its three sums."""


@dataclass(frozen=True, eq=False)
class CostParts:
    """The parts of a pixel's matching costs C, which are ``compared`` + ``gradient``.

    Attributes:
        bits: number of bits of the census words compared; 0: grey levels are compared.
        compared: (D,) number of bits that differ, or difference of grey levels; outside the image
            the cost there.
        gradient: (D,) costs added by gradients; None if they do not count.
        outside: (D,) whether the right pixel lies outside the image.
    """

    bits: int
    compared: Uint8
    gradient: Uint8 | None
    outside: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Curves:
    """The costs of a pixel at D disparities, and the disparity chosen from them.

    Attributes:
        row, column: position in the left view.
        first: disparity of index 0, in pixels.
        costs: (D,) matching costs C.
        parts: the parts of these costs.
        directions: walking direction (dx, dy) of every path summed.
        path_costs: (paths, D) aggregated costs L; 65535 for a disparity that is not searched.
        sums: (D,) sums S; 65535 as well.
        winner: index of the disparity chosen.
        rival: the lowest index of those with the smallest sum more than one away from the winner.
        margin: difference of the rival's and the winner's sum, in 1/100 per cent of the rival's.
        needed: the required margin, in per cent; 0: none.
        unique: whether no rival is too close to the winner.
        refined: disparity in 1/16 pixel.
        fit: the curve that refined it; None if it was not refined.
    """

    row: int
    column: int
    first: int
    costs: Uint8
    parts: CostParts
    directions: tuple[tuple[int, int], ...]
    path_costs: Uint16
    sums: Uint16
    winner: int
    rival: int
    margin: int
    needed: int
    unique: bool
    refined: int
    fit: Fit | None

    @property
    def disparities(self) -> Int64:
        """Return the disparities of all indices in pixels: (D,)."""
        return np.arange(self.first, self.first + self.sums.size)

    @property
    def searched(self) -> NDArray[np.bool_]:
        """Return for each disparity whether it was searched: (D,)."""
        return self.sums < ABSENT

    @property
    def pixels(self) -> float:
        """Return the refined disparity in pixels."""
        return self.refined / SUBPIXEL_STEPS

    @property
    def percent(self) -> float:
        """Return the winner's margin in per cent."""
        return self.margin / MARGIN_STEPS

    @property
    def threshold(self) -> float | None:
        """Compute the least sum allowed for rivals; None if no margin is required or possible."""
        if not 0 < self.needed < 100:
            return None
        return int(self.sums[self.winner]) * 100 / (100 - self.needed)


@dataclass(frozen=True)
class CostVerdict:
    """The results of the checks of a pixel's disparity, before speckle and hole filters.

    Attributes:
        smoothed: disparity after the median, in 1/16 pixel.
        partner: column of the winner's pixel in the right view; it may lie outside.
        right_winner: index of that pixel's own winner; None if outside, or without the check.
        allowed: the largest allowed difference of both winners; -1: no check.
        reason: why the pixel is rejected, as an index of the declared labels; 0: it is not.
        rejected: the same in words; empty if it is not.
    """

    smoothed: int
    partner: int
    right_winner: int | None
    allowed: int
    reason: int
    rejected: str

    @property
    def pixels(self) -> float:
        """Return the smoothed disparity in pixels."""
        return self.smoothed / SUBPIXEL_STEPS


class RayViews(NamedTuple):
    """The images and arrays from which the costs of one pixel along a path are computed.

    Attributes:
        left: (H, W) grey levels of the left view.
        left_descriptor, right_descriptor: (H, W) grey levels or census words that are compared.
        left_gradient, right_gradient: (H, W) gradients compared in addition to words, or unused.
        searched: (tiles of a column, of a row, D / 8): 1 for a block of disparities that is
            searched; of size 0: all are.
    """

    left: Uint8
    left_descriptor: NDArray[np.uint8 | np.uint32]
    right_descriptor: NDArray[np.uint8 | np.uint32]
    left_gradient: Uint8
    right_gradient: Uint8
    searched: Uint8


class Rules(NamedTuple):
    """The parameters of the stages ``matching_cost`` and ``path_aggregation``, as plain numbers.

    Attributes:
        outside: the cost of a right pixel outside the image.
        words: whether descriptors are census words.
        gradient: whether gradients are compared in addition.
        adaptation: index in ``ADAPTATIONS``.
    """

    min_disparity: int
    outside: int
    words: bool
    gradient: bool
    p1: int
    p2: int
    adaptation: int
