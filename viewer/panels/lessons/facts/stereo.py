"""Provide facts about the match of a pixel, as the probe computes them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from wheatstone.viewer.panels.lessons.facts.general import spaced, written
from wheatstone.viewer.panels.lessons.facts.subject import Fact, FactSubject, Unknown


def _word(about: FactSubject, side: str) -> str:
    """Write a census word as its bits, in groups of eight: of the pixel, or of its match."""
    left, right = about.words
    row, column = about.place
    if side == "right":
        column = _partner(about)
    word = int((left if side == "left" else right)[row, column])
    bits = f"{word:0{about.curves.parts.bits}b}"
    return " ".join(bits[i : i + 8] for i in range(0, len(bits), 8))


def _partner(about: FactSubject) -> int:
    """Return the column of the pixel's match. Raises ``Unknown`` if it lies outside."""
    partner = about.verdict.partner
    if not 0 <= partner < about.size[1]:
        raise Unknown("(outside the right view)")
    return partner


def _cheapest(about: FactSubject) -> list[int]:
    curves = about.curves
    lowest = np.flatnonzero(curves.costs == curves.costs.min())
    return [curves.first + int(index) for index in lowest]


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:6]))
    return f"{shown} and {len(numbers) - 6} more" if len(numbers) > 6 else shown


def _path(about: FactSubject, number: str, disparity: int) -> int:
    curves = about.curves
    if not 1 <= int(number) <= len(curves.path_costs):
        raise Unknown(f"(there are {len(curves.path_costs)} paths)")
    return int(curves.path_costs[int(number) - 1, disparity])


def _fit(about: FactSubject) -> Any:
    fit = about.curves.fit
    if fit is None:
        raise Unknown("(nothing is fitted here)")
    return fit


def _right_winner(about: FactSubject) -> str:
    winner = about.verdict.right_winner
    if winner is None:
        raise Unknown("(not checked)")
    return f"{about.curves.first + winner}"


STEREO: Mapping[str, Fact] = {
    "word": Fact("bits of the census word of the pixel, or of its match", _word, ("SIDE",)),
    "bits": Fact("bits of a census word", lambda about: about.curves.parts.bits),
    "winner": Fact(
        "disparity that wins at the pixel, in whole pixels",
        lambda about: about.curves.first + about.curves.winner,
    ),
    "rival": Fact(
        "disparity that comes second, away from the winner",
        lambda about: about.curves.first + about.curves.rival,
    ),
    "partner": Fact("column of the match in the right view", _partner),
    "cost": Fact(
        "matching cost of the winner", lambda about: about.curves.costs[about.curves.winner]
    ),
    "rival_cost": Fact(
        "matching cost of the second", lambda about: about.curves.costs[about.curves.rival]
    ),
    "costs": Fact(
        "matching costs of the whole picture",
        lambda about: spaced(about.grey.size * len(about.curves.costs)),
    ),
    "lowest_cost": Fact("lowest matching cost", lambda about: about.curves.costs.min()),
    "cheapest": Fact(
        "disparities of the lowest matching cost", lambda about: _listed(_cheapest(about))
    ),
    "ties": Fact("how many disparities have it", lambda about: len(_cheapest(about))),
    "paths": Fact("paths summed", lambda about: len(about.curves.path_costs)),
    "path": Fact(
        "path cost of the winner on a path, from 1",
        lambda about, number: _path(about, number, about.curves.winner),
        ("NUMBER",),
    ),
    "rival_path": Fact(
        "path cost of the second on a path, from 1",
        lambda about, number: _path(about, number, about.curves.rival),
        ("NUMBER",),
    ),
    "sum": Fact("sum of the winner", lambda about: about.curves.sums[about.curves.winner]),
    "rival_sum": Fact("sum of the second", lambda about: about.curves.sums[about.curves.rival]),
    "margin": Fact(
        "by how much the winner's sum is smaller than the second's",
        lambda about: f"{about.curves.percent:.1f} %",
    ),
    "sum_below": Fact("sum one disparity below the winner", lambda about: _fit(about).sums[0]),
    "sum_above": Fact("sum one disparity above the winner", lambda about: _fit(about).sums[2]),
    "vertex": Fact(
        "disparity where the fitted curve is lowest",
        lambda about: f"{about.curves.first + _fit(about).vertex[0]:.3f}",
    ),
    "disparity": Fact(
        "disparity in sixteenths, as a number of pixels", lambda about: written(about.curves.pixels)
    ),
    "smoothed": Fact("the same after the median", lambda about: written(about.verdict.pixels)),
    "right_winner": Fact("disparity that wins at the match, seen from the right", _right_winner),
    "rejected": Fact(
        "why the pixel is rejected", lambda about: about.verdict.rejected or "not rejected"
    ),
}
