"""Conversion of a pixel's cost curves to arrays for the plot."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.sgm.curves import Curves
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.costs.probe import PixelAnswer


def heights(curves: Curves) -> tuple[float, float]:
    """Return round upper ends for the axis of summed costs S, and for that of costs C and L."""
    sums, paths = curves.sums[curves.searched], curves.path_costs[:, curves.searched]
    largest = float(np.max(sums)), max(float(paths.max()), float(curves.costs.max()))
    return _round_above(largest[0]), _round_above(largest[1])


def _round_above(value: float) -> float:
    """Return 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten, at least a tenth above a value."""
    value = max(value * 1.1, 1.0)
    power: float = 10.0 ** np.floor(np.log10(value))
    return next((s * power for s in (1, 1.5, 2, 3, 4, 5, 6, 8) if s * power >= value), 10 * power)


def fit(curves: Curves) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Sample the curve fitted at the winner: disparities in pixels and sums; None without a fit."""
    if not curves.fit:
        return None
    steps = np.linspace(curves.winner - 1, curves.winner + 1, 33)
    return curves.first + steps, np.array([curves.fit.at(step) for step in steps])


def dashed(x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cut a curve into dashes and gaps of equal length; return x and y of all dashes' ends."""
    places = np.linspace(x[0], x[-1], 4 * (len(x) - 1) + 1)[:-1]  # two dashes for each step
    return places, np.interp(places, x, y.astype(np.float64))


@dataclass(frozen=True, eq=False)
class Traces:
    """The cost curves of a pixel as arrays for the plot.

    Attributes:
        number: of the first path summed, from 1: a path keeps its colour.
        second: curves of B's parameters, if these differ.
        truth: the true disparity in pixels; None if unknown.
    """

    curves: Curves
    names: tuple[str, ...]
    number: int
    second: Curves | None
    truth: float | None
    frame: Frame

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """List the disparities searched, in pixels."""
        return self.curves.disparities.astype(np.float64)

    @cached_property
    def y(self) -> dict[str, NDArray[np.float64]]:
        """Return matching costs C, path costs L and sums S by name; NaN where not searched."""
        curves = self.curves
        paths = zip(self.names, curves.path_costs, strict=True)
        named = {"S": curves.sums} | {f"L {n}": costs for n, costs in paths}
        summed = {name: np.where(curves.searched, y, np.nan) for name, y in named.items()}
        return {"C": np.asarray(curves.costs, np.float64)} | summed

    @cached_property
    def bars(self) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the bars of the matching cost C and its components: disparities in px, heights.

        If gradients count, the bars of C are drawn behind those without the gradients' part.
        """
        costs, parts, inside = self.y["C"], self.curves.parts, ~self.curves.parts.outside
        heights = {"C": costs}
        if parts.gradient is not None:
            heights = {"C gradient": costs, "C census": parts.compared.astype(np.float64)}
        bars = {name: (self.x[inside], height[inside]) for name, height in heights.items()}
        if not inside.all():
            bars["C outside"] = self.x[~inside], costs[~inside]
        return bars

    @cached_property
    def dashes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the ends of the dashes of run B's summed cost S; None if B has no curves."""
        if not self.second:
            return None
        sums = np.where(self.second.searched, self.second.sums, np.nan)
        return dashed(self.second.disparities, sums)

    @cached_property
    def fit(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return samples of the curve fitted around the winner; None without a fit."""
        return fit(self.curves)


def traces_of(answer: PixelAnswer) -> Traces:
    """Convert the costs of a probed pixel to arrays for the plot."""
    asked, curves = answer.question, answer.curves
    terms, count = asked.pipeline.terms, len(curves[0].directions)
    number = terms.summed(asked.params[0])[0] if terms else 1
    all_names = (
        terms.names(asked.params[0]) if terms else tuple(str(n) for n in range(1, count + 1))
    )
    names = all_names[number - 1 : number - 1 + count]
    second = curves[1] if len(curves) > 1 else None
    truth = math.nan if asked.frame.truth is None else asked.frame.truth[asked.row, asked.column]
    known = float(truth) if math.isfinite(truth) else None
    return Traces(curves[0], names, number, second, known, asked.frame)
