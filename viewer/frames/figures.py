"""Quality figures of a disparity map: by ground truth if available, and without it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.conventions import CONVENTIONS, MEASURES, as_judged, measures
from wheatstone.gpu.analysis.metrics import consistent, density, warp_error
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.files.values import in_units
from wheatstone.viewer.picture.truth import judged_of, largest_searched
from wheatstone.viewer.sources.frame import Frame
from wheatstone.viewer.sources.grey import grey_views

INVALID, FILLED, CONSISTENT, WARPED = "invalid", "filled", "L-R consistent", "warp error"
OWN = {FILLED: "%", CONSISTENT: "%", WARPED: "grey"}
"""The figures that need no truth, and their units."""
DIGITS = {"%": 2, "px": 3, "grey": 2}
"""Decimals of a figure, by its unit."""


@dataclass(frozen=True, eq=False)
class FigureQuestion:
    """A result to be judged, with the parameters, frame and rules for judging it.

    Attributes:
        stored: (H, W) the result, as stored.
        image: declares the result.
        params: those of the slot that computed it.
        frame: the frame that it was computed from.
        choice: the rules by which it is judged.
    """

    stored: NDArray[Any]
    image: Image
    params: Params
    frame: Frame
    choice: TruthChoice


@dataclass(frozen=True)
class Figures:
    """The quality figures of a result.

    Attributes:
        judged: number of pixels judged; 0 without truth.
        values: by name: those of ``MEASURES``, ``INVALID`` and ``OWN``; without truth ``OWN`` only.
    """

    judged: int
    values: Mapping[str, float]


def figures(question: FigureQuestion) -> Figures:
    """Compute the quality figures of a result."""
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
    """Compute the quality figures that need no ground truth.

    Args:
        disparity: (H, W) in pixels; NaN where invalid.
    """
    views = grey_views(frame)
    filled = density(disparity, np.ones(disparity.shape, bool))
    warped = warp_error(disparity, views["left"], views["right"]) if "right" in views else math.nan
    return {FILLED: filled, CONSISTENT: consistent(disparity), WARPED: warped}


def figure_words(found: Figures, convention: str) -> str:
    """Summarise the quality of a disparity map in a few words; empty without ground truth.

    Args:
        convention: the one that it was judged by, which determines the main figures.
    """
    if not found.judged:
        return ""
    values = [(name, found.values[name], MEASURES[name]) for name in CONVENTIONS[convention].first]
    return ", ".join(
        f"{name} {value:.{DIGITS[unit]}f} {unit}"
        for name, value, unit in values
        if math.isfinite(value)
    )
