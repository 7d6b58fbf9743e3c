"""The cost curves as a plot takes them; without drawing them."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.pipelines.sgm.curves import Curves
from viewer.panels.costs.probe import PixelAnswer, PixelQuestion
from viewer.sources.frame import Frame


def heights(curves: Curves) -> tuple[float, float]:
    """Upper ends of the axes of S, and of C and L: round numbers above every value."""
    largest = float(np.max(curves.sums)), float(max(curves.path_costs.max(), curves.costs.max()))
    return _round_above(largest[0]), _round_above(largest[1])


def _round_above(value: float) -> float:
    """The least of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that leaves room above a value."""
    value = max(value * 1.1, 1.0)
    power: float = 10.0 ** np.floor(np.log10(value))
    return next((s * power for s in (1, 1.5, 2, 3, 4, 5, 6, 8) if s * power >= value), 10 * power)


def parabola(curves: Curves) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The parabola between the winner's neighbours: disparities in pixels and sums."""
    if not curves.parabola:
        return None
    steps = np.linspace(curves.winner - 1, curves.winner + 1, 33)
    return curves.first + steps, np.array([curves.parabola.at(step) for step in steps])


def dashed(
    x: NDArray[Any], y: NDArray[Any], dashes: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both ends of the dashes of a curve, each step of x holding some dashes and gaps as long."""
    places = np.linspace(x[0], x[-1], 2 * dashes * (len(x) - 1) + 1)[:-1]
    return places, np.interp(places, x, y.astype(np.float64))


@dataclass(frozen=True, eq=False)
class Traces:
    """Curves as the plot takes them.

    Attributes:
        curves: A's.
        names: of the paths summed.
        number: of the first of them, from 1: a path keeps its colour.
        second: B's, where they are others.
        truth: the true disparity in pixels; None where unknown.
        frame: that they are of.
    """

    curves: Curves
    names: tuple[str, ...]
    number: int
    second: Curves | None
    truth: float | None
    frame: Frame

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """The disparities in pixels."""
        return self.curves.disparities.astype(np.float64)

    @cached_property
    def y(self) -> dict[str, NDArray[np.float64]]:
        """C, S and the L of every path, by name."""
        curves = self.curves
        paths = zip(self.names, curves.path_costs, strict=True)
        named = {"C": curves.costs, "S": curves.sums} | {f"L {n}": costs for n, costs in paths}
        return {name: np.asarray(values, np.float64) for name, values in named.items()}

    @cached_property
    def dashes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """S of B."""
        return dashed(self.second.disparities, self.second.sums) if self.second else None

    @cached_property
    def parabola(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """What refined the winner."""
        return parabola(self.curves)


def traces_of(answer: PixelAnswer) -> Traces:
    """An answer as the plot takes it."""
    asked, curves = answer.question, answer.curves
    terms, count = asked.pipeline.terms, len(curves[0].directions)
    number = terms.summed(asked.params[0])[0] if terms else 1
    every = terms.names if terms else tuple(str(n) for n in range(1, count + 1))
    names = every[number - 1 : number - 1 + count]
    second = curves[1] if len(curves) > 1 else None
    return Traces(curves[0], names, number, second, _truth(asked), asked.frame)


def _truth(asked: PixelQuestion) -> float | None:
    """The true disparity in pixels, where the source knows it."""
    truth = asked.frame.truth
    value = float(truth[asked.row, asked.column]) if truth is not None else math.nan
    return value if math.isfinite(value) else None
