"""Compute error measures of disparities by the rules (conventions) of published benchmarks.

Benchmarks use the same measures, but choose pixels and treat those without a result differently:
the same disparity has different figures under each.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from wheatstone.gpu.analysis.metrics import (
    Disparity,
    Mask,
    average_error,
    bad,
    density,
    error_quantile,
    inside,
    outliers,
    root_mean_square,
)

Region = Literal["seen", "known"]
REGIONS: tuple[Region, ...] = ("seen", "known")
MEASURES = {
    "bad-0.5": "%",
    "bad-1": "%",
    "bad-2": "%",
    "bad-4": "%",
    "D1": "%",
    "average error": "px",
    "RMS": "px",
    "A50": "px",
    "A90": "px",
    "A95": "px",
    "A99": "px",
    "density": "%",
}
"""Every measure and its unit, in the order of ``measures``."""


OWN_MEASURES = {"bad-3": "%", "D1-bg": "%", "D1-fg": "%", "foreground": "%"}
"""Measures that only some data sets have, and their units; see ``own_measures``."""


def _clipped(disparity: Disparity, largest: float) -> Disparity:
    """Clip disparities to the searched range; infinite ones become NaN."""
    return np.where(np.isfinite(disparity), np.clip(disparity, 0, largest), np.nan)


def _not_wider(disparity: Disparity, largest: float) -> Disparity:
    """Set disparities with an absolute value above the image's width in pixels to NaN."""
    return np.where(np.abs(disparity) <= disparity.shape[1], disparity, np.nan)


def _not_negative(disparity: Disparity, largest: float) -> Disparity:
    """Set negative and infinite disparities to NaN."""
    return np.where(np.isfinite(disparity) & (disparity >= 0), disparity, np.nan)


def _as_it_is(disparity: Disparity, largest: float) -> Disparity:
    return disparity


@dataclass(frozen=True)
class Convention:
    """A benchmark's rules: the pixels to judge, and the treatment of pixels without a result.

    Attributes:
        region: the pixels it judges by default: those that both views see, or all whose truth is
            known.
        without_result: how a judged pixel without a result counts: it is wrong, it is ignored, or
            it is filled before the pixels are judged.
        accepted: the disparities it accepts as results, given the largest that was searched.
        first: its two main measures: the one that its table is ordered by, and the mean error.
        border: width in pixels of the margin that is ignored on every side.
        help: a summary in a sentence.
    """

    name: str
    region: Region
    without_result: Literal["wrong", "ignored", "filled"]
    accepted: Callable[[Disparity, float], Disparity]
    help: str
    first: tuple[str, str]
    border: int = 0

    def judged(self, truth: Disparity, seen: Mask, region: Region | None = None) -> Mask:
        """Return an (H, W) mask of the pixels that this benchmark compares with ground truth.

        Args:
            seen: (H, W) the pixels that both views see.
            region: replaces this convention's own region.
        """
        known: Mask = np.isfinite(truth) & inside(truth.shape, self.border)
        return known & seen if (region or self.region) == "seen" else known


MIDDLEBURY = Convention(
    "middlebury",
    "seen",
    "wrong",
    _clipped,
    "As Middlebury's evaluation, version 3: a pixel without a result is bad (totbad); disparities "
    "are clipped to the range searched.",
    ("bad-2", "average error"),
)
ETH3D = Convention(
    "eth3d",
    "seen",
    "ignored",
    _not_wider,
    "As ETH3D's two-view evaluation: only pixels with a result are judged; density is its "
    "coverage.",
    ("bad-1", "average error"),
)
KITTI = Convention(
    "kitti",
    "known",
    "filled",
    _not_negative,
    "As KITTI's development kits: pixels without a result are filled from the background before "
    "they are judged; density is measured before filling.",
    ("D1", "average error"),
)
WHEATSTONE = Convention(
    "wheatstone",
    "seen",
    "wrong",
    _as_it_is,
    "As docs/quality.md: only pixels at least 10 px from the image's border are judged; a pixel "
    "without a result is bad.",
    ("bad-1", "average error"),
    border=10,
)
CONVENTIONS = {c.name: c for c in (MIDDLEBURY, ETH3D, KITTI, WHEATSTONE)}


def measures(
    convention: Convention, disparity: Disparity, truth: Disparity, mask: Mask, largest: float
) -> dict[str, float]:
    """Compute every error measure in ``MEASURES`` of a disparity by a convention's rules.

    Errors are NaN if no judged pixel has a result; then all are bad, under every convention.

    Args:
        disparity: (H, W) in pixels, not finite where there is no result.
        mask: (H, W) the pixels that ``convention.judged``.
        largest: the largest disparity searched.
    """
    share = density(convention.accepted(disparity, largest), mask)
    disparity, mask = as_judged(convention, disparity, mask, largest)
    judged = (disparity, truth, mask)
    return {
        **{f"bad-{threshold:g}": bad(*judged, threshold) for threshold in (0.5, 1, 2, 4)},
        "D1": outliers(*judged),
        "average error": average_error(*judged),
        "RMS": root_mean_square(*judged),
        **{f"A{percent}": error_quantile(*judged, percent) for percent in (50, 90, 95, 99)},
        "density": share,
    }


def own_measures(
    convention: Convention,
    disparity: Disparity,
    truth: Disparity,
    mask: Mask,
    largest: float,
    objects: Mask | None,
) -> dict[str, float]:
    """Compute the additional measures in ``OWN_MEASURES``, which only some data sets use.

    D1-bg and D1-fg are KITTI's D1 of the background and of the foreground alone; ``foreground`` is
    the share of the foreground in the pixels judged. All three are NaN if it is not known.

    Args:
        disparity, truth, mask, largest: as for ``measures``.
        objects: (H, W) the foreground.
    """
    disparity, mask = as_judged(convention, disparity, mask, largest)
    nothing = np.zeros(mask.shape, bool)
    behind, ahead = (nothing, nothing) if objects is None else (mask & ~objects, mask & objects)
    return {
        "bad-3": bad(disparity, truth, mask, 3),
        "D1-bg": outliers(disparity, truth, behind),
        "D1-fg": outliers(disparity, truth, ahead),
        "foreground": math.nan if objects is None else 100 * float(objects[mask].mean()),
    }


def as_judged(
    convention: Convention, disparity: Disparity, mask: Mask, largest: float
) -> tuple[Disparity, Mask]:
    """Apply a benchmark's rule for pixels without a result to a disparity and its mask.

    Args:
        disparity, mask, largest: as for ``measures``.
    """
    disparity = convention.accepted(disparity, largest)
    if convention.without_result == "filled":
        return filled_from_background(disparity), mask
    judged: Mask = mask & np.isfinite(disparity)
    ignores = convention.without_result == "ignored" and judged.any()
    return disparity, judged if ignores else mask


def filled_from_background(disparity: Disparity) -> Disparity:
    """Fill a disparity's holes from their neighbours, as KITTI's development kits do.

    A hole between two results of a row takes the smaller of them, one at the row's end the nearest.
    Then rows without any result, above the first or below the last row that has one, copy that row;
    rows in between stay empty.
    """
    filled = np.fmin(_carried(disparity), _carried(disparity[:, ::-1])[:, ::-1])
    rows = np.flatnonzero(np.isfinite(filled).all(axis=1))
    if rows.size:
        filled[: rows[0]] = filled[rows[0]]
        filled[rows[-1] + 1 :] = filled[rows[-1]]
    return filled


def _carried(disparity: Disparity) -> Disparity:
    """Fill each invalid pixel with the next valid disparity to its left in the same row."""
    columns = np.broadcast_to(np.arange(disparity.shape[1]), disparity.shape)
    last = np.maximum.accumulate(np.where(np.isfinite(disparity), columns, 0), axis=1)
    return np.take_along_axis(disparity, last, axis=1)
